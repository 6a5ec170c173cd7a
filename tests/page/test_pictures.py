"""Numbers in README, docs and pictures, compared with the players and files in checkpoints/."""

import html
import io
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PIL import Image

from scripts import pictures
from scripts.pictures import IMAGES, named
from tttenv.certificates.curve import Curve
from tttenv.players import PLAYERS
from tttenv.players.stored.checkpoint import read_card
from tttenv.report import leaderboard, load_players

pytestmark = pytest.mark.xdist_group("pictures")  # which certify all players once
ROOT = Path(__file__).parents[2]
AGAIN = "made from the players and checkpoints/: run `make pictures ARGS='--only tables page'`"


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


def text_of_png(name, scheme="light"):
    """Return the text stored in a picture."""
    whole = Image.open(io.BytesIO((ROOT / IMAGES / named(name, scheme)).read_bytes()))
    whole.load()
    return whole.info[pictures.SHOWS]


@pytest.fixture(scope="session")
def players():
    """Return all players of the bundled report, certified."""
    return load_players.from_specs(load_players.usual())


def test_the_tables_of_checkpoints_are_those_of_the_files_beside_it(players):
    rows = [
        {"player": player.name, "seconds": None, **player.certificate.to_dict()}
        for player in players
        if player.name in PLAYERS
    ]
    readme = text(pictures.README)
    for name, block in pictures.blocks(rows).items():
        assert pictures.replaced(readme, name, block) == readme, AGAIN


def test_the_curves_and_trees_are_those_of_the_checkpoints():
    drawn = pictures.curves() | pictures.survival() | pictures.games()
    shown = {file.name for file in (ROOT / IMAGES).glob("[cgs][ua][rm]*.svg")}
    assert {named(*key) for key in drawn} == shown
    for key, data in drawn.items():
        assert (ROOT / IMAGES / named(*key)).read_bytes() == data, AGAIN


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_leaderboard_has_the_numbers_of_the_certificates(players, scheme):
    shown = text_of_png("leaderboard.png", scheme)
    rows = html.unescape(re.sub("<[^>]+>", "", leaderboard.html(players)))
    assert shown == re.sub(r"\s", "", rows), AGAIN


def test_the_preview_counts_the_players(players):
    shown = text_of_png("preview.png")
    assert re.sub(r"\s", "", leaderboard.summary(players)["proved"]) in shown, AGAIN


@pytest.mark.parametrize("name", ["terminal-play", "terminal-certify", "terminal-doctor"])
def test_a_terminal_shows_what_the_command_prints(name, run_here):
    command, typed = pictures.COMMANDS[name]
    _, script, *arguments = command.split()
    printed = run_here(f"{script}.py", *arguments, typed=typed).stdout
    for scheme in ("light", "dark"):
        picture = (ROOT / IMAGES / named(f"{name}.svg", scheme)).read_bytes()
        parts = ElementTree.fromstring(picture).iter("{http://www.w3.org/2000/svg}text")
        shown = "".join(part.text for part in parts)
        assert "".join(shown.split()) == "".join(f"${command}{printed}".split()), AGAIN


def test_the_readme_has_the_numbers_of_the_dqn_and_of_the_page_about_speed():
    readme, curve = text("README.md"), Curve.from_card(read_card(ROOT / "checkpoints/dqn"))
    last = curve.steps.index(curve.unbeatable_at[0]) - 1
    assert curve.worst["O"][last] == -1
    before, after = (f"After {curve.seconds[at]:.1f} seconds " for at in (last, last + 1))
    assert before in readme.partition(f" {100 * curve.optimal[last]:.1f} % ")[0]
    assert after in readme.partition(before)[2]
    (steps,) = re.findall(r"(\S+ million steps) a second", readme)
    assert steps in text("docs/explanation/speed.md")


def test_the_pictures_of_the_documentation_show_on_github_and_in_sphinx(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    from light_and_dark import as_directives

    for page in (ROOT / "docs").rglob("*.md"):
        written = page.read_text(encoding="utf-8")
        assert "{image}" not in written, page  # which GitHub shows as code
        files = re.findall(r'(?:src|srcset)="([^"]*images/[^"]+)"', written)
        built = as_directives(written)
        assert sorted(re.findall(r"{image} (\S+)", built)) == sorted(files), page
        assert all((page.parent / file).is_file() for file in files), page
        assert "<img" not in built, page
