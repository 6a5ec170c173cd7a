"""Tables in terminals of 80 columns and in pipes: unbroken, and no column lost silently."""

import contextlib
import io
import re
from types import SimpleNamespace

import all_tables
from all_tables import PROGRAMS
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from learners.cli import train
from learners.training.run import Schedule
from tttenv.cli import text_tables
from tttenv.cli.text_tables import Column, lines


def printed(patch, width=None):
    """Return all tables by name, as printed in a terminal of this width or in a pipe."""
    screen = io.StringIO()
    patch.setattr(screen, "isatty", lambda: width is not None)
    patch.setenv("COLUMNS", str(width or 80))
    with contextlib.redirect_stdout(screen):
        all_tables.measured()
        all_tables.exact()
        all_tables.helps()
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", screen.getvalue())
    return {part.partition("\n")[0]: part.partition("\n")[2] for part in text.split("@")[1:]}


def test_the_bar_of_a_training_that_ends_early_fits_80_columns():
    bar = train._Bar("a learner", Schedule(120_000, 50, 50, until="unbeatable"), quiet=True)
    numbers = {"sampled/value_vs_random_X": 1.0, "sampled/value_vs_random_O": 1.0}
    about = {"step": 100_000, "numbers": numbers, "in_a_row": {"unbeatable": 10}, "last": True}
    bar.evaluated(SimpleNamespace(**about))
    screen = Console(width=80, file=io.StringIO())
    screen.print(bar.progress.get_renderable())
    assert "100000/100000 0:00:00 unbeatable 10 times in a row" in screen.file.getvalue()


def test_no_table_is_wider_than_its_terminal_and_none_loses_words_silently(monkeypatch):
    shown, piped = printed(monkeypatch, 80), printed(monkeypatch)
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
