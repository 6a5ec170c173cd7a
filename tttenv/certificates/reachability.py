"""Breadth-first search of all positions reached by a player's own moves and any replies.

A round queries the player on all new positions and expands its moves of nonzero probability and
every reply.

Three facts keep the graph small if the question is only whether the player can lose. A position is
never lost if the opponent has no open line left, that is, a line without a stone of the player that
needs no more stones than the opponent can still place, unless the player may forfeit. Neither is
one from which a player answers by pairs, which its method `holds` says. And the first lost game
found is a shortest one.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tttenv.certificates import POSITIONS
from tttenv.certificates.one_side import SeatedPlayer, lost_game
from tttenv.exact.determinism import SPREAD, Drawn, middles, require_answers_again
from tttenv.game.outcomes_kernel import DRAW, GOING, WIN
from tttenv.game.types import Mask
from tttenv.reach import Graph, distinct, require_images_alike, with_numbers
from tttenv.reach.moves_kernel import Codes, open_for
from tttenv.reach.walk import Visit, visits
from tttenv.utils.compile_time import Stopwatch

FOLLOWED = 100_000  # the limit for the exact result against random replies
MERGED = 2**23  # maximum codes before they are merged with earlier ones by sorting
IMAGES_OF_ALL = 1_000  # the first positions of a seat, of which all images are checked
IMAGES_OF_SOME = 32  # the same in each later batch
Part: TypeAlias = tuple[Codes, NDArray[np.float64] | None]  # codes, and probabilities
FOLLOWING, ATTACKING, SHORTENING = ("following", "attacking", "shortening")


@dataclass(frozen=True)
class Round:
    """Progress of one round of the search in a seat."""

    seat: str
    number: int  # index of the round, from 0
    positions: int  # queried so far, in all rounds
    waiting: int  # in this round, not yet queried
    seconds: float
    phase: str = FOLLOWING  # or ATTACKING, SHORTENING


Watch: TypeAlias = Callable[[Round], None]  # called before every query of the player


@dataclass(frozen=True)
class SeatResults:
    """Results for a player in one seat, None where unknown."""

    positions: int  # queried positions
    never_loses: bool | None
    always_wins: bool | None
    one_move: bool = False  # whether every output was a single move
    losing_line: list[int] | None = None  # a lost game, as the cells of both sides
    loss_chance: float = 0.0  # the probability of its own moves in that game
    shortest: bool | None = None  # whether that is proven shortest; None without a game
    vs_random: list[float] | None = None  # win, draw, loss; None unless every reply was followed
    symmetry: str | None = None  # how equivariance is known, if symmetry was used
    queried_twice: int = 0  # positions, to check that the output is the same
    pairing: bool = False  # whether positions that the player holds by pairs were left out
    proof: str | None = None  # SHA-256 of the file by which it always wins, without any query


@dataclass(frozen=True)
class SearchOptions:
    """Limits of a search, and prior knowledge about the player."""

    positions: int = POSITIONS  # in total
    followed: int = FOLLOWED  # limit for `SeatResults.vs_random`, with every reply followed
    may_always_win: bool = True  # False: it is known that the player does not always win
    rounds: int | None = None  # maximum rounds; None: no limit
    sampled: int | None = None  # maximum positions queried again; None: the default


DEFAULTS = SearchOptions()
Chances: TypeAlias = NDArray[np.float64]  # (positions,), against random replies


@dataclass
class SearchState:
    """A search between two queries of the player, from which it continues."""

    asked: int = 0  # positions queried
    images_checked: int = 0  # positions
    following: bool = True  # whether every reply is followed
    ran_out: bool = False  # whether more positions were needed than allowed
    always_wins: bool | None = None
    one_move: bool = True
    pairing: bool = False  # whether positions were left out for it
    # Of a shortest loss: its round, 0 if the player forfeits or 1 if a reply wins, and the code.
    lost: list[int] | None = None
    seconds: float = 0.0
    queried: int = 0  # positions of the last round
    ended: Chances = field(default_factory=lambda: np.zeros(3))  # games won, drawn and lost
    rounds: list[Codes] = field(default_factory=list)  # the sorted codes of each round
    chances: Chances | None = None  # of the last round; None unless every reply is followed
    found: list[Part] = field(default_factory=list)  # of the next round, in sorted parts
    drawn: dict[str, Any] | None = None  # as `Drawn.state`


Keep: TypeAlias = Callable[[SearchState], None]  # called before every query of the player


class Search:
    """A search of all positions reached by a player's own moves in one seat and any replies.

    Beyond the limit of followed positions, positions that cannot be lost are skipped once it is
    known that the player does not always win, and the search ends once a lost game is found.

    `watch` and `keep` are called before every query, with the progress and the state of the search;
    `start` is such a state of a search of the same player with the same options, to continue.
    """

    def __init__(
        self,
        player: SeatedPlayer,
        options: SearchOptions = DEFAULTS,
        watch: Watch | None = None,
        start: SearchState | None = None,
        keep: Keep | None = None,
    ) -> None:
        self.player, self.options, self.watch, self.keep = player, options, watch, keep
        self.rules, self.policy, traits = player.rules, player.policy, player.policy.traits
        self.forfeits, self.images = traits.forfeits, traits.equivariant
        self.graph = Graph(self.rules, self.images)
        # By strategy stealing the second player cannot force a win in any m,n,k-game.
        may_always_win = options.may_always_win and player.seat == "X"
        self.state = _copy(start or SearchState(always_wins=None if may_always_win else False))
        # Boards to query again, and the first outputs.
        self.drawn = Drawn(self.policy, options.sampled, self.state.drawn)
        self.clock, self.seconds_before = Stopwatch(), self.state.seconds

    def run(self) -> SeatResults:
        """Search from the empty board, or from the start, to the last round."""
        state = self.state
        if state.rounds:
            codes, chances = self._finish_round()
        else:
            boards = self.player.first_boards()
            every = np.full(len(boards), 1 / len(boards))
            codes, chances = self._merged(self.graph.encode(boards), every)
            self._to_keep(codes)  # the first positions are all queried
        while len(codes) and len(state.rounds) != self.options.rounds:
            if state.ran_out or (state.lost is not None and not state.following):
                break  # no further position can change the results
            state.rounds.append(codes)
            state.chances, state.queried, state.found = chances, 0, []
            codes, chances = self._finish_round()
        if self.drawn.added:
            boards, probs = self.drawn.taken()
            require_answers_again(self.policy, boards, probs, self.player.name)
        line, complete = None, not state.ran_out
        if state.lost is not None:
            number, _, *code = state.lost
            line = lost_game(self.player, self.graph, state.rounds[:number], np.array(code))
        every_reply = state.following and complete
        if state.always_wins is None and every_reply:
            state.always_wins = True
        checked, symmetry = state.images_checked, "mirror images treated alike: declared, checked"
        some = "all" if checked == state.asked else f"{checked:,}"
        return SeatResults(
            positions=state.asked,
            never_loses=False if line is not None else True if complete else None,
            always_wins=state.always_wins,
            one_move=state.one_move,
            losing_line=line,
            shortest=None if line is None else True,
            vs_random=state.ended.round(15).tolist() if every_reply else None,
            symmetry=f"{symmetry} on {some} of {state.asked:,}" if self.images else None,
            queried_twice=len(boards) if self.drawn.added else 0,
            pairing=state.pairing,
        )

    def _finish_round(self) -> tuple[Codes, Chances | None]:
        """Query the player on the rest of the last round; return the next round's positions."""
        state, codes = self.state, self.state.rounds[-1]
        rows = np.arange(state.queried, len(codes))
        queries = visits(self.graph, self.policy, codes, rows, before=self._report)
        for visit in queries:
            state.asked += len(visit.rows)
            self._examine(visit)
            lost = self._follow(visit)
            if lost.any():
                self._record_loss(codes[visit.rows], lost, visit.forfeited)
            if state.lost is not None and not state.following and not self.forfeits:
                break
        self._merge()
        return state.found[0] if state.found else (codes[:0], None)

    def _follow(self, visit: Visit) -> Mask:
        """Add the positions after all moves and replies; return which boards are lost (batch,)."""
        state, probs, lost = self.state, visit.probs, visit.forfeited
        drawn, chances = False, state.chances
        free = int(np.count_nonzero(visit.boards[0] == 0)) - 1  # cells for each reply
        if chances is not None:
            chances = chances[visit.rows]
            state.ended[2] += chances[lost].sum()
        for own, replies in visit.replies():
            lost[own.origin[replies.origin[replies.end == WIN]]] = True
            drawn = drawn or bool((own.end == DRAW).any() or (replies.end == DRAW).any())
            shares = None
            if chances is not None and state.following:
                each = chances[own.origin] * probs[own.origin, own.cell]
                shares = (each / max(1, free))[replies.origin]
                state.ended += [
                    each[own.end == WIN].sum(),
                    each[own.end == DRAW].sum() + shares[replies.end == DRAW].sum(),
                    shares[replies.end == WIN].sum(),
                ]
                shares = shares[replies.end == GOING]
            if len(replies.codes) and not state.ran_out:
                state.found.append(self._merged(replies.codes, shares))
                if sum(len(part) for part, _ in state.found[1:]) > MERGED:
                    self._merge()
        if drawn or lost.any():
            state.always_wins = False
        return lost

    def _merged(self, codes: Codes, chances: Chances | None) -> Part:
        """Return the distinct codes, sorted, with their summed chances if these are followed."""
        if not self.state.following or chances is None:
            return distinct(codes), None
        codes, numbers = with_numbers(codes)
        return codes, np.asarray(np.bincount(numbers, chances), np.float64)

    def _merge(self) -> None:
        """Merge the parts of the next round into one, and keep the search within its limits."""
        state = self.state
        if not state.found:
            return
        parts = [chances for _, chances in state.found if chances is not None]
        chances = np.concatenate(parts) if len(parts) == len(state.found) else None
        codes, chances = self._merged(np.concatenate([c for c, _ in state.found]), chances)
        state.found = []
        kept = self._to_keep(codes)
        if not state.ran_out:
            state.found = [(codes, chances) if kept is None else (codes[kept], None)]

    def _to_keep(self, codes: Codes) -> Mask | None:
        """Return a mask of the positions to keep, or None for all; update what is followed."""
        state = self.state
        taken = sum(map(len, state.rounds))
        followed = min(self.options.followed, self.options.positions)
        if state.following and taken + len(codes) <= followed:
            return None
        boards = self.graph.decode(codes)
        if state.always_wins is None:
            lines = open_for(boards, 1, self.rules.lines, self.rules.k)
            state.always_wins = None if lines.all() else False
        if state.always_wins is None and taken + len(codes) <= self.options.positions:
            return None
        state.following = False
        # The player moves first: the opponent gets the smaller half of the empty cells.
        left = min(self.rules.k, int(np.count_nonzero(boards[:1] == 0)) // 2)
        if self.options.rounds is not None:
            left = min(left, self.options.rounds - len(state.rounds))
        if self.forfeits:  # it may lose without any line
            kept: Mask = np.ones(len(boards), np.bool_)
        else:
            kept = open_for(boards, -1, self.rules.lines, left)
        if self.policy.traits.pairs:
            held = self.policy.holds(boards)
            state.pairing = state.pairing or bool(held.any())
            kept = kept & ~held
        if taken + np.count_nonzero(kept) > self.options.positions:
            state.ran_out = True
        return kept

    def _record_loss(self, batch: Codes, lost: Mask, forfeited: Mask) -> None:
        """Record a position of the batch that loses, if its loss is the shortest so far."""
        rank = np.where(forfeited, 0, np.where(lost, 1, 2))  # forfeits end the game before a reply
        first = int(rank.argmin())
        found = [len(self.state.rounds) - 1, int(rank[first]), *batch[first].tolist()]
        if self.state.lost is None or found[:2] < self.state.lost[:2]:
            self.state.lost = found

    def _examine(self, visit: Visit) -> None:
        """Examine the player's output on a batch."""
        state, boards, probs = self.state, visit.boards, visit.probs
        state.one_move = state.one_move and bool(((probs > 0).sum(axis=1) == 1).all())
        choice = np.count_nonzero(boards[0]) < self.rules.cells - 1
        if choice and not self.policy.traits.pure:
            opening = visit.rows[0] == 0
            each = max(1, 2 * SPREAD // self.rules.cells) if opening else 0
            self.drawn.add(boards, probs, always=middles(len(boards), each))
        if self.images:
            some = IMAGES_OF_ALL if state.images_checked < IMAGES_OF_ALL else IMAGES_OF_SOME
            which = middles(len(boards), min(some, len(boards)))
            require_images_alike(self.policy, boards[which], self.player.name)
            state.images_checked += len(which)

    def _report(self, waiting: int) -> None:
        """Report the progress and the state, `waiting` positions of the round before its end."""
        state = self.state
        state.queried = len(state.rounds[-1]) - waiting
        state.seconds = self.seconds_before + self.clock.seconds
        if self.keep is not None:
            state.drawn = self.drawn.state
            self.keep(_copy(state))
        if self.watch is not None:
            phase = FOLLOWING if self.options.rounds is None else SHORTENING
            number = len(state.rounds) - 1
            at = Round(self.player.seat, number, state.asked, waiting, state.seconds, phase)
            self.watch(at)


def _copy(state: SearchState) -> SearchState:
    """Return a state that shares the arrays of another, which are never written to."""
    rounds, found = [*state.rounds], [*state.found]
    return replace(state, rounds=rounds, found=found, ended=state.ended.copy())
