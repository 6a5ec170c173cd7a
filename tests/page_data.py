"""Reports of a few players, and the tables that a report's scripts unpack."""

import base64
import json
import zlib

from tttenv.cli import report


def unpacked(text):
    """Return the bytes of the text that `tttenv.report.markup.packed` made."""
    return zlib.decompress(base64.b85decode(text.replace(",", "<")))


def tables(text):
    """Return the contents of the page's element `data`."""
    return json.loads(unpacked(text))


def report_of(out, *players, **more):
    """Write a report of these players alone, and return what the command says of it."""
    none = out.with_name("none")
    return report.make(report.Arguments(players, none, out=out, **more))
