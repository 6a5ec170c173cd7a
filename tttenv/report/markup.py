"""The one place where text becomes HTML: what is not markup already is escaped here.

A page is built from `element` alone, so a player's name, a file's words and numbers can never open
or close a tag or an attribute, whatever they hold.
"""

import json
import math
from collections.abc import Iterable
from html import escape
from typing import Any


class Markup(str):
    """HTML as it goes into the page; only this module makes it."""

    __slots__ = ()


def element(tag: str, *content: object, **attributes: object) -> Markup:
    """An element with its end tag.

    Args:
        tag: its name.
        content: markup as it is; anything else as its escaped text.
        attributes: an underscore within a name is a hyphen, one at its end is left out.

    Raises:
        ValueError: for a number that is not finite.
    """
    names = (name.rstrip("_").replace("_", "-") for name in attributes)
    values = (text(value) for value in attributes.values())
    said = "".join(f' {name}="{value}"' for name, value in zip(names, values, strict=True))
    return Markup(f"<{tag}{said}>{joined(content)}</{tag}>")


def void(tag: str, **attributes: object) -> Markup:
    """An element that holds nothing and has no end tag, as `element`."""
    return Markup(element(tag, **attributes).removesuffix(f"</{tag}>"))


def joined(parts: Iterable[object]) -> Markup:
    """The parts one after the other: markup as it is, anything else as its escaped text."""
    return Markup("".join(part if isinstance(part, Markup) else text(part) for part in parts))


def text(value: object) -> Markup:
    """Anything as escaped text, for between tags and for attributes.

    Raises:
        ValueError: for a number that is not finite.
    """
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{value} is no number that a page can show")
    return Markup(escape(str(value)))


def script_data(content: Any) -> Markup:
    """JSON that can stand in a script element, whatever its texts hold.

    JSON is written in ASCII, so line separators are escaped; without <, > and & nothing in it ends
    the element or opens a comment.

    Raises:
        ValueError: for numbers that are not finite.
    """
    written = json.dumps(content, separators=(",", ":"), allow_nan=False)
    for letter in "&<>":
        written = written.replace(letter, f"\\u{ord(letter):04x}")
    return Markup(written)
