"""Checkpoint files of unfinished proof searches, from which long proofs are resumed.

One safetensors file with the entries of both tables. A wrong file cannot lead to a wrong proof: the
result of a search is recorded as a proof in the end, and the proof is checked.
"""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save

from tttenv.game.rules import Rules
from tttenv.game.types import Boards, Numbers
from tttenv.proofs.bitset_kernel import words
from tttenv.proofs.prover import SIDES, Prover
from tttenv.proofs.search_kernel import INFINITY
from tttenv.proofs.table_kernel import (
    BUCKET,
    ENTRY,
    ProofTable,
    copy_entries,
    entry_bytes,
    new_proof_table,
)
from tttenv.utils import files
from tttenv.utils.tensor_file import Kind, header
from tttenv.utils.untrusted import read_bytes, shown

KIND = "unfinished search of an m,n,k-game's value, 1"
COLUMNS = {"key": "U64", "proof": "U32", "disproof": "U32", "work": "U32", "cell": "I16"}
SETS = ("zones", "left")


@dataclass(frozen=True, eq=False)
class SavedSearch:
    """The state of an unfinished search."""

    prover: Prover
    board: Boards  # (cells,), seen by the side to move
    nodes: int  # searched before it was saved
    seconds: float  # spent on them


def write(file: Path, saved: SavedSearch) -> None:
    """Write the state of a search atomically.

    Raises:
        OSError: if the file cannot be written.
    """
    rules = saved.prover.rules
    arrays: dict[str, NDArray[np.generic]] = {}
    for side, search in saved.prover.searches.items():
        table = search.table
        taken = np.flatnonzero(table.entries["key"])
        for column in COLUMNS:
            arrays[f"{side}.{column}"] = np.ascontiguousarray(table.entries[column][taken])
        arrays[f"{side}.zones"], arrays[f"{side}.left"] = table.zones[taken], table.left[taken]
    metadata = {
        "kind": KIND,
        "rules": str(rules),
        "board": rules.format(saved.board),
        "nodes": str(saved.nodes),
        "seconds": f"{saved.seconds:.3f}",
    }
    files.write(file, save(arrays, metadata))


def read(file: Path, memory: int) -> SavedSearch:
    """Read the state of a search.

    Args:
        file: a file written by `write`.
        memory: maximum bytes of the tables.

    Raises:
        FileNotFoundError: if there is no such file.
        ValueError: for anything but a file of this form that fits into the memory.
    """
    found = header(read_bytes(file, memory), file)
    about = found.metadata
    if about.get("kind") != KIND:
        raise ValueError(f"{shown(file)} is not an unfinished search")
    damaged = f"{shown(file)} is a damaged search"
    try:
        rules = Rules.of(about["rules"])
        board = rules.check(rules.parse(about["board"]))
        nodes, seconds = int(about["nodes"][:18]), float(about["seconds"][:18])
    except (KeyError, ValueError):
        raise ValueError(f"{damaged}: no rules, board or counts") from None
    if not (nodes >= 0 and 0 <= seconds < float("inf")):
        raise ValueError(f"{damaged}: its counts are negative")
    expected: dict[str, Kind] = {}
    for side in SIDES:
        count = found.length(f"{side}.key")
        expected |= {f"{side}.{name}": (kind, (count,)) for name, kind in COLUMNS.items()}
        expected |= {f"{side}.{name}": ("U64", (count, words(rules.cells))) for name in SETS}
    arrays = found.arrays(expected, f"{damaged}: other arrays than a search has")
    prover = Prover(rules, memory)
    places = _places([arrays[f"{side}.key"].size for side in SIDES], rules, memory)
    for side, room in zip(SIDES, places, strict=True):
        table = _table(rules, side, arrays, room, damaged)
        prover.searches[side] = replace(prover.searches[side], table=table)
    return SavedSearch(prover, board, nodes, seconds)


def _places(counts: list[int], rules: Rules, memory: int) -> list[int]:
    """Return the table size for each count: at least twice the count, if memory permits."""
    places = [max(BUCKET, 1 << (2 * count + 1).bit_length()) for count in counts]
    while sum(places) * entry_bytes(rules.cells) > memory and max(places) > BUCKET:
        places[places.index(max(places))] //= 2
    return places


def _table(
    rules: Rules, side: str, arrays: dict[str, Numbers], places: int, damaged: str
) -> ProofTable:
    """Return one side's table of the given size, checking that every number is in range.

    Raises:
        ValueError: if a number is out of range.
    """
    count = arrays[f"{side}.key"].size
    source = ProofTable(
        entries=np.zeros(count, ENTRY),
        zones=arrays[f"{side}.zones"].copy(),
        left=arrays[f"{side}.left"].copy(),
        filled=np.array([count]),
    )
    for column in COLUMNS:
        source.entries[column] = arrays[f"{side}.{column}"]
    entries = source.entries
    cells = np.arange(64 * words(rules.cells)) < rules.cells
    on_board = np.packbits(cells, bitorder="little").view(np.uint64)
    fine = (
        (entries["key"] != 0).all()
        and (entries["proof"] <= INFINITY).all()
        and (entries["disproof"] <= INFINITY).all()
        and ((entries["proof"] == 0) == (entries["disproof"] == INFINITY)).all()
        and ((entries["disproof"] == 0) == (entries["proof"] == INFINITY)).all()
        and (entries["work"] <= INFINITY).all()
        and ((entries["cell"] >= -1) & (entries["cell"] < rules.cells)).all()
        and not (source.zones & ~on_board).any()
        and not (source.left & ~on_board).any()
    )
    if not fine:
        raise ValueError(f"{damaged}: a number of {side} is out of its range")
    table = new_proof_table(places, rules.cells)
    copy_entries(source, table)
    return table
