"""Creating HTML; everything that is not markup is escaped here and only here.

The page is built only from `element`, so names, texts and numbers in it can never open or close a
tag or an attribute.
"""

import base64
import math
import zlib
from collections.abc import Iterable
from html import escape


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


def table(heads: Iterable[object], *bodies: Markup, **attributes: object) -> Markup:
    """Return a table with one row of column headings; the bodies are `tbody`s, and what follows."""
    row = element("tr", *(element("th", head, scope="col") for head in heads))
    return element("table", element("thead", row), *bodies, **attributes)


def scrolling(content: Markup, label: str) -> Markup:
    """Return a region in which content that is too wide scrolls, also by the keyboard."""
    return element("div", content, class_="scroll", role="region", tabindex=0, aria_label=label)


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
    """Return bytes as compressed base-85 text that is safe within a script element.

    The encoding is that of `base64.b85encode` with a comma for <, so that nothing in it ends the
    element or opens a comment. The page's scripts unpack it, see page/shared/packed.js.
    """
    return Markup(base64.b85encode(zlib.compress(content, 9)).replace(b"<", b",").decode())
