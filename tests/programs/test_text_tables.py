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


def printed(width=None, **more):
    """Return the output of all_tables.py by table, in a terminal of this width or in a pipe."""
    home = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES", "FORCE_COLOR")}
    home |= {"PYTHONPATH": str(ROOT), "TERM": "xterm", "PYTHONUTF8": "1", **more}
    command = [sys.executable, str(ROOT / "tests" / "all_tables.py")]
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
    shown, piped = printed(80), printed()
    assert shown.keys() == piped.keys() >= {f"{name} --help" for name in PROGRAMS}
    for name, text in shown.items():
        widths = [len(line) for line in text.split("\n")]
        assert 50 < max(widths) <= 80, name  # it uses the room there is
        assert "left out for want of room" not in piped[name]
        if "left out for want of room" not in text and "--help" not in name:
            assert sorted(re.sub(r"[\s─]", "", text)) == sorted(re.sub(r"[\s─]", "", piped[name]))
    assert "benchmark.json has all numbers" in shown["benchmark"].replace("\n", " ")


CELLS = st.text("abc 0123,.", max_size=40).map(str.strip)


@given(
    kinds=st.lists(st.tuples(st.booleans(), st.sampled_from(["", "g", "hh"])), max_size=8),
    data=st.data(),
)
def test_any_table_keeps_to_its_width_and_loses_only_columns_that_may_be_left_out(kinds, data):
    columns = [Column("name", left=True)]
    columns += [Column(f"a\nb{i}", group, left, i + 1) for i, (left, group) in enumerate(kinds)]
    rows = data.draw(st.lists(st.tuples(*[CELLS] * len(columns)), min_size=1, max_size=5))
    whole = lines(columns, rows)
    text = "\n".join(whole)
    assert all(cell in text for row in rows for cell in row)
    width = data.draw(st.integers(45, 120))
    made = lines(columns, rows, width)
    assert max(map(len, made)) <= width
    shown = text_tables.fitting(columns, rows, width)
    assert shown == list(range(len(shown)))  # the highest ranks go first
    left = "".join("\n".join(made).split())
    for row in rows:
        assert all(set(row[i]) - {" "} <= set(left) for i in shown)
    if max(map(len, whole)) <= width and len(shown) == len(columns):
        assert made == whole
