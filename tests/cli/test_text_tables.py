"""Tables in terminals of 80 columns and in pipes: unbroken, and no column lost silently."""

import io
import re
import sys

import all_tables
from hypothesis import given
from hypothesis import strategies as st

from tttenv.cli import text_tables
from tttenv.cli.text_tables import Column, lines


def printed(monkeypatch, terminal):
    """Return what all_tables.py prints, by table, in a terminal of 80 columns or in a pipe."""
    page = io.StringIO()
    monkeypatch.setattr(page, "isatty", lambda: terminal)
    monkeypatch.setattr(sys, "stdout", page)
    for name, value in (("COLUMNS", "80"), ("TERM", "xterm"), ("NO_COLOR", "1")):
        monkeypatch.setenv(name, value)
    for part in (all_tables.measured, all_tables.exact, all_tables.helps):
        part()
    parts = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", page.getvalue()).split("@")[1:]
    return {part.partition("\n")[0]: part.partition("\n")[2] for part in parts}


def test_no_table_is_wider_than_its_terminal_and_none_loses_words_silently(monkeypatch):
    shown, piped = printed(monkeypatch, terminal=True), printed(monkeypatch, terminal=False)
    assert shown.keys() == piped.keys() >= {f"{name} --help" for name in all_tables.PROGRAMS}
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
