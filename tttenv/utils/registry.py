"""Registries of objects by name: where each is defined, and the options that it takes.

A row names its target as "module:attribute"; nothing is imported before it is used. A spec is
`name[:option=value[,option=value]]`, where a value in parentheses may itself be a spec.
"""

import difflib
import importlib
import inspect
import types
import typing
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, Literal, NewType, TypeVar

from tttenv.utils.untrusted import shown

_T = TypeVar("_T")
Spec = NewType("Spec", str)  # annotates an option or a field that names a player itself
LONGEST_NAME = 40  # characters of a name or value that a message repeats


@dataclass(frozen=True)
class Row:
    """An entry of a table: the module and name of an object, and a one-line description."""

    target: str  # "module:attribute"
    about: str  # one line for help texts


class Table(Generic[_T]):
    """A table of rows by name; `load` imports and returns the object of a row."""

    def __init__(self, kind: str, rows: dict[str, Row], otherwise: str = "") -> None:
        self.kind = kind  # of the objects, like "player", for messages
        self.rows = rows
        self.otherwise = otherwise  # for messages: what can be given instead of a name

    def __iter__(self) -> Iterator[str]:
        return iter(self.rows)

    def row(self, name: str) -> Row:
        """Return a row.

        Raises:
            ValueError: for an unknown name, with the closest one and all that are known.
        """
        if not isinstance(name, str) or name not in self.rows:
            known = [*self.rows, *[self.otherwise] * bool(self.otherwise)]
            raise ValueError(unknown(self.kind, name, self.rows, known))
        return self.rows[name]

    def load(self, name: str) -> _T:
        """Return the object of a row, importing its module.

        Raises:
            ValueError: for an unknown name, with the closest one and all that are known.
        """
        return typing.cast("_T", load(self.row(name).target))


def load(target: str) -> Any:
    """Return the object with the name "module:attribute", importing its module."""
    module, attribute = target.split(":")
    return getattr(importlib.import_module(module), attribute)


SYNONYMS = {  # what other packages call it, and its name here
    **dict.fromkeys(("learning", "learning_rate", "step_size", "alpha"), "lr"),
    **dict.fromkeys(("batch_size", "minibatch_size"), "batch"),
    **dict.fromkeys(("arena", "battle", "duel", "versus", "vs"), "match"),
    **{"tournament": "league", "eval": "certify", "evaluate": "certify", "benchmarks": "benchmark"},
}


def near(name: str, known: Iterable[str]) -> str | None:
    """Return the known name closest to `name`, or the only one that begins so, or None.

    Case is ignored. A synonym comes first, then a name with the same letters in another order.

    Args:
        name: what a user wrote, a command's option with its dashes.
        known: the names to choose from.
    """
    names = {other.lower(): other for other in known}
    wanted = name.lower()
    if len(wanted) > LONGEST_NAME:
        return None
    synonym = SYNONYMS.get(wanted.lstrip("-").replace("-", "_"), "")
    for other in (synonym, f"--{synonym}"):
        if synonym and other in names:
            return names[other]
    found = difflib.get_close_matches(wanted, names)
    found.sort(key=lambda other: sorted(other) != sorted(wanted))
    longer = [other for other in names if other.startswith(wanted)]
    if not found and len(longer) == 1 and len(wanted.lstrip("-")) > 2:
        found = longer
    return names[found[0]] if found else None


def unknown(
    kind: str, name: object, names: Iterable[str], listed: Iterable[str] | None = None
) -> str:
    """Return an error message for an unknown name, with the closest known one.

    Args:
        kind: of the objects, such as "player".
        name: the unknown name, of which the message repeats 40 characters.
        names: the known names.
        listed: what the message lists as known instead of `names`.
    """
    names = list(names)
    found = near(name, names) if isinstance(name, str) else None
    hint = f"did you mean {found}? " if found else ""
    known = ", ".join(names if listed is None else listed)
    return f"unknown {kind} {shown(repr(name), LONGEST_NAME)}; {hint}known are {known}"


def parse(spec: str) -> tuple[str, dict[str, str]]:
    """Split a spec into its name and its options, as text.

    Returns:
        The name, which may be unknown, and the options in their order; a value loses the outermost
        parentheses.

    Raises:
        ValueError: for an option that is not written option=value or is given twice, and for
            unbalanced parentheses.
    """
    name, _, rest = spec.partition(":")
    options = {}
    for part in _split(rest) if rest else []:
        option, equals, value = part.partition("=")
        if not equals or not option or not value:
            part, whole = (shown(repr(text), LONGEST_NAME) for text in (part, spec))
            hint = "" if equals else "; of commands, only doctor takes module:attribute"
            raise ValueError(f"options must be written option=value, not {part} in {whole}{hint}")
        if option in options:
            raise ValueError(f"an option is given twice in {shown(repr(spec), LONGEST_NAME)}")
        options[option] = value[1:-1] if value[0] == "(" and value[-1] == ")" else value
    return name, options


def _split(text: str) -> list[str]:
    """Split text at the commas outside all parentheses."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if depth < 0:
            break
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    if depth:
        raise ValueError(f"unbalanced parentheses in {shown(repr(text), LONGEST_NAME)}")
    return parts


def call(factory: Callable[..., _T], name: str, options: dict[str, str], *given: Any) -> _T:
    """Call `factory(*given, **options)` with each option converted to its annotated type.

    Args:
        factory: a function whose parameters after the `given` are options, all annotated.
        name: the factory's name in messages.
        options: texts by name, as of `parse`.
        *given: the first arguments.

    Raises:
        ValueError: for an option that it does not have, and a value that is not of its type.
    """
    hints = typing.get_type_hints(factory)
    known = list(inspect.signature(factory).parameters)[len(given) :]
    arguments = {}
    for option, text in options.items():
        if option not in known:
            hint = f"did you mean {found}? " if (found := near(option, known)) else ""
            raise ValueError(
                f"{name} has no option {shown(repr(option), LONGEST_NAME)}; {hint}it takes"
                f" {', '.join(known) or 'no options'}"
            )
        try:
            arguments[option] = convert(text, hints[option])
        except ValueError as error:
            value = shown(repr(text), LONGEST_NAME)
            raise ValueError(f"{name}: {option}={value} is not {error}") from None
    return factory(*given, **arguments)


def convert(text: str, hint: Any) -> Any:
    """Convert the text of an option to its annotated type.

    Args:
        text: as in a spec; "none" stands for None, "true" and "false" for truth values.
        hint: a Literal, bool, int, float, a union of one type and None, or another type that is
            made from text.

    Raises:
        ValueError: whose message is no sentence, but what was expected, such as "a number".
    """
    known: dict[str, Any] = {}
    kinds = typing.get_args(hint)
    if typing.get_origin(hint) is Literal:
        known = {str(choice): choice for choice in kinds}
        wanted = f"one of {', '.join(known)}"
    elif typing.get_origin(hint) in (types.UnionType, typing.Union):
        return None if text == "none" else convert(text, kinds[0])
    elif hint is bool:
        known, wanted = {"true": True, "false": False}, "true or false"
    else:
        wanted = {int: "a whole number", float: "a number"}.get(hint, "valid")
    try:
        return known[text] if known else hint(text)
    except (ValueError, KeyError):
        raise ValueError(wanted) from None
