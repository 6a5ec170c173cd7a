"""The documentation and the READMEs: their command lines parse, their links resolve.

Its code runs when it is built, or in tests/programs/test_documented_python.py.
"""

import dataclasses
import importlib
import inspect
import re
import shlex
from pathlib import Path

import pytest
from all_tables import PROGRAMS
from test_readme import READMES

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
OURS = re.compile(r"\s*(?:tttenv|python scripts/(?=\w+\.py)) ?(\w*)(?:\.py)?(.*?)(?:  +#.*)?")


def command_lines():
    """Yield the page, the command and the arguments of each of our shell command lines."""
    texts = {
        page: "".join(re.findall(r"^```bash\n(.*?)^```", PAGES[page], re.S | re.M))
        for page in PAGES
    }
    for page, text in READMES.items():  # in which they are indented
        texts[page] = "\n".join(re.findall(r"^    .*", text, re.M))
    for name, row in COMMANDS.rows.items():
        examples = importlib.import_module(row.target.split(":")[0]).EXAMPLES
        texts[f"tttenv {name} --help"] = examples.format(name="selfplay")
    for page, text in texts.items():
        for line in text.splitlines():
            if found := OURS.fullmatch(line.rstrip()):
                yield page, found[1], shlex.split(found[2])


def parse(command, args):
    """Parse a command line as the command does, without running it."""
    if command == "compile":
        assert args in ([], ["--jobs", "1"])
    elif command == "train":
        if args:
            config = LEARNERS.load(args[0]).presets["default"]
            train._parse_from(args[0], args[1:], train.Options(), config)
    else:
        module = importlib.import_module(PROGRAMS[command])
        console.parse(module.Arguments, command, args)


def test_every_command_line_parses():
    lines = list(command_lines())
    assert len(lines) > 40
    assert {command for _, command, _ in lines} >= {*COMMANDS.rows} - {"gomocup"}
    for page, command, args in lines:
        try:
            parse(command, args)
        except SystemExit:
            pytest.fail(f"{page}: {command} {shlex.join(args)}")


def python_blocks(page, cells=False):
    """Return the Python blocks of a page that do not run when it is built; with `cells`, all."""
    fence = "(?:python|{code-cell} ipython3)" if cells else "python"
    return re.findall(rf"^```{fence}\n(?::tags:.*\n)?(.*?)^```", PAGES[page], re.S | re.M)


def headings(text):
    """Return the anchors of a page's headings, with "-" for any space and "_"."""
    lines = re.findall(r"^#+ (.+)$", re.sub(r"```.*?```", "", text, flags=re.S), re.M)
    return [
        re.sub(r"[^\w\- ]", "", line.lower()).replace(" ", "-").replace("_", "-") for line in lines
    ]


def test_every_link_leads_to_a_file_and_a_heading_that_are_there():
    for name, text in (READMES | {f"docs/{page}": text for page, text in PAGES.items()}).items():
        for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"```.*?```", "", text, flags=re.S)):
            path, _, heading = link.partition("#")
            if "://" in path:
                continue
            file = (ROOT / name).parent / path if path else ROOT / name
            assert file.is_file(), f"{name}: {link}"
            if heading:
                assert heading.replace("_", "-") in headings(file.read_text(encoding="utf-8")), (
                    f"{name}: {link}"
                )


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
