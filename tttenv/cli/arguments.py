"""What is wrong with a command line, in one sentence that names the option and what it takes.

The parser says in terms of its own why it refuses something. This reads the same dataclass and the
same arguments once more, only after a refusal, and says it in terms of the user's.
"""

import dataclasses
import types
import typing
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import tyro

from tttenv.utils.registry import near
from tttenv.utils.untrusted import shown

LONGEST = 80  # characters of an argument that a sentence repeats
_NUMBERS = {int: "a whole number", float: "a number"}


@dataclass(frozen=True)
class Argument:
    """One argument of a script: a field of its dataclass."""

    name: str  # "--steps", or "PLAYER" where it stands without a name
    kind: Any  # its annotation
    positional: bool
    required: bool


def complaint(kind: Any, args: Sequence[str]) -> str | None:
    """The first thing that is wrong with the arguments, or None if nothing is found.

    Args:
        kind: the dataclass that they are read as; dataclasses among its fields are read flat.
        args: what was typed after the script's name.
    """
    known = list(_arguments(kind))
    named = {one.name: one for one in known if not one.positional}
    named |= {f"--no-{name[2:]}": one for name, one in named.items() if one.kind is bool}
    places = [one for one in known if one.positional]
    loose: list[str] = []
    rest = list(args)
    while rest:
        word, *rest = rest
        if word == "--":  # what follows is no option
            loose += rest
            break
        if not word.startswith("-") or _is_number(word) or word == "-":
            loose.append(word)
            continue
        name, equals, value = word.partition("=")
        found = named.get(name.replace("_", "-"))
        if found is None:
            return f"there is no option {_quoted(name, '')}{_did_you_mean(name, list(named))}"
        if found.kind is bool:
            if equals:
                return valued_flag(kind, [word])
            continue
        if equals:
            taken = [value]
        else:
            after = _values(rest)
            taken = after if _many(found.kind) else after[:1]
            rest = rest[len(taken) :]
        if wrong := _wrong(found, taken):
            return wrong
    return _misplaced(places, loose)


def valued_flag(kind: Any, args: Sequence[str]) -> str | None:
    """What is wrong with a flag that is given a value, which the parser takes for a player's name.

    Args:
        kind: the dataclass.
        args: what was typed after the script's name.
    """
    flags = {one.name for one in _arguments(kind) if one.kind is bool}
    flags |= {f"--no-{name[2:]}" for name in flags}
    for word in args:
        name, equals, value = word.partition("=")
        if equals and name.replace("_", "-") in flags:
            return f"{name} is on or off and takes no value, not {_quoted(value)}"
    return None


def _misplaced(places: list[Argument], loose: list[str]) -> str | None:
    """What is wrong with the arguments that stand without a name."""
    for place in places:
        taken = loose if _many(place.kind) else loose[:1]
        loose = loose[len(taken) :]
        if not taken and place.required:
            return f"{place.name} is required"
        if taken and (wrong := _wrong(place, taken)):
            return wrong
    return f"{_quoted(loose[0])} is one argument too many" if loose else None


def _wrong(argument: Argument, values: list[str]) -> str | None:
    """The sentence about an argument's values, or None where they are good."""
    inner = _inner(argument.kind)
    if not values:
        return None if _many(argument.kind) else f"{argument.name}: {_wanted(inner)} is missing"
    for value in values:
        if not _fits(argument.kind, value):
            choices = _choices(inner)
            also = " (or None)" if _optional(argument.kind) and choices else ""
            hint = _did_you_mean(value, choices)
            return f"{argument.name}: {_wanted(inner)}{also} is wanted, not {_quoted(value)}{hint}"
    return None


def _arguments(kind: Any) -> Iterator[Argument]:
    """The arguments of a dataclass, those of dataclasses within it among them."""
    hints = typing.get_type_hints(kind, include_extras=True)
    for field in dataclasses.fields(kind):
        hint, extras = _bare(hints[field.name])
        if dataclasses.is_dataclass(hint):
            yield from _arguments(hint)
            continue
        positional = any(_is_positional(extra) for extra in extras)
        required = (
            field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        )
        words = field.name.replace("_", "-")
        yield Argument(words.upper() if positional else f"--{words}", hint, positional, required)


def _bare(hint: Any) -> tuple[Any, tuple[Any, ...]]:
    """A type without what is annotated to it, and that."""
    if typing.get_origin(hint) is typing.Annotated:
        inner, *extras = typing.get_args(hint)
        return inner, tuple(extras)
    return hint, ()


def _is_positional(extra: Any) -> bool:
    """Whether an annotation makes an argument stand without a name."""
    return extra in typing.get_args(tyro.conf.Positional[str])[1:]


def _values(rest: list[str]) -> list[str]:
    """The words up to the next option."""
    for count, word in enumerate(rest):
        if word.startswith("-") and len(word) > 1 and not _is_number(word):
            return rest[:count]
    return rest


def _is_number(word: str) -> bool:
    return _converts(float, word)


def _inner(kind: Any) -> Any:
    """The type of one value: that of a tuple's members, and not None."""
    if isinstance(kind, types.UnionType) or typing.get_origin(kind) is typing.Union:
        return next(one for one in typing.get_args(kind) if one is not type(None))
    return typing.get_args(kind)[0] if _many(kind) else kind


def _many(kind: Any) -> bool:
    return typing.get_origin(kind) is tuple


def _optional(kind: Any) -> bool:
    return type(None) in typing.get_args(kind)


def _choices(inner: Any) -> list[str]:
    """The words that a type is one of; none where any may stand."""
    if typing.get_origin(inner) is Literal:
        return [str(choice) for choice in typing.get_args(inner)]
    return ["True", "False"] if inner is bool else []


def _fits(kind: Any, value: str) -> bool:
    """Whether a value can be read as its type."""
    inner = _inner(kind)
    if _optional(kind) and value == "None":
        return True
    if choices := _choices(inner):
        return value in choices
    return inner not in _NUMBERS or _converts(inner, value)


def _converts(kind: Any, value: str) -> bool:
    try:
        kind(value)
    except ValueError:
        return False
    return True


def _wanted(inner: Any) -> str:
    """What a type takes, in words."""
    if choices := _choices(inner):
        return f"one of {', '.join(choices)}"
    return _NUMBERS.get(inner, "a path" if inner is Path else "a value")


def _did_you_mean(word: str, known: list[str]) -> str:
    found = near(word, known)
    return f"; did you mean {found}?" if found else ""


def _quoted(word: str, mark: str = "'") -> str:
    return f"{mark}{shown(word, LONGEST)}{mark}"
