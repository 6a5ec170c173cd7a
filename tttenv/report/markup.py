"""Creating HTML; everything that is not markup is escaped here and only here.

The page is built only from `element`, so names, texts and numbers in it can never open or close a
tag or an attribute.
"""

import math
import string
import zlib
from collections.abc import Iterable
from html import escape

import numpy as np

LETTERS = string.digits + string.ascii_uppercase + string.ascii_lowercase
DIGITS = f"{LETTERS}!#$%&()*+-;,=>?@^_`{{|}}~./:[]'".encode()  # of base 91


class Markup(str):
    """HTML that is inserted without escaping; only this module creates it."""

    __slots__ = ()


def element(tag: str, *content: object, **attributes: object) -> Markup:
    """Return an HTML element with its end tag; content that is not markup becomes escaped text.

    An underscore within an attribute's name becomes a hyphen, a trailing one is dropped.
    """
    said = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{text(value)}"'
        for name, value in attributes.items()
    )
    return Markup(f"<{tag}{said}>{joined(content)}</{tag}>")


def void(tag: str, **attributes: object) -> Markup:
    """Return an HTML element without content or end tag, with attributes as in `element`."""
    return Markup(element(tag, **attributes).removesuffix(f"</{tag}>"))


def joined(parts: Iterable[object]) -> Markup:
    """Concatenate parts: markup is kept, anything else becomes escaped text."""
    return Markup("".join(part if isinstance(part, Markup) else text(part) for part in parts))


def text(value: object) -> Markup:
    """Convert any value to escaped text, for content and attributes.

    Raises:
        ValueError: for a number that is not finite.
    """
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{value} is not a number that a page can show")
    return Markup(escape(str(value)))


def packed(content: bytes) -> Markup:
    """Return bytes as compressed base-91 text that is safe within a script element.

    Two digits stand for 13 bits; the first digit of all is the number of bits left over. There is
    no <, so nothing in it ends the element or opens a comment. The page's scripts unpack it, see
    page/shared/packed.js.
    """
    bits = np.unpackbits(np.frombuffer(zlib.compress(content, 9), np.uint8))
    left = -len(bits) % 13
    numbers = np.pad(bits, (0, left)).reshape(-1, 13) @ (1 << np.arange(13)[::-1])
    digits = [left, *np.stack([numbers // 91, numbers % 91], axis=1).ravel()]
    return Markup(np.frombuffer(DIGITS, np.uint8)[digits].tobytes().decode())
