"""Tables in terminals of 80 columns and in pipes: unbroken, and no column lost silently."""

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest
from all_tables import PROGRAMS
from hypothesis import given
from hypothesis import strategies as st

from learners.cli import benchmark_tables
from tttenv.cli import text_tables
from tttenv.cli.text_tables import Column, lines

ROOT = Path(__file__).parents[2]


TABLES = [
    "benchmark",
    "speed",
    "reproduce",
    "certify",
    "against",
    "doctor",
    "league",
]
TABLES += ["train", *(f"{name} --help" for name in PROGRAMS)]


def printed(width=None, wide=False, **more):
    """Return the output of all_tables.py by table, in a terminal of this width or in a pipe."""
    home = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES", "FORCE_COLOR")}
    home |= {"PYTHONPATH": str(ROOT), "TERM": "xterm", "PYTHONUTF8": "1", **more}
    command = [sys.executable, str(ROOT / "tests" / "all_tables.py"), *["--wide"] * wide]
    if width is None:
        told = subprocess.run(command, env=home, capture_output=True, text=True, timeout=200)
        assert (told.returncode, told.stderr) == (0, "")
        text = told.stdout
    else:
        screen, inner = pty.openpty()
        fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
        child = subprocess.Popen(command, stdout=inner, stdin=inner, stderr=inner, env=home)
        os.close(inner)
        text = _read(screen)
        assert child.wait() == 0, text[-2000:]
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text.replace("\r\n", "\n"))
    return {part.partition("\n")[0]: part.partition("\n")[2] for part in text.split("@")[1:]}


def _read(screen):
    found = b""
    try:
        while data := os.read(screen, 65536):
            found += data
    except OSError:  # Linux says so when the other end is closed
        pass
    os.close(screen)
    return found.decode()


@pytest.fixture(scope="module")
def piped():
    return printed()


@pytest.fixture(scope="module")
def terminal():
    return 80, printed(80)


@pytest.mark.xdist_group("text tables")
@pytest.mark.parametrize("name", TABLES)
def test_no_line_is_longer_than_the_terminal(terminal, name):
    width, shown = terminal
    assert shown.keys() == set(TABLES)
    assert [line for line in shown[name].split("\n") if len(line) > width] == []
    assert max(map(len, shown[name].split("\n"))) > 50  # it uses the room there is


@pytest.mark.xdist_group("text tables")
@pytest.mark.parametrize("name", TABLES)
def test_what_a_terminal_shows_stands_in_a_pipe_too_and_the_rest_is_named(terminal, piped, name):
    shown = terminal[1][name]
    words = [set(re.findall(r"[\w./%+-]+", text)) for text in (shown, piped[name])]
    note = re.search(r"left out for want of room: ([^;]*);[^@]*?numbers", shown)
    if note or "--help" in name:  # the boxes of a help are the same; the note is the terminal's
        return
    assert words[1] - words[0] <= {"losing", "line", "beside"}  # heads of what went below
    assert words[0] - words[1] <= {"line", "beside"}


@pytest.mark.xdist_group("text tables")
def test_the_main_table_keeps_its_columns_by_importance_and_names_the_others(terminal, piped):
    _, shown = terminal
    heads = piped["benchmark"].split("\n")[2].split("  ")
    assert {"seconds", "draw %", "unbeatable"} <= {head.strip() for head in heads}
    note = "left out for want of room: seconds, random draw %, minimax win %, minimax draw %,"
    said = shown["benchmark"].replace("\n", " ")
    assert note in said
    assert "--wide shows them" in said
    rows = [line for line in shown["benchmark"].split("\n") if re.match(r" .* [XO]  ", line)]
    assert len(rows) == len(
        [r for r in piped["benchmark"].split("\n") if re.match(r" .* [XO]  ", r)]
    )
    assert all(re.search(r" (yes|no)$", row) for row in rows if " X  " in row)


