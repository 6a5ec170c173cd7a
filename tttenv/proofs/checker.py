"""Verifying proof files without searching and without the prover's code.

Only the rules of the game are shared: the lines and the symmetries, and the latter are checked.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tttenv.game.rules import Rules
from tttenv.game.symmetry import maps
from tttenv.game.types import Boards, Cells, Stones
from tttenv.proofs import checking_kernel as kernel
from tttenv.proofs import proof_file
from tttenv.proofs.proof_file import STEALING, WINS, Claim
from tttenv.utils.untrusted import shown

MEMORY = 2**34  # bytes for the positions of a proof, at most
REASONS = {
    kernel.ENDS_EARLY: "it ends early",
    kernel.TOO_LONG: "it goes on after its end",
    kernel.UNKNOWN_STEP: "a step is none that its side can take",
    kernel.NO_CELL: "a cell is off the board",
    kernel.TAKEN_CELL: "a cell is taken",
    kernel.POTENTIAL_TOO_HIGH: "a potential is too high to stop the attack",
    kernel.PAIR_OVERLAPS: "two pairs share a cell",
    kernel.LINE_WITHOUT_PAIR: "an open line has no pair",
    kernel.NO_LINE_COMPLETED: "a move completes no line",
    kernel.ZONE_TOO_SMALL: "a zone misses an open line",
    kernel.ATTACKER_COMPLETES: "the attacker completes a line",
    kernel.DEFENDER_COMPLETES: "the defender completes a line",
    kernel.NO_WIN_LEFT: "the board is full without a win",
    kernel.TOO_MANY_POSITIONS: "it leads through more positions than it says",
}


@dataclass(frozen=True)
class CheckedProof:
    """The result of verifying a proof."""

    rules: Rules
    board: Boards  # (cells,), seen by the side to move
    value: int  # for X under perfect play
    positions: int  # that were verified
    numbers: int  # that the proof consists of


def check_proof(path: str | Path) -> int:
    """Verify the proof in a file and return the value for X that it proves: 1, 0 or -1.

    Raises:
        FileNotFoundError: if there is no such file.
        ValueError: if the file is not a proof, or one of its steps does not hold.
    """
    return checked(path).value


def checked(path: str | Path) -> CheckedProof:
    """Verify the proof in a file, and return its position along with the value."""
    file = Path(path)
    content = proof_file.read(file)
    positions = numbers = 0
    for attacker, claim in content.claims.items():
        if claim.says == STEALING:
            if attacker != "O" or content.board.any() or claim.numbers.size:
                raise ValueError(
                    f"{shown(file)} proves nothing: strategy stealing applies only to the"
                    " second player on the empty board"
                )
            continue
        reason, verified = _verify(content.rules, content.board, attacker, claim)
        if reason != kernel.HOLDS:
            raise ValueError(f"{shown(file)} proves nothing: {REASONS[reason]}")
        positions += verified
        numbers += claim.numbers.size
    return CheckedProof(content.rules, content.board, content.value, positions, numbers)


def _verify(rules: Rules, position: Boards, attacker: str, claim: Claim) -> tuple[int, int]:
    """Run the kernel on a claim and return its reason and the number of verified positions."""
    attacker_first = "XO"[int(rules.seat(position))] == attacker
    stones = np.where(position == 0, 0, np.where((position == 1) == attacker_first, 1, 2))
    board = board_of(rules, stones.astype(np.int8))
    wins = claim.says == WINS
    cells, plies = rules.cells, rules.cells + 2
    rows = min(claim.positions, 2 * claim.numbers.size + 2)
    zone_cells = 0 if wins else cells
    slots = 1 << (2 * rows + 2).bit_length()
    if rows * (cells + zone_cells) + 8 * slots > MEMORY:
        raise ValueError(
            f"checking a proof with {rows:,} positions of {rules} needs more than"
            f" {MEMORY // 2**30} GiB"
        )
    finished = kernel.Finished(
        slots=np.zeros(slots, np.int64),
        boards=np.zeros((rows, cells), np.int8),
        zones=np.zeros((rows, zone_cells), np.bool_),
        filled=np.zeros(1, np.int64),
    )
    walk = kernel.Walk(
        numbers=claim.numbers,
        at=np.zeros(1, np.int64),
        step=np.zeros(plies, np.int64),
        move=np.zeros(plies, np.int64),
        zones=np.zeros((plies, zone_cells), np.bool_),
        left=np.zeros((plies, cells), np.bool_),
        image=np.zeros(cells, np.int8),
        marks=np.zeros(cells, np.bool_),
    )
    reason = kernel.check(board, finished, walk, wins, attacker_first)
    return int(reason), int(finished.filled[0])


def board_of(rules: Rules, stones: Stones) -> kernel.Board:
    """Return the kernel's board for stones (cells,): 1 attacker, 2 defender."""
    lines = rules.lines
    through = np.full((rules.cells, max(1, int(np.bincount(lines.ravel()).max()))), -1, np.int64)
    for cell in range(rules.cells):
        here = np.flatnonzero((lines == cell).any(axis=1))
        through[cell, : len(here)] = here
    return kernel.Board(lines, through, _checked_symmetries(rules), stones)


def _checked_symmetries(rules: Rules) -> Cells:
    """Return the board's symmetries (maps, cells), checking that each maps lines to lines."""
    found = maps(rules)
    lines = {tuple(sorted(line)) for line in rules.lines.tolist()}
    for one in found:
        if {tuple(sorted(one[line].tolist())) for line in rules.lines} != lines:
            raise AssertionError(f"a map of {rules} is not a symmetry")
    return found
