"""Search for a player's mistakes: positions that it reaches where its move loses value.

Round by round, the player's moves and all replies are played. Above a limit, half of the positions
kept are the best for the opponent, and half are sampled. A line of play ends where the opponent
wins by threats or the player can no longer reach its aim. Going back from there, the prover finds
the move that lost the aim.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tttenv.certificates import attack_kernel as kernel
from tttenv.game.outcomes_kernel import GOING
from tttenv.game.rules import Rules, require_line_wins
from tttenv.game.types import Boards, Mask
from tttenv.policy import Policy, ask, player_for
from tttenv.proofs.move_values import MoveValues
from tttenv.reach import Graph
from tttenv.reach.walk import first_boards, walk
from tttenv.utils.arrays import integers_from

THREATS = 200  # maximum threats tried in the search for the opponent's win


@dataclass(frozen=True)
class Mistakes:
    """The results of the search in one seat."""

    boards: Boards  # (mistakes, cells), in the view of the player, which is to move
    good: Mask  # (mistakes, cells): the moves proven to keep the position's value
    values: NDArray[np.int64]  # (mistakes,): the positions' values for the player
    failures: int  # lines of play that ended in a failure, including those not analysed
    others: Boards  # (positions, cells): all other queried positions
    everything: bool  # whether no position was left out: then `failures == 0` is a proof


@dataclass(frozen=True)
class _Round:
    """Positions of a round, with the player to move, and their predecessors."""

    boards: Boards  # (positions, cells)
    before: NDArray[np.int64]  # (positions,): indices in the previous round; -1 in the first
    moves: NDArray[np.int64]  # (positions,): the player's
    failed: NDArray[np.int64]  # indices of the positions where the line of play ends in a failure


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
    """Search for mistakes of a player that plays one move on each board.

    Args:
        rules: a game that is won by lines.
        policy: the player, or a function of boards (batch, cells); its likeliest move is played.
        seat: "X" or "O", the player's.
        aim: the result that it should reach there: 0 not to lose, 1 to win.
        width: the limit of positions of a round; of more, some are sampled.
        most: the limit of failures to analyse, besides those that follow from the same mistakes.
        rng: samples positions, and the order of the failures.
        values: proves the values of moves.

    Returns:
        The mistakes, and the other positions that the player was queried on.

    Raises:
        ValueError: if `width` or `most` is below 1, the player plays another game, or lines do not
            win.
    """
    require_line_wins(rules, "a search for mistakes")
    integers_from(1, width=width, most=most)
    player = player_for(rules, policy)
    graph = Graph(rules, player.traits.equivariant)
    referee = kernel.new_referee(rules, THREATS, must_win=aim == 1)
    rounds: list[_Round] = []
    origins = np.full(rules.cells, -1)  # of the positions followed, in the round before
    everything = True
    for ply in walk(graph, graph.encode(first_boards(rules, seat))):
        boards = graph.decode(ply.codes)
        before = np.empty(len(boards), np.int64)
        # The last of several values is kept: that of the first board that leads to the position.
        before[ply.numbers[::-1]] = origins[: len(ply.numbers)][::-1]
        if len(boards) > width:
            kept = _chosen(rules, boards, width, rng)
            boards, before, everything = boards[kept], before[kept], False
        moves = ask(boards, player).argmax(axis=1)
        after, found = boards.copy(), np.zeros(len(boards), np.int8)
        kernel.judge_moves(after, moves, rules.game, referee, found)
        going = np.flatnonzero(found == kernel.OPEN)
        if aim == 1:  # a draw, if the next stone is the last
            found[going[np.count_nonzero(after[going] == 0, axis=1) == 1]] = kernel.FAILED
        rounds.append(_Round(boards, before, moves, np.flatnonzero(found == kernel.FAILED)))
        replies = graph.moves(-after[going], after[going] == 0)
        ply.follow(replies.codes)
        origins = going[replies.origin[replies.end == GOING]]
    ends = [(number, row) for number, each in enumerate(rounds) for row in each.failed]
    shuffled = rng.permutation(np.array(ends, np.int64).reshape(-1, 2))
    return _explain(values, rounds, shuffled, aim, most, everything)


def _chosen(
    rules: Rules, boards: Boards, width: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Return the indices of `width` boards: half with the strongest attack, half at random."""
    order = np.argsort(-kernel.attack_scores(boards, rules.lines), kind="stable")
    best, others = order[: width // 2], order[width // 2 :]
    return np.sort(np.append(best, rng.choice(others, width - len(best), replace=False)))


def _explain(
    values: MoveValues,
    rounds: list[_Round],
    ends: NDArray[np.int64],
    aim: int,
    most: int,
    everything: bool,
) -> Mistakes:
    """Trace failures, rows (round, row) of `ends`, back to the mistakes that caused them."""
    found: dict[bytes, tuple[Boards, Mask, int]] = {}
    looked_at: set[tuple[int, int]] = set()
    mistaken: set[tuple[int, int]] = set()
    for number, row in ends.tolist():
        way = [(number, row)]  # and its predecessors
        while way[-1][0] > 0:
            number, row = way[-1]
            way.append((number - 1, int(rounds[number].before[row])))
        if not mistaken.isdisjoint(way):
            continue
        if most == 0:
            break
        most -= 1
        for number, row in way:
            if (number, row) in looked_at:
                break
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
    shape = len(found), values.rules.cells
    boards = np.concatenate([each.boards for each in rounds])
    kept = np.array([board.tobytes() not in found for board in boards])
    return Mistakes(
        boards=np.array([board for board, _, _ in found.values()], np.int8).reshape(shape),
        good=np.array([good for _, good, _ in found.values()], np.bool_).reshape(shape),
        values=np.array([value for _, _, value in found.values()], np.int64),
        failures=len(ends),
        others=boards[kept],
        everything=everything,
    )
