"""Positions in which a player gives a result away, found among those that its own play reaches.

Round by round, the player's moves and all replies are played, as for a certificate; of too many
positions, half of those looked at are the best for the opponent, half are drawn at random. A line
of play ends where the opponent wins by threats or the player cannot reach its aim any more; back
from there, the prover finds the move that gave the aim away. These are counterexamples to the
player's perfection, with the values of all moves.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tttenv.certificates import mistakes_kernel as kernel
from tttenv.certificates import reachability_kernel as codes_of
from tttenv.certificates.equivariance import geometry
from tttenv.exact.determinism import ask
from tttenv.game.rules import Rules
from tttenv.game.symmetry import maps
from tttenv.game.types import Boards, Cells, Mask
from tttenv.policy import Policy, declares_equivariance
from tttenv.proofs.move_values import MoveValues

THREATS = 200  # tried in a search for the opponent's win by threats


@dataclass(frozen=True)
class Mistakes:
    """What was found in one seat."""

    boards: Boards  # (mistakes, cells), seen by the player, who is to move
    good: Mask  # (mistakes, cells): the moves that are proven to keep the position's value
    values: NDArray[np.int64]  # (mistakes,): of the positions, for the player
    failures: int  # lines of play that ended in a failure, those not looked into included
    others: Boards  # (positions, cells): all other positions that the player was asked about,
    moves: Cells  # and what it played there, (positions,)
    everything: bool  # whether no position was left out: then `failures == 0` is a proof


@dataclass(frozen=True)
class _Round:
    """The positions of a round, the player to move, and where they came from."""

    boards: Boards  # (positions, cells)
    before: NDArray[np.int64]  # (positions,): numbers in the round before; -1 in the first
    moves: NDArray[np.int64]  # (positions,): the player's


def find_mistakes(
    rules: Rules,
    policy: Policy,
    seat: str,
    aim: int,
    width: int,
    most: int,
    rng: np.random.Generator,
    values: MoveValues,
) -> Mistakes:
    """Search for mistakes of a player that answers each board with one move.

    Args:
        rules: the game.
        policy: the player.
        seat: the player's, "X" or "O".
        aim: the result that it should reach in this seat: 0 not to lose, 1 to win.
        width: positions of a round that are looked at; if there are more, they are drawn.
        most: failures that are looked into, beside those that follow from the same mistakes.
        rng: draws positions and failures.
        values: the prover of moves.
    """
    images = declares_equivariance(policy)
    about = geometry(rules, images)
    referee = kernel.new_referee(rules.lines, maps(rules), THREATS, must_win=aim == 1)
    boards = rules.start(1) if seat == "X" else -np.eye(rules.cells, dtype=np.int8)
    boards, before = _distinct(boards, np.full(len(boards), -1), about)
    rounds: list[_Round] = []
    failed: list[tuple[int, NDArray[np.int64]]] = []  # numbers within each round
    everything = True
    while len(boards):
        if len(boards) > width:
            kept = _chosen(rules, boards, width, rng)
            boards, before, everything = boards[kept], before[kept], False
        moves = ask(boards, policy).argmax(axis=1)
        rounds.append(_Round(boards, before, moves))
        after, found = boards.copy(), np.zeros(len(boards), np.int8)
        kernel.judge_moves(after, moves, (rules.m, rules.n, rules.k), referee, found)
        going = np.flatnonzero(found == kernel.GOES_ON)
        nexts, origins, full = kernel.replies(after[going])
        if aim == 1:
            found[going[full]] = kernel.FAILED
        failed.append((len(rounds) - 1, np.flatnonzero(found == kernel.FAILED)))
        boards, before = _distinct(nexts, going[origins], about)
    ends = np.array([(number, row) for number, rows in failed for row in rows], np.int64)
    ends = ends.reshape(-1, 2)
    return _explain(values, rounds, rng.permutation(ends), aim, most, everything)


def _chosen(
    rules: Rules, boards: Boards, width: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """The numbers of so many of the boards: half by how the opponent attacks, half by chance."""
    order = np.argsort(-kernel.attack_scores(boards, rules.lines), kind="stable")
    best, others = order[: width // 2], order[width // 2 :]
    return np.sort(np.append(best, rng.choice(others, width - len(best), replace=False)))


def _distinct(
    boards: Boards, before: NDArray[np.int64], about: codes_of.Geometry
) -> tuple[Boards, NDArray[np.int64]]:
    """One board of each code, in the order of the codes, and the number before each."""
    codes = codes_of.encode(boards, about)
    _, first = np.unique(codes, axis=0, return_index=True)
    return codes_of.decode(codes[first], boards.shape[1]), before[first]


def _explain(
    values: MoveValues,
    rounds: list[_Round],
    ends: NDArray[np.int64],
    aim: int,
    most: int,
    everything: bool,
) -> Mistakes:
    """Find the mistakes on the way to failures (failures, 2), which are rounds and rows.

    Failures that follow from a mistake already found are passed over; at most `most` others are
    looked into.
    """
    found: dict[bytes, tuple[Boards, Mask, int]] = {}
    looked_at: set[tuple[int, int]] = set()
    mistaken: set[tuple[int, int]] = set()
    for number, row in ends.tolist():
        if not mistaken.isdisjoint(_way(rounds, number, row)):
            continue
        if most == 0:
            break
        most -= 1
        while number >= 0 and (number, row) not in looked_at:
            looked_at.add((number, row))
            board, move = rounds[number].boards[row], rounds[number].moves[row]
            bounds = values.bounds(board)
            best = int(bounds.at_least[board == 0].max())
            if best >= aim:
                if bounds.at_most[move] < best:
                    good = (bounds.at_least >= best) & (board == 0)
                    found[board.tobytes()] = board, good, best
                    mistaken.add((number, row))
                break
            number, row = number - 1, int(rounds[number].before[row])
    shape = len(found), values.rules.cells
    boards = np.concatenate([each.boards for each in rounds])
    moves = np.concatenate([each.moves for each in rounds])
    kept = np.array([board.tobytes() not in found for board in boards])
    return Mistakes(
        boards=np.array([board for board, _, _ in found.values()], np.int8).reshape(shape),
        good=np.array([good for _, good, _ in found.values()], np.bool_).reshape(shape),
        values=np.array([value for _, _, value in found.values()], np.int64),
        failures=len(ends),
        others=boards[kept],
        moves=moves[kept],
        everything=everything,
    )


def _way(rounds: list[_Round], number: int, row: int) -> Iterator[tuple[int, int]]:
    """The rounds and rows of a position and of those before it, the last first."""
    while number >= 0:
        yield number, row
        number, row = number - 1, int(rounds[number].before[row])
