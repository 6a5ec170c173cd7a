"""Reports of a few players, their elements, and the tables that their scripts unpack."""

import json
import shutil
import zlib
from html.parser import HTMLParser
from typing import NamedTuple

from tttenv.cli import report
from tttenv.report.markup import DIGITS


def unpacked(text):
    """Return the bytes of the text that `tttenv.report.markup.packed` made."""
    left, *digits = (DIGITS.index(letter) for letter in text.encode())
    numbers = (91 * high + low for high, low in zip(digits[::2], digits[1::2], strict=True))
    bits = "".join(f"{number:013b}" for number in numbers)
    count = (len(bits) - left) // 8
    return zlib.decompress(int(bits[: 8 * count], 2).to_bytes(count, "big"))


def tables(text):
    """Return the contents of the page's element `data`."""
    return json.loads(unpacked(text))


def report_of(out, *players, **more):
    """Write a report of these players alone, and return what the command says of it."""
    none = out.with_name("none")
    return report.make(report.Arguments(players, none, out=out, **more))


def with_card(folder, place, **changed):
    """Return a copy of a checkpoint with other entries in its card."""
    shutil.copytree(folder, place)
    card = json.loads((place / "card.json").read_text()) | changed
    (place / "card.json").write_text(json.dumps(card))
    return place


class Part(NamedTuple):
    """Part of a page: a tag, a text in the element of this tag, a comment or a declaration."""

    kind: str
    tag: str
    text: str = ""
    attributes: dict[str, str | None] = {}


class _Parser(HTMLParser):
    def __init__(self):
        super().__init__()
        self.parts = []
        self.within = ""

    def handle_starttag(self, tag, attributes):
        self.within = tag
        self.parts.append(Part("start", tag, attributes=dict(attributes)))

    def handle_endtag(self, tag):
        self.within = ""
        self.parts.append(Part("end", tag))

    def handle_comment(self, data):
        self.parts.append(Part("comment", ""))

    def handle_decl(self, decl):
        self.parts.append(Part("declaration", decl))

    def handle_data(self, data):
        before = self.parts.pop().text if self.parts and self.parts[-1].kind == "text" else ""
        self.parts.append(Part("text", self.within, before + data))


def parsed(page):
    """Return the parts of a page in order."""
    parser = _Parser()
    parser.feed(page)
    parser.close()
    return parser.parts
