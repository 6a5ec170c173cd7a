"""Names, specs and options: which are accepted, and the errors for others."""

import math
import re
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tttenv.players import PLAYERS
from tttenv.utils.registry import Row, Table, call, parse

WORDS = st.text("abcxyz019_.-", min_size=1)
NESTED = st.recursive(
    WORDS,
    lambda inner: st.builds(
        lambda name, options: f"({write(name, options)})",
        WORDS,
        st.dictionaries(WORDS, inner, min_size=1, max_size=3),
    ),
    max_leaves=6,
)


def write(name, options):
    return name + ":" * bool(options) + ",".join(f"{o}={value}" for o, value in options.items())


@given(name=WORDS, options=st.dictionaries(WORDS, NESTED, max_size=3))
def test_a_spec_is_read_as_it_was_written_with_one_pair_of_parentheses_taken_off(name, options):
    bare = {o: value[1:-1] if value[0] == "(" else value for o, value in options.items()}
    assert parse(write(name, options)) == (name, bare)


@pytest.mark.parametrize("spec", ["a:b=(c", "a:b=c)", "a:b=)c(", "a:b=((c),d=e", "a:(b=c"])
def test_unbalanced_parentheses_are_refused(spec):
    with pytest.raises(ValueError, match="unbalanced parentheses"):
        parse(spec)


@pytest.mark.parametrize("spec", ["a:b", "a:b=", "a:=c", "a:b=c,", "a:b=c,,d=e", "a:b=c,d"])
def test_an_option_without_its_value_is_refused_with_the_grammar(spec):
    with pytest.raises(ValueError, match="options must be written option=value, not"):
        parse(spec)


TAKEN = "whole, real, word, yes, pick, maybe"


def make(
    given: str,
    whole: int = 1,
    real: float = 1.0,
    word: str = "w",
    yes: bool = False,
    pick: Literal["red", "blue"] = "red",
    maybe: int | None = None,
) -> tuple:
    return given, whole, real, word, yes, pick, maybe


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, ("g", 1, 1.0, "w", False, "red", None)),
        ({"whole": "-7", "real": "1e-3", "word": "7"}, ("g", -7, 0.001, "7", False, "red", None)),
        ({"yes": "true", "pick": "blue", "maybe": "3"}, ("g", 1, 1.0, "w", True, "blue", 3)),
        ({"yes": "false", "maybe": "none"}, ("g", 1, 1.0, "w", False, "red", None)),
    ],
)
def test_options_become_what_their_annotations_say(options, expected):
    found = call(make, "made", options, "g")
    assert found == expected
    assert [type(part) for part in found] == [type(part) for part in expected]


@pytest.mark.parametrize(
    ("option", "text", "message"),
    [
        ("whole", "1.5", "made: whole='1.5' is not a whole number"),
        ("real", "much", "made: real='much' is not a number"),
        ("yes", "1", "made: yes='1' is not true or false"),
        ("pick", "green", "made: pick='green' is not one of red, blue"),
        ("maybe", "x", "made: maybe='x' is not a whole number"),
        ("hole", "1", f"made has no option 'hole'; did you mean whole? it takes {TAKEN}"),
        ("given", "1", f"made has no option 'given'; it takes {TAKEN}"),
    ],
)
def test_a_wrong_option_is_answered_by_what_is_accepted(option, text, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        call(make, "made", {option: text}, "g")


def test_a_table_imports_nothing_until_a_row_is_used_and_lists_its_names():
    table = Table("thing", {"gone": Row("no.such.module:at_all", "-"), "pi": Row("math:pi", "-")})
    assert list(table) == ["gone", "pi"]
    assert table.load("pi") == math.pi
    with pytest.raises(ModuleNotFoundError):
        table.load("gone")
    with pytest.raises(ValueError, match="unknown thing 'tau'; known are gone, pi"):
        table.load("tau")


@pytest.mark.parametrize("name", list(PLAYERS))
def test_every_row_of_the_players_table_can_be_made_and_says_what_it_is_in_a_line(name):
    assert callable(PLAYERS.load(name))
    about = PLAYERS.rows[name].about
    assert 0 < len(about) <= 80
    assert "\n" not in about
