"""Verifying proof files without searching and without the prover's code.

Only the rules of the game are shared: the lines and the symmetries, and the latter are checked.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tttenv.game.rules import Rules
from tttenv.game.symmetry import maps
from tttenv.game.types import Boards, Cells, Stones
from tttenv.proofs import checking_kernel as kernel
from tttenv.proofs import proof_file
from tttenv.proofs.proof_file import STEALING, WINS, Claim
from tttenv.proofs.steps_kernel import FORGET
from tttenv.utils.untrusted import shown

MEMORY = 2**34  # bytes for the positions of a proof, at most


@dataclass(frozen=True)
class CheckedProof:
    """The result of verifying a proof."""

    rules: Rules
    board: Boards  # (cells,), seen by the side to move
    value: int  # for X under perfect play
    positions: int  # that were verified
    numbers: int  # that the proof consists of
    digest: str  # SHA-256 of the file, in hexadecimal
    wins: kernel.Finished | None  # the winner's positions, him to move; None for a draw


class Verified(NamedTuple):
    """How far a claim was verified."""

    holds: bool
    positions: int  # that were verified
    numbers: int  # that say so, or the number that is wrong
    finished: kernel.Finished  # positions, the attacker to move if he wins


def check_proof(path: str | Path, rules: Rules | None = None) -> int:
    """Verify the proof in a file and return the value for X that it proves: 1, 0 or -1.

    Args:
        path: the file.
        rules: a game with the same k on a larger board, in whose middle the position is to have
            that value too; None for the game that the file names. Only wins can carry over.

    Raises:
        ValueError: if the file is no proof, a step of it does not hold, or it needs too much
            memory.
    """
    return checked(path, rules).value


def checked(path: str | Path, rules: Rules | None = None) -> CheckedProof:
    """Verify the proof in a file, and return its position along with the value.

    Args:
        path: the file.
        rules: as in `check_proof`.

    Raises:
        ValueError: as `check_proof` does.
    """
    file = Path(path)
    content = proof_file.read(file)
    rules = rules or content.rules
    places = places_of(content, rules, file)
    board = rules.start()
    board[places] = content.board
    positions, numbers, wins = 0, 0, None
    for attacker, claim in content.claims.items():
        if claim.says == STEALING:
            if attacker != "O" or board.any() or claim.numbers.size or claim.positions:
                raise ValueError(
                    f"{shown(file)} proves nothing: strategy stealing applies only to the"
                    " second player on the empty board"
                )
            continue
        found = verify(rules, board, attacker, claim, places)
        if not found.holds or found.numbers != claim.numbers.size:
            raise ValueError(
                f"{shown(file)} proves nothing for {rules}: number {found.numbers} about {attacker}"
                " is wrong"
            )
        if found.positions != claim.positions:
            raise ValueError(
                f"{shown(file)} proves nothing: it has {found.positions:,} positions about"
                f" {attacker}"
            )
        positions += found.positions
        numbers += found.numbers
        wins = found.finished if claim.says == WINS else None
    return CheckedProof(rules, board, content.value, positions, numbers, content.digest, wins)


def places_of(content: proof_file.Content, rules: Rules, file: Path) -> Cells:
    """Return the cells (cells,) of a board that are those of the proof, in the middle.

    Raises:
        ValueError: if the proof is about another game, and `rules` are not those of a larger board
            to which it may carry over.
    """
    old = content.rules
    if rules == old:
        return np.arange(old.cells)
    if type(rules) is not type(old) or rules.k != old.k or rules.m < old.m or rules.n < old.n:
        raise ValueError(f"{shown(file)} is about {old}, which is no smaller board of {rules}")
    if content.value == 0:
        raise ValueError(f"{shown(file)} proves a draw, which does not carry over to {rules}")
    top, left = (rules.m - old.m) // 2, (rules.n - old.n) // 2
    grid = np.arange(rules.cells).reshape(rules.m, rules.n)
    return np.ascontiguousarray(grid[top : top + old.m, left : left + old.n]).ravel()


def verify(rules: Rules, position: Boards, attacker: str, claim: Claim, places: Cells) -> Verified:
    """Verify the numbers of a claim about a position, as far as they are needed for it.

    Args:
        rules: the game.
        position: the board (cells,), seen by the side to move.
        attacker: "X" or "O".
        claim: the claim, which states how many positions there are at most.
        places: as `places_of` returns them.

    Raises:
        ValueError: if it needs too much memory.
    """
    attacker_first = "XO"[int(rules.seat(position))] == attacker
    stones = np.where(position == 0, 0, np.where((position == 1) == attacker_first, 1, 2))
    board = board_of(rules, stones.astype(np.int8))
    wins = claim.says == WINS
    cells = rules.cells
    marks = np.flatnonzero(claim.numbers == FORGET)
    longest = np.diff(marks, prepend=0, append=claim.numbers.size).max()
    rows = min(claim.positions, int(longest))  # each of those to be remembered takes a number
    slots = 1 << (2 * rows + 2).bit_length()
    if rows * (cells + 12) + 8 * slots > MEMORY:
        raise ValueError(
            f"checking a proof with {rows:,} positions of {rules} needs more than"
            f" {MEMORY // 2**30} GiB"
        )
    finished = kernel.new_finished(slots, rows, cells)
    walk = kernel.new_walk(claim.numbers, places, cells)
    state = kernel.check(board, finished, walk, wins, attacker_first)
    holds, verified, at = state == kernel.HOLDS, int(walk.visited[0]), int(walk.at[0])
    return Verified(holds, verified, at, finished)


def board_of(rules: Rules, stones: Stones) -> kernel.Board:
    """Return the kernel's board for stones (cells,): 1 attacker, 2 defender."""
    lines = rules.lines
    through = np.full((rules.cells, max(1, int(np.bincount(lines.ravel()).max()))), -1, np.int64)
    for cell in range(rules.cells):
        here = np.flatnonzero((lines == cell).any(axis=1))
        through[cell, : len(here)] = here
    counts = np.stack([(stones[lines] == stone).sum(axis=1) for stone in range(3)], axis=1)
    return kernel.Board(lines, through, _checked_symmetries(rules), stones, counts)


def _checked_symmetries(rules: Rules) -> Cells:
    """Return the board's symmetries (maps, cells), checking that each maps lines to lines."""
    found = maps(rules)
    lines = {tuple(sorted(line)) for line in rules.lines.tolist()}
    for one in found:
        if {tuple(sorted(one[line].tolist())) for line in rules.lines} != lines:
            raise AssertionError(f"a map of {rules} is not a symmetry")
    return found
