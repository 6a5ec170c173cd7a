"""Validating untrusted JSON against Python types with msgspec, with one-line errors.

    class Row(TypedDict):
        learner: str
        seed: Annotated[int, Meta(ge=0, le=1000)]
        seconds: NotRequired[float | None]

    rows = read(Path("results.json"), list[Row], "results")

An integer is a float too; a boolean is neither.
"""

from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, TypeAlias, TypeVar

from msgspec import Meta as Meta  # the bounds of a type
from msgspec import ValidationError, convert

from tttenv.utils.untrusted import MEBIBYTE, parse_json, read_bytes, shown

_T = TypeVar("_T")
LONGEST = 64 * MEBIBYTE  # bytes; the benchmark writes some 4,000 a training
LONGEST_FIELD = 1000  # items of a dataclass's field, such as layers of a network
REPEATED = 80  # characters of a name in a message

LARGEST = 10**15 - 1  # of the numbers below; a page shows no larger ones
Number: TypeAlias = Annotated[float, Meta(ge=-LARGEST, le=LARGEST)]
NonNegative: TypeAlias = Annotated[float, Meta(ge=0, le=LARGEST)]
Count: TypeAlias = Annotated[int, Meta(ge=0, le=LARGEST)]


def read(file: Path, kind: type[_T], what: str) -> _T:
    """Read an untrusted JSON file, validated against a type.

    Args:
        file: a regular file of at most 64 MiB.
        kind: the type of its value; see `checked`.
        what: what messages call its content.

    Raises:
        ValueError: if there is no such file, or it holds anything else.
    """
    refusal = f"{shown(file)} holds no {what}"
    try:
        content = parse_json(read_bytes(file, LONGEST), file)
    except FileNotFoundError:  # a link to nothing, too
        raise ValueError(f"{refusal}: there is no such file") from None
    return checked(kind, content, refusal)


def checked(kind: type[_T], value: Any, name: str = "") -> _T:
    """Validate a JSON value against a type and convert it.

    Args:
        kind: a type that msgspec knows. A dataclass is made from an object with its fields and no
            others; further keys of a TypedDict are left out.
        value: a value as `parse_json` returns it.
        name: begins the message, if given.

    Raises:
        ValueError: unless the value is of this type, where a field of a dataclass holds at most
            1,000 items.
    """
    try:
        if is_dataclass(kind) and isinstance(value, dict):
            if odd := sorted(value.keys() - {field.name for field in fields(kind)}):
                raise ValueError(f"unknown field {shown(repr(odd[0]), REPEATED)}")
            for key, part in value.items():
                if isinstance(part, list | tuple) and len(part) > LONGEST_FIELD:
                    raise ValueError(f"{key} has more than {LONGEST_FIELD:,} items")
        return convert(value, kind)
    except (ValidationError, ValueError, OverflowError) as error:
        reason = shown(error, 2 * REPEATED)
        raise ValueError(f"{name}: {reason}" if name else reason) from None
