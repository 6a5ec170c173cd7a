"""Checked contents of JSON files from outside: rows, numbers, folders, or an error in one line."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeGuard

from tttenv.utils.untrusted import MEBIBYTE, parse_json, read_bytes, shown

LONGEST = 64 * MEBIBYTE  # bytes; the benchmark writes some 4,000 a training
LARGEST = 1e15  # numbers are below; a page shows no larger ones


def content(file: Path, what: str) -> dict[str, Any]:
    """Return the contents of a file, which must be an object.

    Args:
        file: JSON.
        what: the name of its contents in messages.

    Raises:
        ValueError: if the file holds something else, or is no regular file of bounded size.
    """
    name = shown(file)
    try:
        data = read_bytes(file, LONGEST)
    except FileNotFoundError:  # a link to nothing, too
        raise ValueError(f"{name} holds no {what}: there is no such file") from None
    try:
        found = parse_json(data, file)
    except ValueError:
        raise ValueError(f"{name} holds no {what}: it is not JSON") from None
    return found if isinstance(found, dict) else {}


def rows(file: Path, under: str, what: str, needed: Sequence[str]) -> list[dict[str, Any]]:
    """Return the rows of a file.

    Args:
        file: JSON, an object with a list of objects.
        under: the list's key.
        what: the name of the rows in messages.
        needed: keys that every row must have.

    Raises:
        ValueError: if the file holds something else, or is no regular file of bounded size.
    """
    return rows_of(content(file, what), file, under, what, needed)


def rows_of(
    found: dict[str, Any], file: Path, under: str, what: str, needed: Sequence[str]
) -> list[dict[str, Any]]:
    """Return the rows in the contents of a file, as `rows`."""
    name, listed = shown(file), found.get(under)
    if not isinstance(listed, list):
        raise ValueError(f"{name} holds no {what}: there is no list {under!r} in it")
    for number, row in enumerate(listed, start=1):
        lacking = [key for key in needed if not isinstance(row, dict) or key not in row]
        if lacking:
            raise ValueError(f"{name} holds no {what}: entry {number} lacks {', '.join(lacking)}")
    return listed


def is_number(value: object) -> TypeGuard[float]:
    """Return whether a value is a number that a page can show; booleans are not."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) < LARGEST


def folder(file: Path, named: str, homes: Sequence[Path]) -> Path:
    """Return a folder that a file names, if it lies within one of `homes`, following links.

    Raises:
        ValueError: if it lies elsewhere or is none.
    """
    try:
        place = Path(named).resolve()
        inside = any(place.is_relative_to(home.resolve()) for home in homes)
    except (OSError, RuntimeError, ValueError):  # a circle of links, a zero byte, a long name
        inside = False
    if not inside:
        within = " or ".join(dict.fromkeys(shown(home.resolve()) for home in homes))
        raise ValueError(f"{shown(file)} tells of {shown(named)}, which is not within {within}")
    return Path(named)
