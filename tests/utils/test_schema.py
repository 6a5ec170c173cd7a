"""Validation of JSON values against types: accepted values, and messages about others."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal, NotRequired, TypedDict

import pytest

from tttenv.utils.schema import Between, checked, fits


@dataclass(frozen=True)
class Config:
    """Example of a learner's settings."""

    lr: float
    hidden: tuple[int, ...] = (8,)
    kind: Literal["a", "b"] = "a"


class Row(TypedDict):
    """Example of a file's row."""

    name: str
    seed: Annotated[int, Between(0, 9)]
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
    (Annotated[list[int], Between(1, 2)], [1, 2]),
    (tuple[int, str] | None, [1, "a"]),
    (list[Row], [{"name": "x", "seed": 9, "more": []}, {"name": "", "seed": 0, "seconds": None}]),
]
BAD = [
    (int, True, "it is True, not an integer"),
    (int, 3.0, "it is 3.0"),
    (float, False, "it is False"),
    (bool, 1, "it is 1, not true or false"),
    (int | None, "x", "it is 'x', not an integer or null"),
    (Literal["a", 1], True, "it is True, not 'a' or 1"),
    (dict[str, int], {"a": {}}, "a is {}"),
    (Annotated[str, Between(0, 2)], "abc", "it is 'abc'"),
    (Annotated[list[int], Between(1, 2)], [], "it is []"),
    (tuple[int, int], [1], "it is [1]"),
    (list[Row], {}, "it is {}"),
    (list[Row], [{"name": "x", "seed": 1}, 3], "[1] is 3"),
    (list[Row], [{"seed": 1}], "[0] lacks name"),
    (Row, {"name": "x", "seed": -1}, "seed is -1, not an integer, at least 0, at most 9"),
    (Row, {"name": "x", "seed": 1, "config": {}}, "config lacks lr"),
    (Config, {"lr": 1, "hidden": [8, "\x1b"]}, "hidden[1] is '\\x1b'"),
    (Config, {"lr": 1, "\x1b": 1}, "unknown field '\\x1b'"),
    (dict[str, int], {"\x1b[2J" * 99: "x"}, "\\x1b[2J"),
]


def test_values_of_their_types_are_converted():
    for kind, value in GOOD:
        made = checked(kind, value, "it")
        assert (list(made) if isinstance(made, tuple) else made) == value
        assert fits(kind, value)
    assert checked(Config, {"lr": 1, "hidden": [1, 2]}) == Config(1, (1, 2))
    (made,) = checked(list[Row], [{"name": "x", "seed": 1, "config": {"lr": 0.5}}])
    assert made["config"] == Config(0.5)


@pytest.mark.parametrize(("kind", "value", "told"), BAD, ids=str)
def test_another_value_is_refused_in_a_line_that_names_the_field(kind, value, told):
    with pytest.raises(ValueError, match=r"^file: ") as refusal:
        checked(kind, value, "file")
    assert told in str(refusal.value)
    assert str(refusal.value).isprintable()
    assert len(str(refusal.value)) < 300
    assert not fits(kind, value)
