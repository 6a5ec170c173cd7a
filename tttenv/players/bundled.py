"""Trained players that ship with the package, named after their folders."""

import re
from functools import cache
from pathlib import Path

CARD = "card.json"  # the file that marks a folder as a checkpoint
ON_THE_HUB = "hub:"  # prefix of specs of trained players on the Hugging Face Hub
GROUPS = ("", "larger")  # folders of players within the home
_NAME = re.compile(r"\w{1,80}", re.ASCII)


@cache
def home() -> Path:
    """Return the folder of the trained players: in the package, or beside it in a checkout."""
    package = Path(__file__).resolve().parents[1]
    inside = package / "trained"
    return inside if inside.is_dir() else package.parent / "checkpoints"


def names() -> list[str]:
    """Return the names of all trained players, those for 3,3,3 first."""
    return [
        card.parent.name for group in GROUPS for card in sorted((home() / group).glob(f"*/{CARD}"))
    ]


def folder(name: str) -> Path | None:
    """Return the checkpoint folder of a trained player, or None if no player has this name."""
    if not _NAME.fullmatch(name):
        return None
    found = (home() / group / name for group in GROUPS)
    return next((place for place in found if (place / CARD).is_file()), None)
