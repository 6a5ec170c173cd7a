"""Suggestions for misspelt names of players."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tttenv.players.bundled import CARD
from tttenv.utils.registry import near


@contextmanager
def did_you_mean(spec: str) -> Iterator[None]:
    """In this block, the error about a misspelt folder of a checkpoint suggests the nearest one."""
    try:
        yield
    except ValueError as error:
        if (found := _near_folder(spec)) is None:
            raise
        raise ValueError(f"{error}; did you mean {found}?") from None


def _near_folder(spec: str) -> Path | None:
    """Return the checkpoint with the name nearest to this missing folder, if there is one."""
    name = spec.partition(":")[0]
    if "/" not in name or os.path.isfile(Path(name) / CARD):  # found, and refused for its contents
        return None
    home = Path(name).parent
    found = near(Path(name).name, [card.parent.name for card in home.glob(f"*/{CARD}")])
    return home / found if found else None
