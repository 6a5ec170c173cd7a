"""Validation of JSON values against types: accepted values, and messages about others."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal, NotRequired, TypedDict

import pytest

from tttenv.utils.schema import Meta, checked


@dataclass(frozen=True)
class Config:
    """Example of a learner's settings."""

    lr: float
    hidden: tuple[int, ...] = (8,)
    kind: Literal["a", "b"] = "a"


class Row(TypedDict):
    """Example of a file's row."""

    name: str
    seed: Annotated[int, Meta(ge=0, le=9)]
    seconds: NotRequired[float | None]
    config: NotRequired[Config]


GOOD = [
    (int, 3),
    (float, 3),
    (bool, True),
    (Any, [{}]),
    (int | None, None),
    (Literal["a", 1], 1),
    (dict[str, int], {"a": 1}),
    (Annotated[list[int], Meta(max_length=2, min_length=1)], [1, 2]),
    (tuple[int, str] | None, [1, "a"]),
    (list[Row], [{"name": "x", "seed": 9}, {"name": "", "seed": 0, "seconds": None}]),
]
BAD = [
    (int, True, "Expected `int`, got `bool`"),
    (int, 3.0, "Expected `int`"),
    (float, False, "Expected `float`"),
    (bool, 1, "Expected `bool`"),
    (int | None, "x", "Expected `int | null`, got `str`"),
    (Literal["a", 1], True, "got `bool`"),
    (dict[str, int], {"a": {}}, "Expected `int`, got `object`"),
    (Annotated[str, Meta(max_length=2)], "abc", "of length <= 2"),
    (Annotated[list[int], Meta(min_length=1)], [], "of length >= 1"),
    (Annotated[float, Meta(ge=-1, le=1)], 10**400, "out of range"),
    (tuple[int, int], [1], "of length 2"),
    (list[Row], [{"name": "x", "seed": 1}, 3], "$[1]"),
    (list[Row], [{"seed": 1}], "`name` - at `$[0]`"),
    (Row, {"name": "x", "seed": -1}, "Expected `int` >= 0 - at `$.seed`"),
    (Row, {"name": "x", "seed": 1, "config": {}}, "missing required field `lr` - at `$.config`"),
    (Config, {"lr": 1, "hidden": [8, "\x1b"]}, "got `str` - at `$.hidden[1]`"),
    (Config, {"lr": 1, "hidden": [8] * 1001}, "hidden has more than 1,000 items"),
    (Config, {"lr": 1, "\x1b": 1}, "unknown field '\\x1b'"),
    (dict[str, int], {"\x1b[2J" * 99: "x"}, "Expected `int`, got `str`"),
]


def test_values_of_their_types_are_converted():
    for kind, value in GOOD:
        made = checked(kind, value, "it")
        assert (list(made) if isinstance(made, tuple) else made) == value
    assert checked(Config, {"lr": 1, "hidden": [1, 2]}) == Config(1, (1, 2))
    (made,) = checked(list[Row], [{"name": "x", "seed": 1, "config": {"lr": 0.5}, "more": 1}])
    assert made == {"name": "x", "seed": 1, "config": Config(0.5)}


@pytest.mark.parametrize(("kind", "value", "reason"), BAD, ids=str)
def test_another_value_is_refused_in_a_line_that_names_the_field(kind, value, reason):
    with pytest.raises(ValueError, match=r"^file: ") as refusal:
        checked(kind, value, "file")
    assert reason in str(refusal.value)
    assert str(refusal.value).isprintable()
    assert len(str(refusal.value)) < 300
