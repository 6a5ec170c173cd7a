"""The documentation: its command lines parse, its links resolve. Its code runs when it is built."""

import dataclasses
import importlib
import inspect
import re
import shlex
from pathlib import Path

import pytest
from all_tables import PROGRAMS

from learners.cli import train
from learners.registry import LEARNERS
from tttenv.certificates.certificate import Certificate
from tttenv.cli import console
from tttenv.cli.main import COMMANDS
from tttenv.env import TicTacToe
from tttenv.players import FOREIGN, PLAYERS

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = {
    str(file.relative_to(DOCS)): file.read_text(encoding="utf-8")
    for file in sorted(DOCS.rglob("*.md"))
    if not {"_build", "generated"} & set(file.relative_to(DOCS).parts)
}
SHELL = re.compile(r"^```bash\n(.*?)^```", re.S | re.M)
OURS = re.compile(r"(?:tttenv|python scripts/(?=\w+\.py)) ?(\w*)(?:\.py)?(.*)")


def command_lines():
    """Yield the page, the command and the arguments of each of our shell command lines."""
    for page, text in PAGES.items():
        for block in SHELL.findall(text):
            for line in block.splitlines():
                if found := OURS.fullmatch(line.partition("  #")[0].strip()):
                    yield page, found[1], shlex.split(found[2])


def parse(command, args):
    """Parse a command line as the command does, without running it."""
    if command == "compile":
        assert not args
    elif command == "train":
        if args:
            config = LEARNERS.load(args[0]).presets["default"]
            train._parse_from(args[0], args[1:], train.Options(), config)
    else:
        module = importlib.import_module(PROGRAMS[command])
        console.parse(module.Arguments, module.PROG, args)


def test_every_command_line_parses():
    lines = list(command_lines())
    assert len(lines) > 40
    assert {command for _, command, _ in lines} >= {*COMMANDS.rows} - {"gomocup"}
    for page, command, args in lines:
        try:
            parse(command, args)
        except SystemExit:
            pytest.fail(f"{page}: {command} {shlex.join(args)}")


def python_blocks(page):
    """Return the Python blocks of a page that do not run when it is built."""
    return re.findall(r"^```python\n(.*?)^```", PAGES[page], re.S | re.M)


def test_all_other_code_runs_when_it_is_built_or_needs_what_no_extra_installs():
    plain = {page for page in PAGES if python_blocks(page)}
    for page in plain:
        for block in python_blocks(page):
            compile(block, page, "exec")
    assert plain == {
        "how-to/evaluate-my-network.md",  # onnxscript: run by tests/players/test_onnx.py
        "how-to/other-libraries.md",  # many: run by tests/programs/test_adapters.py
        "how-to/language-models.md",  # TRL and others: tests/text
        "how-to/record-a-video.md",  # MoviePy
        "how-to/sweeps.md",  # Ray Tune: run by tests/ray_cluster
        "lessons/05-plug-in.md",  # it loads a model that is trusted
    }


def test_every_link_leads_to_a_page():
    for page, text in PAGES.items():
        for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"```.*?```", "", text, flags=re.S)):
            path = link.partition("#")[0]
            if path and "://" not in path:
                assert ((DOCS / page).parent / path).is_file(), f"{page}: {link}"


def test_every_page_is_in_a_table_of_contents():
    listed = {"index.md"}
    for page, text in PAGES.items():
        for block in re.findall(r"^```{toctree}\n(.*?)^```", text, re.S | re.M):
            for name in block.split():
                listed |= {
                    str(file.resolve().relative_to(DOCS))
                    for file in (DOCS / page).parent.glob(f"{name}.md")
                }
    assert {*PAGES} == listed


def test_the_tables_of_the_reference_name_what_there_is():
    def first_column(page):
        return set(re.findall(r"^\| \[?`([\w-]+)`", PAGES[page], re.M))

    arguments = inspect.signature(TicTacToe).parameters
    assert {*arguments} <= first_column("reference/environment.md")
    fields = {field.name for field in dataclasses.fields(Certificate)}
    assert fields <= first_column("explanation/certificates.md")
    assert {*PLAYERS.rows, *FOREIGN.rows} <= first_column("reference/players.md")
    for row in (*PLAYERS.rows.values(), *FOREIGN.rows.values()):
        function = row.target.replace(":", ".")
        assert f".. autofunction:: {function}\n" in PAGES["reference/api/players.md"], function
    assert {*LEARNERS.rows} <= first_column("reference/learners.md")
