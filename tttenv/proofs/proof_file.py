"""Proof files: a position, the claims about it and the numbers that prove them.

One safetensors file: metadata of texts, and an int16 array for each side whose attack is judged, as
`tttenv.proofs.steps_kernel` describes it.
"""

import hashlib
import lzma
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save

from tttenv.game.rules import Rules, require_line_wins
from tttenv.game.types import Boards
from tttenv.utils import files
from tttenv.utils.tensor_file import header
from tttenv.utils.untrusted import read_bytes, shown

KIND = "proof of an m,n,k-game's value, 4"
BEFORE = "proof of an m,n,k-game's value, 3"  # the same without marks
LARGEST = 2**31  # bytes of a proof
COMPRESSED, MEMORY = ".xz", 2**27  # the suffix of compressed files, bytes to decompress one
WINS, HELD, STEALING = "wins", "does not win", "does not win: strategy stealing"
CLAIMS = {1: {"X": WINS}, 0: {"X": HELD, "O": HELD}, -1: {"O": WINS}}  # by value


@dataclass(frozen=True, eq=False)
class Claim:
    """A claim about one side's attack."""

    says: str  # WINS, HELD or STEALING
    numbers: NDArray[np.int16]  # (length,); none for STEALING
    positions: int  # that the numbers lead through


@dataclass(frozen=True, eq=False)
class Content:
    """The contents of a proof file: its format has been checked, but not the proof."""

    rules: Rules
    board: Boards  # (cells,), seen by the side to move
    value: int
    claims: Mapping[str, Claim]  # by attacker: "X" or "O"
    digest: str  # SHA-256 of the file, in hexadecimal


def write(file: Path, rules: Rules, board: Boards, value: int, claims: Mapping[str, Claim]) -> None:
    """Write a proof file atomically.

    Args:
        file: its path; an existing file is replaced. One that ends with .xz is compressed.
        rules: the game.
        board: the position (cells,), seen by the side to move.
        value: for X: 1, 0 or -1.
        claims: those that prove it, by attacker; see `CLAIMS`.
    """
    metadata = {"kind": KIND, "rules": str(rules)}
    metadata |= {"board": rules.format(board), "value": str(value)}
    for side, claim in claims.items():
        metadata[side] = claim.says
        metadata[f"{side} positions"] = str(claim.positions)
    data = save({side: c.numbers for side, c in claims.items()}, metadata)
    files.write(file, lzma.compress(data) if file.suffix == COMPRESSED else data)


def read(file: Path) -> Content:
    """Read a proof file without verifying the proof.

    Raises:
        ValueError: for any other file, and for a damaged one.
    """
    data = read_bytes(file, LARGEST)
    digest = hashlib.sha256(data).hexdigest()
    if file.suffix == COMPRESSED:
        stream = lzma.LZMADecompressor(memlimit=MEMORY)
        with suppress(lzma.LZMAError):
            data = stream.decompress(data, LARGEST)
        if not stream.eof or stream.unused_data:
            raise ValueError(f"{shown(file)} is a damaged proof: not one xz stream that fits")
    found = header(data, file)
    about = found.metadata
    if about.get("kind") not in (KIND, BEFORE):
        raise ValueError(f"{shown(file)} is not a proof of a game's value")
    try:
        rules = Rules.of(about["rules"])
        require_line_wins(rules, "a proof")
        board = rules.check(rules.parse(about["board"]))
        value = {"1": 1, "0": 0, "-1": -1}[about["value"]]
        if (str(rules), rules.format(board)) != (about["rules"], about["board"]):
            raise ValueError  # written in another way
    except (ValueError, KeyError):
        raise ValueError(f"{shown(file)} is a damaged proof: no rules, board or value") from None
    wanted, damaged = CLAIMS[value], f"{shown(file)} is a damaged proof"
    numbers = found.arrays({side: ("I16", (found.length(side),)) for side in wanted}, damaged)
    for side, says in wanted.items():
        if about.get(side) not in (says, STEALING if says == HELD else says):
            raise ValueError(f"{damaged}: it makes no claim about {side}")
    claims = {
        side: Claim(about[side], numbers[side], _count(about.get(f"{side} positions"), file))
        for side in wanted
    }
    return Content(rules, board, value, claims, digest)


def rules_of(path: str = "") -> Rules:
    """Return the game of the proof in a file, which is not verified.

    Args:
        path: the file.

    Raises:
        ValueError: without a path, and for a file that is missing or no proof.
    """
    if not path:
        raise ValueError("proved needs the file of a proof: proved:path=FILE.safetensors")
    try:
        return read(Path(path)).rules
    except FileNotFoundError:
        raise ValueError(f"there is no proof in {shown(path)}") from None


def _count(text: str | None, file: Path) -> int:
    if text is None or len(text) > 12 or not text.isdigit() or text != str(int(text)):
        raise ValueError(
            f"{shown(file)} is a damaged proof: it does not give its number of positions"
        )
    return int(text)
