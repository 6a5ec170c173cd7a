"""Untrusted data: regular files of bounded size, JSON, text for messages and names.

A checkpoint, a results file or a curve may come from an untrusted source or be damaged. Every
function here either succeeds or raises a ValueError of one line that names the file.
"""

import contextlib
import hashlib
import json
import math
import os
import re
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Any

MEBIBYTE = 2**20
LONGEST_JSON = 4 * MEBIBYTE  # bytes; a card has some 2,000
LONGEST_NAME = 100  # characters of a file name before its digest
QUOTED = 300  # characters of a file that a message repeats, at most


def shown(text: object, limit: int = QUOTED) -> str:
    """Return untrusted text in printable form: control characters escaped, length limited."""
    whole = str(text)
    made = whole[:limit]
    if not made.isprintable():
        parts = [c if c.isprintable() else c.encode("unicode_escape").decode() for c in made]
        made = "".join(parts)
    return made if len(made) <= limit and len(whole) <= limit else made[: limit - 3] + "..."


def file_name(text: str) -> str:
    """Return a valid file name for a text, without an ending; different texts have different names.

    It is the text itself if that is short and plain, else a part of it and a digest.
    """
    plain = re.sub(r"[^\w.=,-]+", "-", text, flags=re.ASCII)[:LONGEST_NAME]
    if plain == text:
        return text
    return f"{plain}-{hashlib.sha256(text.encode(errors='surrogatepass')).hexdigest()[:16]}"


def read_bytes(file: Path, limit: int) -> bytes:
    """Return the contents of a regular file of at most `limit` bytes, following links.

    A named pipe, a device or a socket is refused without being read or waited for.

    Raises:
        FileNotFoundError: if there is no such file.
        ValueError: if it is larger, not regular or cannot be read.
    """
    try:
        flags = getattr(os, "O_NONBLOCK", 0)
        with open(file, "rb", opener=lambda path, mode: os.open(path, mode | flags)) as stream:
            status = os.fstat(stream.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise ValueError("it is not a regular file")
            if status.st_size > limit:
                raise ValueError(f"{status.st_size:,} bytes, too large: the limit is {limit:,}")
            return stream.read(limit)
    except FileNotFoundError:
        raise
    except (OSError, ValueError) as error:  # a name may hold a zero byte
        reason = getattr(error, "strerror", None) or first_line(error)
        raise ValueError(f"{shown(file)} cannot be read: {reason}") from None


def parse_json(data: bytes, name: object, finite: bool = True) -> Any:
    """Parse JSON text.

    Args:
        data: the text in UTF-8, with or without a byte order mark.
        name: its file's, for the message.
        finite: whether infinities and NaN are refused.

    Raises:
        ValueError: unless it is JSON that is not nested too deeply.
    """
    try:
        text = data.decode("utf-8-sig")
        if not finite:
            return json.loads(text)
        return json.loads(text, parse_constant=_finite, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{shown(name)} is not JSON: {shown(first_line(error))}") from None


def read_json(file: Path) -> Any:
    """Return the value of a JSON file; see `read_bytes` and `parse_json`."""
    return parse_json(read_bytes(file, LONGEST_JSON), file)


def folder_within(file: Path, named: str, homes: Sequence[Path]) -> Path:
    """Return a folder that a file names, which lies within one of the allowed ones.

    Args:
        file: the file, for the message.
        named: the folder's path in it, relative to the working directory.
        homes: the allowed folders; links are followed before they are compared.

    Raises:
        ValueError: if it lies elsewhere, or is no path.
    """
    with contextlib.suppress(OSError, RuntimeError, ValueError):  # a circle of links, a long name
        if any(Path(named).resolve().is_relative_to(home.resolve()) for home in homes):
            return Path(named)
    within = " or ".join(dict.fromkeys(shown(home.resolve()) for home in homes))
    raise ValueError(f"{shown(file)} names {shown(named)}, which is not within {within}")


def first_line(error: BaseException) -> str:
    """Return the first line of an error's message, or the error's type if it is empty."""
    return (str(error).splitlines() or [type(error).__name__])[0]


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{shown(text, 40)} is not a finite number")
    return number
