"""Validation of JSON values against types: accepted values, and messages about others."""

import json
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NotRequired, TypedDict

import pytest

from tttenv.utils import schema
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
    (float, 0.5),
    (str, ""),
    (bool, True),
    (Any, [{}]),
    (int | None, None),
    (Literal["a", 1], 1),
    (dict[str, int], {"a": 1}),
    (Annotated[str, Between(0, 2)], "ab"),
    (Annotated[list[int], Between(1, 2)], [1, 2]),
    (tuple[int, str] | None, [1, "a"]),
    (list[Row], [{"name": "x", "seed": 9, "more": []}, {"name": "", "seed": 0, "seconds": None}]),
]
BAD = [
    (int, True, "it is True, not an integer"),
    (int, 3.0, "it is 3.0, not an integer"),
    (float, False, "it is False, not a number"),
    (bool, 1, "it is 1, not true or false"),
    (int | None, "x", "it is 'x', not an integer or null"),
    (Literal["a", 1], True, "it is True, not 'a' or 1"),
    (dict[str, int], {"a": {}}, "a is {}, not an integer"),
    (Annotated[str, Between(0, 2)], "abc", "it is 'abc', not text of at most 2 characters"),
    (Annotated[int, Between(1, 9)], 10, "it is 10, not an integer from 1 to 9"),
    (Annotated[list[int], Between(1, 2)], [], "it is [], not a list from 1 to 2 items"),
    (tuple[int, int], [1], "it is [1], not a list"),
    (list[Row], {}, "it is {}, not a list"),
    (list[Row], [{"name": "x", "seed": 1}, 3], "[1] is 3, not an object"),
    (list[Row], [{"seed": 1}], "[0] lacks name"),
    (Row, {"name": "x", "seed": -1}, "seed is -1, not an integer from 0 to 9"),
    (Row, {"name": "x", "seed": 1, "config": {}}, "config lacks lr"),
    (Config, {"lr": 1, "hidden": [8, "\x1b"]}, "hidden[1] is '\\x1b', not an integer"),
    (Config, {"lr": 1, "\x1b": 1}, "it has no field '\\x1b'"),
    (dict[str, int], {"\x1b[2J" * 99: "x"}, "\\x1b[2J"),
]


@pytest.mark.parametrize(("kind", "value"), GOOD, ids=str)
def test_a_value_of_its_type_is_taken(kind, value):
    made = checked(kind, value, "it")
    assert (list(made) if isinstance(made, tuple) else made) == value
    assert fits(kind, value)


@pytest.mark.parametrize(("kind", "value", "told"), BAD, ids=str)
def test_another_value_is_refused_in_a_line_that_names_the_field(kind, value, told):
    with pytest.raises(ValueError, match=r"^file: ") as refusal:
        checked(kind, value, "file")
    assert told in str(refusal.value)
    assert str(refusal.value).isprintable()
    assert len(str(refusal.value)) < 300
    assert not fits(kind, value)


def test_a_dataclass_is_made_with_its_defaults():
    assert checked(Config, {"lr": 1, "hidden": [1, 2]}) == Config(1, (1, 2))
    (made,) = checked(list[Row], [{"name": "x", "seed": 1, "config": {"lr": 0.5}}])
    assert made["config"] == Config(0.5)


def test_a_file_is_read_as_its_type(tmp_path):
    file = tmp_path / "rows.json"
    with pytest.raises(ValueError, match=r"rows.json holds no rows: there is no such file"):
        schema.read(file, list[Row], "rows")
    file.write_text("[")
    with pytest.raises(ValueError, match=r"rows.json holds no rows: it is not JSON"):
        schema.read(file, list[Row], "rows")
    file.write_text(json.dumps([{"name": "x", "seed": "1"}]))
    with pytest.raises(ValueError, match=r"rows.json holds no rows: \[0\].seed is '1', not an int"):
        schema.read(file, list[Row], "rows")
    with pytest.raises(ValueError, match="too large"):
        schema.read(file, list[Row], "rows", limit=5)
