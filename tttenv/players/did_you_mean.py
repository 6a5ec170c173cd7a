"""Suggestions for misspelt names of players."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tttenv.players.bundled import CARD
from tttenv.utils.registry import near
from tttenv.utils.untrusted import shown

WEIGHTS = (".pt", ".pth", ".ckpt", ".h5", ".keras", ".npz", ".safetensors")  # network files


@contextmanager
def did_you_mean(spec: str) -> Iterator[None]:
    """Add suggestions to errors about unknown players that are raised in this block.

    For a misspelt checkpoint folder this is the closest one; for a network of another library, the
    player that loads it.
    """
    try:
        yield
    except ValueError as error:
        if words := _from_elsewhere(spec):
            raise ValueError(words) from None
        if (found := _near_folder(spec)) is None:
            raise
        raise ValueError(f"{error}; did you mean {found}?") from None


def _from_elsewhere(spec: str) -> str | None:
    """Return the right spec for a network file or an object in a module, or None."""
    ending, name = os.path.splitext(spec)[1].lower(), shown(spec)
    from tttenv.players import FOREIGN, PLAYERS, bundled  # which import what this module helps

    known = {*PLAYERS.rows, *FOREIGN.rows, *bundled.names()}
    if "=" in spec or spec.partition(":")[0] in known:
        return None
    if ending == ".onnx":
        return f"a network's file is named with its player: onnx:path={name}"
    if ending == ".zip":
        return f"a model of Stable-Baselines3 is named with its player: sb3:path={name},trust=true"
    if ending in WEIGHTS:
        return (
            f"{name} holds weights without their network: load both in Python and call"
            " tttenv.certify(rules, policy), or export the network to ONNX"
        )
    if re.fullmatch(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*", spec, re.ASCII):
        return (
            f"{name} is an object of a module: examine it with tttenv doctor {name}, certify it in"
            " Python with tttenv.certify(rules, policy)"
        )
    return None


def _near_folder(spec: str) -> Path | None:
    """Return the checkpoint folder with the name closest to this missing one, or None."""
    name = spec.partition(":")[0]
    if "/" not in name or os.path.isfile(Path(name) / CARD):  # found, and refused for its contents
        return None
    home = Path(name).parent
    found = near(Path(name).name, [card.parent.name for card in home.glob(f"*/{CARD}")])
    return home / found if found else None
