"""Tables in terminals of 80 columns and in pipes: unbroken, and no column lost silently."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

from all_tables import PROGRAMS
from hypothesis import given
from hypothesis import strategies as st

from tttenv.cli import text_tables
from tttenv.cli.text_tables import Column, lines

ROOT = Path(__file__).parents[2]


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


def test_no_table_is_wider_than_its_terminal_and_none_loses_words_silently():
    shown, piped, wide = printed(80), printed(), printed(80, wide=True)
    assert shown.keys() == piped.keys() >= {f"{name} --help" for name in PROGRAMS}
    for name, text in shown.items():
        widths = [len(line) for line in text.split("\n")]
        assert 50 < max(widths) <= 80, name  # it uses the room there is
        assert "left out for want of room" not in piped[name]
        words, whole = (set(re.findall(r"[\w./%+-]+", part)) for part in (text, piped[name]))
        if "left out for want of room" not in text and "--help" not in name:
            assert words ^ whole <= {"losing", "line", "beside"}, name  # heads of what went below
    assert "--wide shows them" in shown["benchmark"].replace("\n", " ")
    rows = re.findall(r"^ \S+ .* (?:yes|no|-)$", piped["benchmark"], re.MULTILINE)
    assert len(rows) > 10
    assert set(rows) <= set(wide["benchmark"].split("\n"))


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
