"""Digests of a player's files, by which a player is recognised after an interruption."""

import hashlib
from pathlib import Path

from tttenv.players import checkpoint_of, inner_specs
from tttenv.players.bundled import CARD
from tttenv.utils.registry import parse
from tttenv.utils.untrusted import read_bytes

LARGEST_FILE = 2**31  # maximum bytes of a player's file


def digests(spec: str) -> list[str]:
    """Return the digests of the files named in a spec or its options.

    They identify the players of a spec; a checkpoint is identified by its card, which contains the
    digest of its weights. The behaviour of a program is not covered.
    """
    place = checkpoint_of(spec)
    if place is not None:
        return [hashlib.sha256(read_bytes(place[0] / CARD, LARGEST_FILE)).hexdigest()]
    name, options = parse(spec)
    inner, found = inner_specs(name, options), []
    for option, value in options.items():
        if option in inner:
            found += digests(value)
        elif _is_file(value):
            found.append(hashlib.sha256(read_bytes(Path(value), LARGEST_FILE)).hexdigest())
    return found


def _is_file(name: str) -> bool:
    try:
        return Path(name).is_file()
    except (OSError, ValueError):  # not a file name: too long, or with a null byte
        return False
