"""The tables that a report's scripts unpack."""

import base64
import json
import zlib


def unpacked(text):
    """The bytes that `tttenv.report.markup.packed` made text of."""
    return zlib.decompress(base64.b85decode(text.replace(",", "<")))


def tables(text):
    """The contents of the page's element `data`."""
    return json.loads(unpacked(text))
