"""Loading dataclasses, such as learners' configs, from untrusted JSON."""

import typing
from collections.abc import Collection, Mapping
from typing import Any, TypeVar

from tttenv.players import checked_spec
from tttenv.utils.registry import Spec
from tttenv.utils.schema import checked

_T = TypeVar("_T")


def from_stored(
    kind: type[_T], stored: Mapping[str, Any], name: str, trusted: Collection[str] = ()
) -> _T:
    """Create a dataclass from its fields in JSON.

    Args:
        kind: the dataclass.
        stored: the fields by name, untrusted.
        name: begins messages.
        trusted: the fields that may name any player.

    Raises:
        ValueError: for unknown fields, values of other types, and unsafe players in other fields.
    """
    made = checked(kind, stored, name)
    for field, spec in named_players(made):
        if field not in trusted:
            try:
                checked_spec(spec)
            except ValueError as error:
                raise ValueError(f"{name}: {field}: {error}") from None
    return made


def named_players(config: Any) -> list[tuple[str, str]]:
    """Return the players that a dataclass names, as pairs of a field and a spec."""
    found = []
    for field in spec_fields(type(config)):
        value = getattr(config, field)
        specs = value if isinstance(value, tuple) else (value,)
        found += [(field, spec) for spec in specs if spec not in (None, "self")]
    return found


def spec_fields(kind: type) -> list[str]:
    """Return the names of a dataclass's fields that hold players' specs."""
    return [name for name, hint in typing.get_type_hints(kind).items() if _names_players(hint)]


def _names_players(hint: Any) -> bool:
    return hint is Spec or any(map(_names_players, typing.get_args(hint)))
