"""Best-first search for a game that a given player loses; finding none proves nothing.

The positions in which the opponent's open lines hold the most stones are queried next, the best of
every round together in one batch. A lost game is then shortened, as long as that takes few
positions.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tttenv.certificates import reachability
from tttenv.certificates.attack_kernel import score
from tttenv.certificates.one_side import SeatedPlayer
from tttenv.certificates.reachability import ATTACKING, Round, SearchOptions, SeatResults, Watch
from tttenv.exact.determinism import SPREAD, require_answers_again
from tttenv.exact.evaluation import SEATS
from tttenv.game.line_board_kernel import LineBoard, new_line_board
from tttenv.game.outcomes_kernel import GOING, WIN
from tttenv.game.rules import Rules
from tttenv.game.types import Boards, Mask
from tttenv.players.as_player import as_player
from tttenv.policy import Policy, ask, display_name, player_for
from tttenv.reach import Graph
from tttenv.reach.walk import Visit
from tttenv.utils.arrays import integers_from
from tttenv.utils.compile_time import Stopwatch

POSITIONS = 100_000  # default limit of queried positions
TOGETHER = 512  # maximum boards in a batch; batches start with one board and double
REPLIES = 64  # best replies kept per board
WAITING = 20_000  # best waiting positions kept per round
ORIGIN = ("before", "own", "reply")  # what led to a waiting position
SHORTENED = 125_000  # limit of the search for a shorter game: positions times the board's cells


def refute(
    rules: Rules, policy: Policy | str | Any, seat: str, positions: int = POSITIONS
) -> list[int] | None:
    """Find a game that a player loses in one seat, by moves of nonzero probability.

    The search is deterministic for a given player and limit. It then searches for shorter games,
    the shortest first, within 125,000 / cells positions (5,000 on 5,5,4).

    Args:
        rules: a game that is won by lines.
        policy: a player, its name, or a model of Stable-Baselines3.
        seat: "X" or "O", the player's.
        positions: the limit of queried positions.

    Returns:
        The cells of both sides from the empty board to the opponent's win; None if no such game was
        found, which proves nothing.

    Raises:
        ValueError: for another seat or limit, a player of another game, or one that does not repeat
            its moves.
    """
    if seat not in SEATS:
        raise ValueError(f"a seat must be X or O, not {seat!r}")
    integers_from(1, positions=positions)
    player = as_player(rules, policy)
    return search(SeatedPlayer(rules, player, seat, display_name(player)), positions).losing_line


def search(
    player: SeatedPlayer, positions: int, watch: Watch | None = None, shorten: bool = True
) -> SeatResults:
    """Search as `refute` does, but return more results; without `shorten` the first lost game.

    Args:
        player: the player in its seat.
        positions: the limit of queried positions.
        watch: called with the progress before each query.
        shorten: whether shorter games are searched for.
    """
    tried = _Attack(player, watch)
    lines = (tried.lost_line(*found) for found in tried.queries(positions) if found[1].any())
    line = next(lines, None)
    count = len(tried.origins)
    if line is None:
        return SeatResults(count, never_loses=None, always_wins=None)
    again = 0 if player.policy.traits.pure else len(player.own(line))
    found = SeatResults(count, False, False, losing_line=line, shortest=False, queried_twice=again)
    return _shortened(player, found, line, positions, watch) if shorten else found


def _shortened(
    player: SeatedPlayer, found: SeatResults, line: list[int], positions: int, watch: Watch | None
) -> SeatResults:
    """Return the results with the shortest game that a player loses in a seat, if it is found."""
    k, left = player.rules.k, min(SHORTENED // player.rules.cells, positions - found.positions)
    first = k if player.seat == "X" else k - 1  # the opponent needs k stones
    last = len(line) // 2 - 1  # a round is a move by the player and a reply
    if player.policy.traits.forfeits:  # which ends a round before the reply
        first, last = 1, last + 1
    for rounds in range(first, last + 1):  # the first take few positions
        options = SearchOptions(left, 0, may_always_win=False, rounds=rounds, sampled=SPREAD)
        tried = reachability.Search(player, options, watch).run()
        left -= tried.positions
        count = found.positions + tried.positions
        again = found.queried_twice + tried.queried_twice
        found = replace(found, positions=count, queried_twice=again)
        if tried.losing_line is not None:
            return replace(found, losing_line=tried.losing_line, shortest=True)
        if tried.never_loses is None:
            return found
    return replace(found, shortest=True)


def losing_leaves(rules: Rules, policy: Policy, seat: str, positions: int) -> tuple[int, int]:
    """Count lost and all positions that `refute` queries if it does not stop at a lost game.

    Args:
        rules: a game that is won by lines.
        policy: the player, or a function of boards (batch, cells).
        seat: "X" or "O", the player's.
        positions: the limit of queried positions.

    Returns:
        The numbers of lost and of all queried positions.

    Raises:
        ValueError: for a limit below 1 or a player of another game.
    """
    integers_from(1, positions=positions)
    player = player_for(rules, policy)
    tried = _Attack(SeatedPlayer(rules, player, seat, display_name(player)), None)
    lost = sum(int(np.count_nonzero(lost)) for _, lost in tried.queries(positions))
    return lost, len(tried.origins)


@lru_cache(maxsize=8)
def _lines(rules: Rules) -> LineBoard:
    """Return the lines of a game, on a board without stones that is never written to."""
    return new_line_board(rules)


_Rows: TypeAlias = NDArray[Any]  # structured
_Numbers: TypeAlias = NDArray[np.int64]


class _Attack:
    """Best-first search for lost games."""

    def __init__(self, player: SeatedPlayer, watch: Watch | None) -> None:
        self.player, self.rules, self.policy = player, player.rules, player.policy
        self.watch, self.clock = watch, Stopwatch()
        self.lines = _lines(self.rules)
        self.graph = Graph(self.rules, self.policy.traits.equivariant)
        self.seen: set[bytes] = set()  # the codes of all queried positions
        self.origins: list[tuple[int, int, int]] = []  # previous query, player's cell, reply
        boards = player.first_boards()
        replies = np.where(boards.any(axis=1), boards.argmin(axis=1), -1)  # the opponent's stone
        numbers = [(name, np.int64) for name in ("score", *ORIGIN)]
        self.kind = np.dtype([*numbers, ("board", np.int8, (self.rules.cells,))])
        self.waiting: list[_Rows] = []  # by round, the best first, then the oldest
        self._wait(self.lines.through_count[replies], boards, -1, -1, replies)

    def _wait(self, scores: _Numbers, boards: Boards, before: Any, own: Any, reply: Any) -> None:
        """Queue positions (rows,): what led to each is the query `before`, if not -1."""
        rows = np.empty(len(boards), self.kind)
        rows["score"], rows["board"] = scores, boards
        rows["before"], rows["own"], rows["reply"] = before, own, reply
        rounds = np.count_nonzero(boards, axis=1) // 2
        for number in np.flatnonzero(np.bincount(rounds)):
            if number == len(self.waiting):
                self.waiting.append(rows[:0])
            of_round = np.concatenate([self.waiting[number], rows[rounds == number]])
            order = np.argsort(-of_round["score"], kind="stable")
            self.waiting[number] = of_round[order[:WAITING]]

    def queries(self, positions: int) -> Iterator[tuple[_Numbers, Mask]]:
        """Query batches of positions until the limit or none is left.

        Yield two cells after which the opponent has won, or -1, (positions, 2), and which positions
        are lost (positions,): there, or because the player forfeits. These are not followed.
        """
        size = 1
        while len(self.origins) < positions:
            before = len(self.origins)
            boards = self._choose(min(size, positions - before))
            if not len(boards):
                return
            if self.watch is not None:
                waiting = len(boards) + sum(map(len, self.waiting))
                number = int(np.count_nonzero(boards, axis=1).max()) // 2
                about = number, before, waiting, self.clock.seconds, ATTACKING
                self.watch(Round(self.player.seat, *about))
            size = min(2 * size, TOGETHER)
            queries = np.arange(before, len(self.origins))
            visit = Visit(self.graph, queries, boards, ask(boards, self.policy))
            won, best = np.full((len(boards), 2), -1), []
            for own, replies in visit.replies():
                moves = np.empty((len(replies.origin), 3), np.int64)
                moves[:, 0], moves[:, 1] = own.origin[replies.origin], own.cell[replies.origin]
                moves[:, 2] = replies.cell
                wins = moves[replies.end == WIN]
                won[wins[:, 0]] = wins[:, 1:]
                going = (replies.end == GOING) & (won[moves[:, 0], 0] < 0)
                best.append(self._best(boards, moves[going]))
            yield won, (won[:, 0] >= 0) | visit.forfeited
            for moves, scores in best:
                at, own_cells, reply_cells = moves.T
                after, each = boards[at], np.arange(len(at))
                after[each, own_cells], after[each, reply_cells] = 1, -1
                self._wait(scores, after, visit.rows[at], own_cells, reply_cells)

    def _choose(self, count: int) -> Boards:
        """Return up to `count` boards (chosen, cells) to query next."""
        chosen: list[Boards] = []
        live = sum(1 for waiting in self.waiting if len(waiting))
        for number in reversed(range(len(self.waiting))):
            wanted = min(count, len(chosen) + -(-count // max(1, live)))
            while len(chosen) < wanted and len(self.waiting[number]):
                left = wanted - len(chosen)
                some = self.waiting[number][:left]
                self.waiting[number] = self.waiting[number][left:]
                boards = np.ascontiguousarray(some["board"])
                origins = zip(*(some[name].tolist() for name in ORIGIN), strict=True)
                codes = map(bytes, self.graph.encode(boards))
                for board, code, origin in zip(boards, codes, origins, strict=True):
                    if code not in self.seen:
                        self.seen.add(code)
                        chosen.append(board)
                        self.origins.append(origin)
        return np.array(chosen, np.int8)

    def _best(self, boards: Boards, moves: _Numbers) -> tuple[_Numbers, _Numbers]:
        """Return the best of the moves (board, own cell, reply) of each board, and their scores.

        The moves are sorted; the best come by board and score if some are left out.
        """
        scores = np.empty(len(moves), np.int64)
        score(boards, moves, self.rules.k, self.lines, scores)
        if np.bincount(moves[:, 0]).max(initial=0) <= REPLIES:
            return moves, scores
        order = np.lexsort((-scores, moves[:, 0]))
        moves, scores = moves[order], scores[order]
        rank = np.arange(len(moves)) - np.searchsorted(moves[:, 0], moves[:, 0])
        return moves[rank < REPLIES], scores[rank < REPLIES]

    def lost_line(self, won: _Numbers, lost: Mask) -> list[int]:
        """Return the first lost game of the last query, after asking the player for it again."""
        row = int(lost.argmax())
        line = won[row].tolist() if won[row, 0] >= 0 else []  # a forfeit
        number = len(self.origins) - len(lost) + row
        while number >= 0:
            number, own, reply = self.origins[number]
            line = [cell for cell in (own, reply) if cell >= 0] + line
        if not self.policy.traits.pure:
            boards, moves = self.player.own_moves(line)
            first = ask(boards, self.policy)
            require_answers_again(self.policy, boards, first, self.player.name)
            moved = first[np.arange(len(moves)), moves] > 0
            if not moved.all() or first[len(moves) :].any():
                raise self.player.another_answer(boards[-1])
        return line
