"""READMEs: their rows, paths and links."""

import re
from pathlib import Path

import pytest

import tttenv
from learners.registry import LEARNERS

ROOT = Path(__file__).parents[1]
FOLDERS = ["tttenv", "learners", "scripts", "tests", "checkpoints"]
READMES = {
    str(file.relative_to(ROOT)): file.read_text(encoding="utf-8")
    for file in [
        ROOT / "README.md",
        *sorted(found for folder in FOLDERS for found in (ROOT / folder).rglob("README.md")),
    ]
}
BLOCKS = {name: re.findall(r"```python\n(.*?)```", text, re.S) for name, text in READMES.items()}


def test_the_first_readme_stays_short():
    assert READMES["README.md"].count("\n") <= 120
    assert len(READMES["README.md"].split()) <= 900


def test_every_learner_has_a_row_of_its_trained_player_and_a_section_and_is_counted():
    number = {12: "twelve"}.get(len(list(LEARNERS)), len(list(LEARNERS)))
    assert f"All {number} learners train" in READMES["README.md"]
    reference = (ROOT / "docs/reference/learners.md").read_text(encoding="utf-8")
    for name in LEARNERS:
        assert READMES["checkpoints/README.md"].count(f"\n {name} 0  ") == 1, name
        assert f"\n## {name}\n" in reference


@pytest.mark.parametrize("name", READMES)
def test_the_scripts_and_folders_it_names_are_there(name):
    text = READMES[name]
    for script in set(re.findall(r"(?:scripts|tests|learners|tttenv)/[\w/]+\.py", text)):
        assert (ROOT / script).is_file(), script
    for path in set(re.findall(r"checkpoints/[\w./]*\w", text)):
        assert (ROOT / path if "." in path else ROOT / path / "card.json").is_file(), path


@pytest.mark.parametrize("name", READMES)
def test_its_pictures_are_there_in_light_and_in_dark_and_small(name):
    text = READMES[name]
    assert "![" not in text  # a picture in light alone
    shown = re.findall(
        r'<picture><source media="\(prefers-color-scheme: dark\)" srcset="([^"]+)">'
        r'<img src="([^"]+)" alt="[^"]+"(?: width="\d+")?></picture>',
        text,
    )
    assert len(shown) == text.count("<img")
    for dark, light in shown:
        stem, _, ending = light.rpartition(".")
        assert dark == f"{stem}-dark.{ending}"
        files = [(ROOT / name).parent / path for path in (light, dark)]
        assert all(file.stat().st_size < 400_000 for file in files)
        assert files[0].read_bytes() != files[1].read_bytes()


def test_every_picture_is_shown():
    pictures = {file.name for file in (ROOT / ".github" / "images").iterdir()}
    docs = [file.read_text(encoding="utf-8") for file in (ROOT / "docs").rglob("*.md")]
    workflow = (ROOT / ".github/workflows/pages.yml").read_text(encoding="utf-8")
    shown = "\n".join([*READMES.values(), *docs, workflow])
    assert {name for name in pictures if name not in shown} == set()


def test_the_citation_has_the_version_of_the_package():
    cited = (ROOT / "CITATION.cff").read_text()
    assert f"\nversion: {tttenv.__version__}\n" in cited
