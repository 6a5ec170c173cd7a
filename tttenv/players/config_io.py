"""Loads dataclasses from JSON, checking field names, types and named players."""

import contextlib
import types
import typing
from collections.abc import Collection, Mapping
from dataclasses import fields
from typing import Any, Literal, TypeVar

from tttenv.players import checked_spec
from tttenv.utils.registry import Spec
from tttenv.utils.untrusted import shown

_T = TypeVar("_T")
LONGEST = 1000  # items of a tuple
REPEATED = 80  # characters of a value in a message


def from_stored(
    kind: type[_T], stored: Mapping[str, Any], name: str, trusted: Collection[str] = ()
) -> _T:
    """Return a dataclass, such as a learner's Config, from its fields in JSON.

    Args:
        kind: the dataclass.
        stored: its fields by name; those left out take their defaults.
        name: of the learner or file, for the message.
        trusted: fields that may name any player, because the user named the same one.

    Raises:
        ValueError: for an unknown field, a value of another kind, or a player that a file may not
            name.
    """
    hints = typing.get_type_hints(kind)
    known = {field.name for field in fields(kind)}  # type: ignore[arg-type]  # a dataclass
    values = {}
    for field, value in stored.items():
        if field not in known:
            raise ValueError(f"{name} has no setting {shown(repr(field), REPEATED)}")
        try:
            values[field] = _value(value, hints[field], field in trusted)
        except _WrongKind:
            raise ValueError(f"{name}: {field} is not {shown(repr(value), REPEATED)}") from None
        except ValueError as error:
            raise ValueError(f"{name}: {field}: {error}") from None
    try:
        return kind(**values)
    except (TypeError, OverflowError) as error:
        raise ValueError(f"{name} cannot be set so: {shown(error)}") from None


def spec_fields(kind: type) -> list[str]:
    """Return the fields of a dataclass that name players."""
    return [name for name, hint in typing.get_type_hints(kind).items() if _names_players(hint)]


class _WrongKind(Exception):  # noqa: N818  # never leaves this module
    """The value has another type than the field."""


def _names_players(hint: Any) -> bool:
    return hint is Spec or any(map(_names_players, typing.get_args(hint)))


def _value(value: Any, hint: Any, trusted: bool) -> Any:
    """Convert a value to the type of its field."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if hint is Spec:
        if not isinstance(value, str):
            raise _WrongKind
        return value if trusted or value == "self" else checked_spec(value)
    if origin is Literal:
        if not any(value == choice and type(value) is type(choice) for choice in inner):
            raise _WrongKind
        return value
    if origin in (types.UnionType, typing.Union):
        for kind in inner:
            with contextlib.suppress(_WrongKind):
                return _value(value, kind, trusted)
        raise _WrongKind
    if origin is tuple:
        if not isinstance(value, list | tuple) or len(value) > LONGEST:
            raise _WrongKind
        kinds = [inner[0]] * len(value) if inner[-1] is Ellipsis else list(inner)
        if len(kinds) != len(value):
            raise _WrongKind
        return tuple(_value(item, kind, trusted) for item, kind in zip(value, kinds, strict=True))
    if origin is None and isinstance(hint, type):  # of others the dataclass itself has to judge
        wanted = (int, float) if hint is float else hint
        if not isinstance(value, wanted) or (isinstance(value, bool) and hint is not bool):
            raise _WrongKind
    return value
