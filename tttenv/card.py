"""A checkpoint's card: what the folder holds, where it came from, and whether it is whole.

A checkpoint is a folder with `card.json` (learner, preset, config, rules, steps, versions,
certificate, and the SHA-256 of the other files), `weights.safetensors` and, on games small enough
to enumerate, `policy.safetensors`: the player's probabilities over `positions(rules)`.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

CARD, POLICY, WEIGHTS = "card.json", "policy.safetensors", "weights.safetensors"
KEYS = {"learner", "preset", "config", "rules", "steps", "versions", "certificate", "files"}


def read_card(folder: Path) -> dict[str, Any]:
    """The card of the checkpoint in `folder`.

    Raises:
        ValueError: if the folder or its card is missing, or it is no card of a checkpoint.
    """
    file = folder / CARD
    if not file.is_file():
        raise ValueError(f"no checkpoint in {folder}: a checkpoint is a folder with a {CARD}")
    try:
        card = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ValueError(f"{file} cannot be read: {error}") from None
    whole = isinstance(card, dict) and card.keys() >= KEYS
    if not whole or not isinstance(card["files"], dict) or not isinstance(card["config"], dict):
        raise ValueError(f"{file} is not the card of a checkpoint: it needs {sorted(KEYS)}")
    found: dict[str, Any] = card
    return found


def read_file(folder: Path, card: dict[str, Any], name: str) -> bytes:
    """One file of the checkpoint, if it is the one the card was written for.

    Raises:
        ValueError: if it is missing or has other contents.
    """
    file = folder / name
    try:
        data = file.read_bytes()
    except OSError as error:
        raise ValueError(f"{file} cannot be read: {error.strerror}") from None
    if digest(data) != card["files"].get(name):
        raise ValueError(
            f"{file} is damaged or of another checkpoint: its SHA-256 is not the card's"
        )
    return data


def digest(data: bytes) -> str:
    """The SHA-256 of a file's contents, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()
