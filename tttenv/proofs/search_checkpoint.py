"""Files of unfinished proof searches, from which long proofs are resumed.

They hold the entries of both tables, and the quiet moves that win. A wrong entry cannot lead to a
wrong proof: the result of a search is recorded as a proof in the end, and the proof is checked.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from tttenv.game.rules import Rules
from tttenv.game.types import Boards
from tttenv.proofs.prover import SIDES, Prover
from tttenv.proofs.table_kernel import (
    BUCKET,
    ENTRY,
    ProofTable,
    copy_entries,
    entry_bytes,
    new_proof_table,
)
from tttenv.utils.tensor_file import read_state, write_state

KIND = "unfinished search of an m,n,k-game's value, 4"


@dataclass(frozen=True, eq=False)
class SavedSearch:
    """The state of an unfinished search."""

    prover: Prover
    board: Boards  # (cells,), seen by the side to move
    nodes: int  # searched before it was saved
    seconds: float  # spent on them


def write(file: Path, saved: SavedSearch) -> None:
    """Write the state of a search atomically."""
    content: dict[str, Any] = {"rules": str(saved.prover.rules), "board": saved.board}
    content |= {"nodes": saved.nodes, "seconds": saved.seconds}
    for side, search in saved.prover.searches.items():
        table = search.table
        taken = np.flatnonzero(table.entries["key"])
        entries = {name: table.entries[name][taken] for name in ENTRY.fields or ()}
        content[side] = {**entries, "zones": table.zones[taken], "left": table.left[taken]}
        content[side] |= saved.prover.quiet(side).found()
    write_state(file, KIND, content)


def read(file: Path, memory: int) -> SavedSearch:
    """Read the state of a search that `write` wrote.

    Args:
        file: its path.
        memory: bytes of the tables, at most. Entries of little work are left out if it is too low.

    Returns:
        The search, from which `Prover.prove` goes on.

    Raises:
        ValueError: for another or a damaged file.
    """
    content = read_state(file, KIND)
    rules = Rules.of(content["rules"])
    prover = Prover(rules, memory)
    sizes = _sizes([len(content[side]["key"]) for side in SIDES], rules, memory)
    for side, size in zip(SIDES, sizes, strict=True):
        saved = content[side]
        entries = np.zeros(len(saved["key"]), ENTRY)
        for name in ENTRY.fields or ():
            entries[name] = saved[name]
        zones, left = saved["zones"].copy(), saved["left"].copy()
        table = new_proof_table(size, rules.cells)
        copy_entries(ProofTable(entries, zones, left, np.array([len(entries)])), table)
        prover.searches[side] = replace(prover.searches[side], table=table)
        prover.quiet(side).restore(saved)
    return SavedSearch(prover, content["board"], content["nodes"], content["seconds"])


def _sizes(counts: list[int], rules: Rules, memory: int) -> list[int]:
    """Return the table size for each count: at least twice the count, if memory permits."""
    sizes = [max(BUCKET, 1 << (2 * count + 1).bit_length()) for count in counts]
    while sum(sizes) * entry_bytes(rules.cells) > memory and max(sizes) > BUCKET:
        sizes[sizes.index(max(sizes))] //= 2
    return sizes
