"""Breadth-first search of all positions reached by a player's own moves and any replies.

Against a player that is a function of the board, only the other side chooses. The positions it can
reach form a graph, searched breadth first: a round queries the player on all new positions and
expands its moves and every reply. Positions of different rounds have different numbers of stones,
so duplicates occur only within a round and are removed by sorting. All moves with nonzero
probability are followed.

Three facts keep the graph small if the question is only whether the player can lose. First, a
position is never lost if the opponent has no open line left, that is, a line without a stone of the
player that needs no more stones than the opponent can still place, unless the player may forfeit
(see `tttenv.policy.Traits`). Second, neither is one from which a player answers by pairs, which
its method `holds` says: see `tttenv.players.search.pairing`. Third, the first lost game found is
a shortest one. If the question is only whether it can lose within some rounds, the opponent can
place no more stones than there are rounds left.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tttenv.certificates import POSITIONS
from tttenv.certificates.frontier import Frontier, distinct, require_images_alike, with_sums
from tttenv.certificates.frontier_kernel import Codes, open_for
from tttenv.certificates.one_side import LostGame, SeatedPlayer
from tttenv.exact.determinism import SPREAD, Drawn, middles, require_answers_again
from tttenv.game.types import Boards, Mask, Probs
from tttenv.utils.compile_time import Stopwatch

FOLLOWED = 100_000  # the limit for the exact result against random replies
BATCH = 2**15  # boards in one query of the player; fewer on large boards
SHORT_BATCH = 2**6  # the same for a player that is slow to answer
BATCH_NUMBERS = 2**21  # maximum probabilities in the output of one query
MERGED = 2**23  # maximum codes before they are merged by sorting
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


@dataclass(frozen=True)
class SearchOptions:
    """Limits of a search, and prior knowledge about the player."""

    positions: int = POSITIONS  # in total
    followed: int = FOLLOWED  # limit for `SeatResults.vs_random`, with every reply followed
    may_always_win: bool = True  # False: it is known that the player does not always win
    images: bool = True  # merge symmetric positions if the player is equivariant
    rounds: int | None = None  # maximum rounds; None: no limit
    sampled: int | None = None  # maximum positions queried again; None: the default


DEFAULTS = SearchOptions()


@dataclass
class Findings:
    """What a search in one seat has found so far, other than positions."""

    asked: int = 0  # positions queried
    images_checked: int = 0  # positions
    following: bool = True  # whether every reply is followed
    ran_out: bool = False  # whether more positions were needed than allowed
    always_wins: bool | None = None
    one_move: bool = True
    pairing: bool = False  # whether positions were left out for it
    lost_at: tuple[int, ...] | None = None  # code of the position before a shortest loss
    lost_round: int = 0  # the round of that position
    lost_rank: int = 0  # 0: the player forfeits there, 1: a reply wins


@dataclass(frozen=True)
class Place:
    """How far a search has come in its last round, and the counters of its parts."""

    queried: int  # positions of the round
    merge_above: int  # positions of the next round, before they are merged
    seconds: float
    ended: list[list[float]]  # (2, 3), as `Frontier.ended`
    sampled_from: int  # as `Drawn.added`


@dataclass(frozen=True, eq=False)
class SearchState:
    """A search between two queries of the player, from which it continues.

    A search shares its arrays with its states, and never writes to them.
    """

    findings: Findings
    place: Place
    rounds: list[Codes]  # the sorted codes of each round; the last is being queried
    chances: NDArray[np.float64]  # (positions,) of the last round
    found: list[Part]  # of the next round
    sampled: dict[str, NDArray[Any]]  # as `Drawn.arrays`


Keep: TypeAlias = Callable[[SearchState], None]  # called before every query of the player


def search(
    player: SeatedPlayer,
    options: SearchOptions = DEFAULTS,
    watch: Watch | None = None,
    start: SearchState | None = None,
    keep: Keep | None = None,
) -> SeatResults:
    """Search all positions reached by a player's own moves in one seat and any replies.

    Beyond the limit of followed positions, positions that cannot be lost are skipped once it is
    known that the player does not always win, and the search ends once a lost game is found.
    Symmetric positions are merged if the player declares itself equivariant; this is checked on
    all positions of small searches and on some positions of large ones.

    Args:
        player: the player in its seat.
        options: the limits of the search.
        watch: called before every query.
        start: the state from which to continue a search of the same player with the same options;
            the results are those of a search without a stop.
        keep: called before every query with the state of the search.

    Raises:
        ValueError: if the policy returns invalid probabilities, gives a different output on a board
            when queried again, or is not equivariant though it declares to be.
    """
    return _Search(player, options, watch, keep).run(start)


def loss_within(
    player: SeatedPlayer,
    rounds: int,
    positions: int,
    watch: Watch | None = None,
) -> SeatResults:
    """Search for a shortest game that a player loses within `rounds` rounds.

    Args:
        player: the player in its seat.
        rounds: maximum rounds, each a move of the player and a reply, the last of which wins.
        positions: the limit of positions in total.
        watch: called before every query.

    Returns:
        The results, with `never_loses` True if no game is lost within these rounds, and None if the
        limit of positions was too low to decide.

    Raises:
        ValueError: as `search`.
    """
    options = SearchOptions(
        positions=positions, followed=0, may_always_win=False, rounds=rounds, sampled=SPREAD
    )
    return _Search(player, options, watch).run()


class _Search:
    """Breadth-first search in one seat, from the empty board to the last round."""

    def __init__(
        self,
        player: SeatedPlayer,
        options: SearchOptions,
        watch: Watch | None,
        keep: Keep | None = None,
    ) -> None:
        self.player, self.options, self.watch, self.keep = player, options, watch, keep
        self.rules, self.policy, traits = player.rules, player.policy, player.policy.traits
        self.forfeits, self.slow = traits.forfeits, traits.one_by_one or traits.costly
        self.images = options.images and traits.equivariant
        self.frontier = Frontier(player.policy, self.images)
        self.rounds: list[Codes] = []  # the codes of each round, sorted
        # By strategy stealing the second player cannot force a win in any m,n,k-game.
        may_always_win = options.may_always_win and player.seat == "X"
        self.known = Findings(always_wins=None if may_always_win else False)
        few = {} if options.sampled is None else {"sampled": options.sampled, "cheap": 0}
        self.drawn = Drawn(self.policy, **few)  # boards to query again, and the first outputs
        self.clock, self.seconds_before = Stopwatch(), 0.0

    def run(self, start: SearchState | None = None) -> SeatResults:
        if start is None:
            codes, chances = self._first_round()
            self.within_limits(codes)
        else:
            codes, chances = self._rest_of_round(start)
        while len(codes) and len(self.rounds) != self.options.rounds and not self._ended():
            self.rounds.append(codes)
            codes, chances = self._next_round(codes, chances)
        queried_twice = self._require_same_answers()
        complete = not self.known.ran_out
        every = self.known.following and complete
        if self.known.always_wins is None and every:
            self.known.always_wins = True
        odds = [round(float(part), 15) for part in self.frontier.ended[0]] if every else None
        lost = self.known.lost_at is not None
        return SeatResults(
            positions=self.known.asked,
            never_loses=False if lost else True if complete else None,
            always_wins=self.known.always_wins,
            one_move=self.known.one_move,
            losing_line=self._losing_line(),
            shortest=True if lost else None,
            vs_random=odds,
            symmetry=self._symmetry(),
            queried_twice=queried_twice,
            pairing=self.known.pairing,
        )

    def _ended(self) -> bool:
        """Return whether the search is over, since no further position can change its results."""
        return self.known.ran_out or (self.known.lost_at is not None and not self.known.following)

    def _first_round(self) -> tuple[Codes, NDArray[np.float64]]:
        """Return the positions of the player's first move, and their probabilities."""
        boards = self.player.first_boards()
        chances = np.full(len(boards), 1 / len(boards))
        return with_sums(self.frontier.encode(boards), chances)

    def _rest_of_round(self, start: SearchState) -> tuple[Codes, NDArray[np.float64]]:
        """Finish the round that a state was in, and return the positions of the next round."""
        self.known, self.rounds = replace(start.findings), list(start.rounds)
        self.seconds_before = start.place.seconds
        self.frontier.ended[:] = start.place.ended
        self.drawn.restore(start.place.sampled_from, start.sampled)
        found = _Merged(self)
        found.restore(start.found, start.place.merge_above)
        return self._next_round(self.rounds[-1], start.chances, start.place.queried, found)

    def _state(self, queried: int, chances: NDArray[np.float64], found: "_Merged") -> SearchState:
        """Return the state in the last round; see `SearchState` for the arguments."""
        place = Place(
            queried=queried,
            merge_above=found.least,
            seconds=self._seconds(),
            ended=self.frontier.ended.tolist(),
            sampled_from=self.drawn.added,
        )
        known, parts = replace(self.known), list(found.parts)
        return SearchState(known, place, list(self.rounds), chances, parts, self.drawn.arrays())

    def _next_round(
        self,
        codes: Codes,
        chances: NDArray[np.float64],
        queried: int = 0,
        found: "_Merged | None" = None,
    ) -> tuple[Codes, NDArray[np.float64]]:
        """Query the player on a round's positions, and return the positions of the next round.

        Args:
            codes: the round's positions.
            chances: their probabilities.
            queried: how many of them have been queried already.
            found: what these led to.
        """
        found = found or _Merged(self)
        largest = SHORT_BATCH if self.slow else BATCH
        size = max(1, min(largest, BATCH_NUMBERS // self.rules.cells))
        for first in range(queried, len(codes), size):
            if self.known.lost_at is not None and not self.known.following and not self.forfeits:
                break
            if self.keep is not None:
                self.keep(self._state(first, chances, found))
            self._tell(len(codes) - first)
            batch = codes[first : first + size]
            boards = self.frontier.decode(batch)
            probs = self.frontier.ask(boards)
            self.known.asked += len(boards)
            self._examine(boards, probs, first == 0)
            for part in self.frontier.expand(boards, probs, chances[first : first + size]):
                found.add(part.codes, part.chances)
            forfeited = np.asarray(~probs.any(axis=1))
            lost: Mask = (self.frontier.won[:, 0] >= 0) | forfeited
            if lost.any():
                self._record_loss(batch, lost, forfeited)
            if self.frontier.drawn[0] or lost.any():
                self.known.always_wins = False
        return found.all()

    def _record_loss(self, batch: Codes, lost: Mask, forfeited: Mask) -> None:
        """Record a position of the batch that loses, if its loss is the shortest so far.

        In one round a forfeit ends the game before the reply that completes a line.
        """
        rank = np.where(forfeited, 0, np.where(lost, 1, 2))
        at, first, known = len(self.rounds) - 1, int(rank.argmin()), self.known
        if known.lost_at is None or (at, rank[first]) < (known.lost_round, known.lost_rank):
            known.lost_at = tuple(batch[first].tolist())
            known.lost_round, known.lost_rank = at, int(rank[first])

    def _examine(self, boards: Boards, probs: Probs, opening: bool) -> None:
        """Examine the player's output on a batch; `opening` marks the first batch of a round."""
        self.known.one_move = self.known.one_move and bool(((probs > 0).sum(axis=1) == 1).all())
        choice = np.count_nonzero(boards[0]) < self.rules.cells - 1
        if choice and not self.policy.traits.pure:
            each = max(1, 2 * SPREAD // self.rules.cells) if opening else 0
            self.drawn.add(boards, probs, always=middles(len(boards), each))
        if self.images:
            some = IMAGES_OF_ALL if self.known.images_checked < IMAGES_OF_ALL else IMAGES_OF_SOME
            which = middles(len(boards), min(some, len(boards)))
            require_images_alike(self.policy, boards[which], self.player.name)
            self.known.images_checked += len(which)

    def _require_same_answers(self) -> int:
        """Check that repeated queries of the sampled boards agree, and return their number."""
        if not self.drawn.added:
            return 0
        boards, probs = self.drawn.taken()
        require_answers_again(self.policy, boards, probs, self.player.name)
        return len(boards)

    def _losing_line(self) -> list[int] | None:
        if self.known.lost_at is None:
            return None
        game = LostGame(self.player, self.frontier)
        lost = np.array([self.known.lost_at], np.int64)
        return game.through(self.rounds[: self.known.lost_round], lost)

    def _symmetry(self) -> str | None:
        if not self.images:
            return None
        checked, asked = self.known.images_checked, self.known.asked
        some = "all" if checked == asked else f"{checked:,}"
        return f"mirror images treated alike: declared, checked on {some} of {asked:,}"

    def _seconds(self) -> float:
        return self.seconds_before + self.clock.seconds

    def _tell(self, waiting: int) -> None:
        if self.watch is not None:
            phase = FOLLOWING if self.options.rounds is None else SHORTENING
            number, asked = len(self.rounds) - 1, self.known.asked
            at = Round(self.player.seat, number, asked, waiting, self._seconds(), phase)
            self.watch(at)

    def within_limits(self, codes: Codes) -> Mask | None:
        """Return a mask of the positions to keep for the next round, or None to keep all.

        Also decides whether every reply is followed further, and whether the search runs out of
        positions. It then continues to the end of the round, whose positions are within the limit.
        """
        taken = sum(map(len, self.rounds))
        followed = min(self.options.followed, self.options.positions)
        if self.known.following and taken + len(codes) <= followed:
            return None
        boards = self.frontier.decode(codes)
        if self.known.always_wins is None:
            lines = open_for(boards, 1, self.rules.lines, self.rules.k)
            self.known.always_wins = None if lines.all() else False
        if self.known.always_wins is None and taken + len(codes) <= self.options.positions:
            return None
        self.known.following = False
        # The player moves first: the opponent gets the smaller half of the empty cells.
        left = min(self.rules.k, int(np.count_nonzero(boards[:1] == 0)) // 2)
        if self.options.rounds is not None:
            left = min(left, self.options.rounds - len(self.rounds))
        if self.forfeits:  # it may lose without any line
            kept: Mask = np.ones(len(boards), np.bool_)
        else:
            kept = open_for(boards, -1, self.rules.lines, left)
        if self.policy.traits.pairs:
            held = self.policy.holds(boards)
            self.known.pairing = self.known.pairing or bool(held.any())
            kept = kept & ~held
        if taken + np.count_nonzero(kept) > self.options.positions:
            self.known.ran_out = True
        return kept


class _Merged:
    """The distinct positions found for the next round, in sorted parts."""

    def __init__(self, search: _Search) -> None:
        self.search = search
        words = search.rounds[0].shape[1]
        self.parts: list[Part] = []
        self.waiting, self.least = 0, MERGED
        self.nothing = np.empty((0, words), np.int64)

    def restore(self, parts: list[Part], least: int) -> None:
        """Continue with the parts of an earlier search, merged above `least` positions."""
        self.parts, self.least = list(parts), least
        self.waiting = sum(len(codes) for codes, _ in parts)

    def add(self, codes: Codes, chances: NDArray[np.float64]) -> None:
        """Add a copy of codes (rows, words) with their probabilities (rows,)."""
        if not len(codes) or self.search.known.ran_out:
            return
        following = self.search.known.following
        self.parts.append(with_sums(codes, chances) if following else (distinct(codes), None))
        self.waiting += len(self.parts[-1][0])
        if self.waiting > self.least:
            self._merge()
            self.least = self.waiting + MERGED

    def all(self) -> tuple[Codes, NDArray[np.float64]]:
        """Return all positions, sorted, with their probabilities (zero if not tracked)."""
        self._merge()
        if not self.parts:
            return self.nothing, np.zeros(0)
        codes, chances = self.parts[0]
        return codes, np.zeros(len(codes)) if chances is None else chances

    def _merge(self) -> None:
        """Merge all parts into one sorted part, and keep the search within its limits."""
        if not self.parts:
            return
        codes = np.concatenate([codes for codes, _ in self.parts])
        chances = None
        if self.search.known.following:
            every = [chances for _, chances in self.parts if chances is not None]
            codes, chances = with_sums(codes, np.concatenate(every))
        else:
            codes = distinct(codes)
        self.parts = []
        kept = self.search.within_limits(codes)
        if self.search.known.ran_out:
            return
        if kept is not None:
            codes, chances = codes[kept], None
        self.parts, self.waiting = [(codes, chances)], len(codes)