@pytest.mark.xdist_group("text tables")
def test_in_a_pipe_no_number_is_left_out_and_no_row_is_wider_than_120_columns(piped):
    published = json.loads((ROOT / "checkpoints/published.json").read_text())["rows"]
    from tttenv.report.published import cells

    blocks = re.split(r"\n (?=\S)", piped["reproduce"])
    for row in published:
        (block,) = [block for block in blocks if block.startswith(f"{row['id']} ")]
        text = " ".join(block.split())
        assert all(cell in text for cell in [row["what"], *cells(row)])
    below_heads = [line for text in piped.values() for line in text.split("\n") if "──" in line]
    assert max(map(len, [*below_heads, *piped["speed"].split("\n")])) <= 120
    assert "left out for want of room" not in "".join(piped.values())


def test_wide_and_the_variable_columns_overrule_the_terminal():
    """COLUMNS counts in terminals only: a pipe has no width."""
    wide = printed(wide=True, COLUMNS="40")
    published = json.loads((ROOT / "checkpoints/published.json").read_text())["rows"]
    for row in published:  # is one line
        (line,) = [x for x in wide["reproduce"].split("\n") if x.startswith(f" {row['id']} ")]
        assert row["what"] in line
    shown = printed(80, wide=True)
    for name in ("benchmark", "reproduce"):
        table = [line for line in wide[name].split("\n") if re.match(r" \S+ .* (yes|no|-)$", line)]
        assert len(table) > 10
        assert set(table) <= set(shown[name].split("\n"))
    assert 80 < max(map(len, printed(80, COLUMNS="120")["speed"].split("\n"))) <= 120


def test_the_shipped_table_is_what_a_pipe_gets():
    text = (ROOT / "checkpoints" / "README.md").read_text(encoding="utf-8")
    block = re.search(r"<!-- table: begin -->\n```text\n(.*?)\n```", text, re.DOTALL)[1].split("\n")
    rows = []
    for line in block[4:]:
        cells = re.split(" {2,}", line.strip())
        if len(cells) == 8 and cells[0] == "O":
            rows.append(["", "", *cells, "", "", ""])
        elif len(cells) in (12, 13):
            rows.append([cells[0], *[""] * (13 - len(cells)), *cells[1:]])
    assert len(rows) > 30
    assert block[1 : 4 + len(rows)] == lines(benchmark_tables.COLUMNS, rows)


CELLS = st.text("abc 0123,.", max_size=40).map(str.strip)
COLUMNS = st.builds(
    Column,
    head=st.text("abc\n", min_size=1, max_size=8).filter(str.strip),
    group=st.sampled_from(["", "g", "hh"]),
    left=st.booleans(),
    limit=st.sampled_from([None, 3, 10]),
    rank=st.integers(1, 9),
    below=st.booleans(),
)


@given(
    first=st.builds(Column, st.just("name"), left=st.just(True)),
    more=st.lists(COLUMNS, min_size=2, max_size=8),
    data=st.data(),
)
def test_any_table_keeps_to_its_width_and_loses_only_what_may_be_left_out(first, more, data):
    columns = [first, *more]
    rows = data.draw(st.lists(st.tuples(*[CELLS] * len(columns)), min_size=1, max_size=5))
    whole = lines(columns, rows)
    assert len({len(line) for line in whole if "─" in line}) == 1
    assert all(
        cell in line for row, line in zip(rows[::-1], whole[::-1], strict=False) for cell in row
    )
    width = data.draw(st.integers(45, max(45, *map(len, whole))))
    made = lines(columns, rows, width)
    assert max(map(len, made)) <= width
    fit = text_tables.fitted(columns, rows, width)
    left = "\n".join(made)
    for row in rows:
        for number, (column, cell) in enumerate(zip(columns, row, strict=True)):
            if number in fit.shown or column.below:
                assert set(cell.split()) <= set(re.findall(r"[^\s:]+", left))
    missing = [c for i, c in enumerate(columns) if i not in fit.shown]
    if len(whole[0]) <= width and max(map(len, whole)) <= width:
        assert made == whole
    assert all(column.rank for column in missing)
