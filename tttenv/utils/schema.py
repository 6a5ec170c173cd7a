"""Validating untrusted JSON against Python types, with one-line errors.

    class Row(TypedDict):
        learner: str
        seed: Annotated[int, Between(0, 1000)]
        seconds: NotRequired[float | None]

    rows = read(Path("results.json"), list[Row], "results")

A type is a dataclass, a TypedDict, `list[...]`, `tuple[...]`, `dict[str, ...]`, `Literal[...]`, a
union, `int`, `float`, `str`, `bool`, `None` or `Any`. An integer is a float too; a boolean is
neither. A dataclass is made from an object with its fields and no others; a TypedDict may have
further keys.
"""

import math
import types
import typing
from dataclasses import MISSING, fields, is_dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias, TypeVar

from tttenv.utils.arrays import described
from tttenv.utils.untrusted import MEBIBYTE, parse_json, read_bytes, shown

_T = TypeVar("_T")
LONGEST = 64 * MEBIBYTE  # bytes; the benchmark writes some 4,000 a training
LONGEST_TUPLE = 1000  # items, such as layers of a network
REPEATED = 80  # characters of the place of a value in a message
UNIONS = (types.UnionType, typing.Union)
PLAINLY = {str: "text", int: "an integer", float: "a number", bool: "true or false"}
PLAINLY |= {types.NoneType: "null"}


class Between(NamedTuple):
    """Bounds, both inclusive, of a number, or of the length of a text, list or object."""

    least: float
    most: float


LARGEST = 10**15 - 1  # of the numbers below; a page shows no larger ones
Number: TypeAlias = Annotated[float, Between(-LARGEST, LARGEST)]
NonNegative: TypeAlias = Annotated[float, Between(0, LARGEST)]
Count: TypeAlias = Annotated[int, Between(0, LARGEST)]


class _Mismatch(ValueError):  # noqa: N818
    """Raised if a value does not match its type; `place` is its path."""

    def __init__(self, place: str, what: str) -> None:
        super().__init__(f"{shown(place, REPEATED) or 'it'} {what}")
        self.place = place


def read(file: Path, kind: type[_T], what: str, limit: int = LONGEST) -> _T:
    """Read an untrusted JSON file of bounded size, validated against a type.

    `what` names its content in messages, such as "results of a sweep".
    """
    refusal = f"{shown(file)} holds no {what}"
    try:
        data = read_bytes(file, limit)
    except FileNotFoundError:  # a link to nothing, too
        raise ValueError(f"{refusal}: there is no such file") from None
    try:
        content = parse_json(data, file)
    except ValueError:
        raise ValueError(f"{refusal}: it is not JSON") from None
    return checked(kind, content, refusal)


def checked(kind: type[_T], value: Any, name: str = "") -> _T:
    """Validate a JSON value against a type and convert it; `name` begins messages, if given."""
    try:
        return typing.cast("_T", _value(value, kind, ""))
    except _Mismatch as error:
        raise ValueError(f"{name}: {error}" if name else str(error)) from None


def fits(kind: Any, value: Any) -> bool:
    """Return whether a JSON value matches a type."""
    try:
        _value(value, kind, "")
    except _Mismatch:
        return False
    return True


_hints = lru_cache(maxsize=256)(partial(typing.get_type_hints, include_extras=True))


def _value(value: Any, hint: Any, place: str) -> Any:
    """Convert a JSON value to its type; `place` is its path, for messages."""
    hint = getattr(hint, "__supertype__", hint)  # of a NewType
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any:
        return value
    if origin is typing.NotRequired:
        return _value(value, inner[0], place)
    if origin is Annotated:
        made = _value(value, inner[0], place)
        size = made if isinstance(made, int | float) else len(made)
        if not all(low <= size <= high for low, high in inner[1:]):
            raise _wrong(value, hint, place)
        return made
    if origin is Literal:
        if (type(value), value) not in [(type(choice), choice) for choice in inner]:
            raise _wrong(value, hint, place)
        return value
    if origin in UNIONS:
        return _either(value, hint, place)
    if origin is list:
        items = _of_type(value, list, hint, place)
        return [_value(item, inner[0], f"{place}[{i}]") for i, item in enumerate(items)]
    if origin is tuple:
        items = list(value) if isinstance(value, tuple) else _of_type(value, list, hint, place)
        kinds = inner[:1] * len(items) if inner[-1] is Ellipsis else inner
        if len(kinds) != len(items) or len(items) > LONGEST_TUPLE:
            raise _wrong(value, hint, place)
        return tuple(_value(items[i], kind, f"{place}[{i}]") for i, kind in enumerate(kinds))
    if origin is dict:
        content = _of_type(value, dict, hint, place)
        return {key: _value(v, inner[1], _at(place, key)) for key, v in content.items()}
    if is_dataclass(hint) or typing.is_typeddict(hint):
        return _object(_of_type(value, dict, hint, place), hint, place)
    if origin is None and isinstance(hint, type):  # of others a dataclass itself has to judge
        return _of_type(value, hint, hint, place)
    return value


def _object(value: dict[str, Any], hint: Any, place: str) -> Any:
    """Convert a JSON object to a dataclass or a TypedDict."""
    hints, strict = _hints(hint), is_dataclass(hint)
    if strict:
        needed = {f.name for f in fields(hint) if f.default is f.default_factory is MISSING}
    else:
        needed = hint.__required_keys__
    if strict and (odd := [key for key in value if key not in hints]):
        raise _Mismatch(place, f"has an unknown field {shown(repr(odd[0]), REPEATED)}")
    if lacking := [key for key in hints if key in needed and key not in value]:
        raise _Mismatch(place, f"lacks {', '.join(lacking)}")
    known = {key: _value(value[key], hints[key], _at(place, key)) for key in hints if key in value}
    if not strict:
        return value | known
    try:
        return hint(**known)
    except (TypeError, OverflowError) as error:
        raise _Mismatch(place, f"is invalid: {shown(error)}") from None


def _either(value: Any, hint: Any, place: str) -> Any:
    """Convert a value to the first matching type of a union."""
    wrong = [_wrong(value, hint, place)]
    for kind in typing.get_args(hint):
        try:
            return _value(value, kind, place)
        except _Mismatch as error:
            wrong.append(error)
    raise max(wrong, key=lambda error: len(error.place))  # the deepest


def _of_type(value: Any, kind: type, hint: Any, place: str) -> Any:
    allowed = (int, float) if kind is float else kind
    if not isinstance(value, allowed) or (isinstance(value, bool) and kind is not bool):
        raise _wrong(value, hint, place)
    return value


def _wrong(value: Any, hint: Any, place: str) -> _Mismatch:
    return _Mismatch(place, f"is {described(value)}, not {_in_words(hint)}")


def _in_words(hint: Any) -> str:
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin is Annotated:
        (low, high), words = inner[1], _in_words(inner[0])
        unit = "" if inner[0] in (int, float) else " long"
        most = "" if high == math.inf else f", at most {high:,}{unit}"
        return f"{words}, at least {low:,}{unit}{most}"
    if origin is Literal:
        return " or ".join(map(repr, inner))
    if origin in UNIONS:
        return " or ".join(dict.fromkeys(map(_in_words, inner)))
    return "a list" if origin in (list, tuple) else PLAINLY.get(hint, "an object")


def _at(place: str, key: str) -> str:
    return f"{place}.{key}" if place else key
