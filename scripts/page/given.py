"""JSON files with a list of rows that somebody names: read, or refused in a sentence."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def rows(file: Path, under: str, what: str, needed: Sequence[str]) -> list[dict[str, Any]]:
    """The rows of a file.

    Args:
        file: JSON, an object with a list of objects.
        under: the list's key.
        what: the rows are, for people.
        needed: keys that every row must have.

    Raises:
        ValueError: if the file holds something else.
    """
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        raise ValueError(f"{file} holds no {what}: it is not JSON") from None
    found = content.get(under) if isinstance(content, dict) else None
    if not isinstance(found, list):
        raise ValueError(f"{file} holds no {what}: there is no list {under!r} in it")
    for number, row in enumerate(found, start=1):
        lacking = [key for key in needed if not isinstance(row, dict) or key not in row]
        if lacking:
            raise ValueError(f"{file} holds no {what}: entry {number} lacks {', '.join(lacking)}")
    return found
