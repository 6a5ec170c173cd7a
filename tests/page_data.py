"""Tables that a report's scripts unpack."""

import base64
import json
import zlib


def unpacked(text):
    """Return the bytes of the text that `tttenv.report.markup.packed` made."""
    return zlib.decompress(base64.b85decode(text.replace(",", "<")))


def tables(text):
    """Return the contents of the page's element `data`."""
    return json.loads(unpacked(text))
