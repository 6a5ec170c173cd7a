"""Every position that a player's own moves and any replies lead to, round by round, on any board.

Against a player that is a function of the board, the other side chooses alone. What it can reach is
a graph, gone through breadth first: a round is one question to the player about all positions that
are new, its moves, and every reply. Positions of different rounds differ in their stones, so only
the positions of one round are compared, by sorting. A mixed answer counts with all its moves.

Two facts keep the graph small where the question is only whether the player can lose: a position
in which the opponent has no open line left, a line without a stone of the player, that needs no
more stones than the opponent can still place, is never lost; and the first lost game that is found
is a shortest one. Where the question is only whether it can lose within some rounds, the opponent
can place no more stones than rounds are left.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tttenv.certificates import reachability_kernel as kernels
from tttenv.certificates.equivariance import geometry, require_images_alike
from tttenv.certificates.lost_game import LostGame
from tttenv.certificates.one_side import SeatedPlayer
from tttenv.certificates.position_sets import distinct, with_sums
from tttenv.certificates.reachability_kernel import Codes, Replies
from tttenv.exact.determinism import SPREAD, Drawn, ask, known_pure, middles, require_answers_again
from tttenv.game.types import Boards, Mask, Probs
from tttenv.policy import declares_equivariance
from tttenv.utils.compile_time import Stopwatch

POSITIONS = 20_000_000  # positions of one seat, unless told otherwise: 160 MB of codes
FOLLOWED = 100_000  # of them, how many may be taken for the exact result against random replies
BATCH = 2**15  # boards in one question to the player, on large boards fewer
SHORT_BATCH = 2**6  # the same for a player that is asked about one board at a time
BATCH_NUMBERS = 2**21  # probabilities in the answer to one question, at the most
ROWS = 2**20  # replies worked on together
MERGED = 2**23  # codes that may wait until they are sorted together
IMAGES_OF_ALL = 1_000  # positions of a seat, the first ones, of which all images are checked
IMAGES_OF_SOME = 32  # positions of each later batch of which they are
FOLLOWING, ATTACKING, SHORTENING = ("following", "attacking", "shortening")


@dataclass(frozen=True)
class Round:
    """How far the search of a seat is, for whoever shows it."""

    seat: str
    number: int  # of the round, from 0 on
    positions: int  # asked about so far, all rounds together
    waiting: int  # of this round, not yet asked about
    seconds: float
    phase: str = FOLLOWING  # or ATTACKING, SHORTENING


Watch: TypeAlias = Callable[[Round], None]  # called before every question to the player


@dataclass(frozen=True)
class Reached:
    """What is known of a player in one seat."""

    positions: int  # that it was asked about
    never_loses: bool | None  # None: undecided
    always_wins: bool | None  # None: undecided
    one_move: bool  # whether every answer was one move
    vs_random: list[float] | None  # win, draw, loss; None unless every reply was followed
    losing_line: list[int] | None  # a shortest lost game as the cells of both sides; None if none
    symmetry: str | None  # how it is known that mirror images are treated alike, if that was used
    queried_twice: int  # positions


@dataclass(frozen=True)
class Options:
    """What a search may take, and what is known or allowed beforehand."""

    positions: int = POSITIONS  # in all
    followed: int = FOLLOWED  # for `Reached.vs_random`, with every reply followed
    may_always_win: bool = True  # False: it is known that the player does not always win
    images: bool = True  # mirror images may stand for one another if the player treats them alike
    rounds: int | None = None  # in all; None for any number
    sampled: int | None = None  # positions asked about again at the most; None: see `purity`


DEFAULTS = Options()


def search(
    player: SeatedPlayer,
    options: Options = DEFAULTS,
    watch: Watch | None = None,
) -> Reached:
    """Go through every position that a player's own moves in one seat and any replies lead to.

    When the positions that may be followed are spent, positions that cannot be lost are left out,
    as soon as it is known that the player does not always win; and the search ends if a lost game
    has been found. Mirror images stand for one another if the player declares that it treats them
    alike; this is checked on all positions of small searches, on some of large ones.

    Args:
        player: whose moves are followed.
        options: the limits of the search.
        watch: called before every question.

    Raises:
        ValueError: if the policy breaks the laws of one, answers a board otherwise when it is asked
            again, or treats mirror images differently though it declares otherwise.
    """
    return _Search(player, options, watch).run()


def loss_within(
    player: SeatedPlayer,
    rounds: int,
    positions: int,
    watch: Watch | None = None,
) -> Reached:
    """Look for a shortest game that a player loses within some rounds.

    Args:
        player: whose moves are followed.
        rounds: of a move of the player and a reply each, of which the last wins.
        positions: how many may be taken in all.
        watch: called before every question.

    Returns:
        What was found, where `never_loses` is True if no game is lost within these rounds, and None
        if the positions did not suffice to know.

    Raises:
        ValueError: as `search`.
    """
    options = Options(
        positions=positions, followed=0, may_always_win=False, rounds=rounds, sampled=SPREAD
    )
    return _Search(player, options, watch).run()


class _Search:
    """One search, from the empty board to the last round."""

    def __init__(self, player: SeatedPlayer, options: Options, watch: Watch | None) -> None:
        self.player, self.options, self.watch = player, options, watch
        self.rules, self.policy = player.rules, player.policy
        self.images = options.images and declares_equivariance(player.policy)
        self.geometry = geometry(player.rules, self.images)
        self.rounds: list[Codes] = []  # the codes of each round, sorted
        self.asked, self.images_checked = 0, 0  # positions
        self.following = True  # whether every reply is followed
        self.ran_out = False  # whether more positions were needed than allowed
        # By strategy stealing the second player wins no m,n,k-game by force.
        may_always_win = options.may_always_win and player.seat == "X"
        self.always_wins: bool | None = None if may_always_win else False
        self.one_move = True
        self.lost_at: Codes | None = None  # (1, words): the position before a shortest loss
        self.lost_round = 0  # the round of that position
        self.ended = np.zeros((2, 3))  # the chances of games won, drawn and lost; rounding errors
        few = {} if options.sampled is None else {"sampled": options.sampled, "cheap": 0}
        self.drawn = Drawn(self.policy, **few)  # boards to ask about again, and the answers
        self.clock = Stopwatch()

    def run(self) -> Reached:
        codes, chances = self._first_round()
        self.within_limits(codes)
        while len(codes) and len(self.rounds) != self.options.rounds and not self._ended():
            self.rounds.append(codes)
            codes, chances = self._next_round(codes, chances)
        queried_twice = self._require_same_answers()
        complete = not self.ran_out
        every = self.following and complete
        if self.always_wins is None and every:
            self.always_wins = True
        odds = [round(float(part), 15) for part in self.ended[0]] if every else None
        lost = self.lost_at is not None
        return Reached(
            positions=self.asked,
            never_loses=False if lost else True if complete else None,
            always_wins=self.always_wins,
            one_move=self.one_move,
            vs_random=odds,
            losing_line=self._losing_line(),
            symmetry=self._symmetry(),
            queried_twice=queried_twice,
        )

    def _ended(self) -> bool:
        """Whether no further position can change what the search is still for."""
        return self.ran_out or (self.lost_at is not None and not self.following)

    def _first_round(self) -> tuple[Codes, NDArray[np.float64]]:
        """The positions in which the player moves first, and their chances."""
        boards = self.player.first_boards()
        chances = np.full(len(boards), 1 / len(boards))
        return with_sums(kernels.encode(boards, self.geometry), chances)

    def _next_round(
        self, codes: Codes, chances: NDArray[np.float64]
    ) -> tuple[Codes, NDArray[np.float64]]:
        """Ask about the positions of a round; the positions of the next one."""
        found = _Merged(self)
        rows = max(ROWS, self.rules.cells**2)
        largest = SHORT_BATCH if getattr(self.policy, "one_by_one", False) else BATCH
        size = max(1, min(largest, BATCH_NUMBERS // self.rules.cells))
        output = Replies(
            codes=np.empty((rows, codes.shape[1]), np.int64),
            chances=np.empty(rows),
            ended=self.ended,
            drawn=np.zeros(1, np.bool_),
            lost=np.zeros(size, np.bool_),
        )
        for first in range(0, len(codes), size):
            if self.lost_at is not None and not self.following:
                break
            self._tell(len(codes) - first)
            batch = codes[first : first + size]
            boards = kernels.decode(batch, self.rules.cells)
            probs = np.ascontiguousarray(ask(boards, self.policy))
            self.asked += len(boards)
            self._examine(boards, probs, first == 0)
            output.lost[:] = False
            start = 0
            while start < len(boards):
                here = boards, probs, chances[first : first + size], start, self.geometry, output
                start, count = kernels.expand(*here)
                found.add(output.codes[:count], output.chances[:count])
            lost = np.flatnonzero(output.lost[: len(boards)])
            if len(lost) and self.lost_at is None:
                self.lost_at, self.lost_round = batch[lost[:1]], len(self.rounds) - 1
            if output.drawn[0] or len(lost):
                self.always_wins = False
        return found.all()

    def _examine(self, boards: Boards, probs: Probs, opening: bool) -> None:
        """Note what is to be known about a batch's answers; `opening`: the first of a round."""
        self.one_move = self.one_move and bool(((probs > 0).sum(axis=1) == 1).all())
        choice = np.count_nonzero(boards[0]) < self.rules.cells - 1
        if choice and not known_pure(self.policy):
            each = max(1, 2 * SPREAD // self.rules.cells) if opening else 0
            self.drawn.add(boards, probs, always=middles(len(boards), each))
        if self.images:
            some = IMAGES_OF_ALL if self.images_checked < IMAGES_OF_ALL else IMAGES_OF_SOME
            which = middles(len(boards), min(some, len(boards)))
            require_images_alike(self.rules, self.policy, boards[which], self.player.name)
            self.images_checked += len(which)

    def _require_same_answers(self) -> int:
        """Ask again about the boards that were drawn; how many these are."""
        if not self.drawn.added:
            return 0
        boards, probs = self.drawn.taken()
        require_answers_again(self.rules, self.policy, boards, probs, self.player.name)
        return len(boards)

    def _losing_line(self) -> list[int] | None:
        if self.lost_at is None:
            return None
        game = LostGame(self.player, self.geometry)
        return game.through(self.rounds[: self.lost_round], self.lost_at)

    def _symmetry(self) -> str | None:
        if not self.images:
            return None
        some = "all" if self.images_checked == self.asked else f"{self.images_checked:,}"
        return f"mirror images treated alike: declared, checked on {some} of {self.asked:,}"

    def _tell(self, waiting: int) -> None:
        if self.watch is not None:
            seconds = self.clock.seconds
            phase = FOLLOWING if self.options.rounds is None else SHORTENING
            at = Round(self.player.seat, len(self.rounds) - 1, self.asked, waiting, seconds, phase)
            self.watch(at)

    def within_limits(self, codes: Codes) -> Mask | None:
        """Which of the positions found for the next round are kept; None for all.

        Decides, too, whether every reply is followed further, and whether the search runs out. It
        then goes on to the end of the round, whose positions are within the limit.
        """
        taken = sum(map(len, self.rounds))
        followed = min(self.options.followed, self.options.positions)
        if self.following and taken + len(codes) <= followed:
            return None
        boards = kernels.decode(codes, self.rules.cells)
        if self.always_wins is None:
            lines = kernels.open_for(boards, 1, self.geometry.lines, self.rules.k)
            self.always_wins = None if lines.all() else False
        if self.always_wins is None and taken + len(codes) <= self.options.positions:
            return None
        self.following = False
        # The player moves first: of the empty cells the opponent has the smaller half.
        left = min(self.rules.k, int(np.count_nonzero(boards[:1] == 0)) // 2)
        if self.options.rounds is not None:
            left = min(left, self.options.rounds - len(self.rounds))
        kept = kernels.open_for(boards, -1, self.geometry.lines, left)
        if taken + np.count_nonzero(kept) > self.options.positions:
            self.ran_out = True
        return kept


class _Merged:
    """The positions found for the next round, without repetitions; sorted part by part."""

    def __init__(self, search: _Search) -> None:
        self.search = search
        words = search.rounds[0].shape[1]
        self.parts: list[tuple[Codes, NDArray[np.float64] | None]] = []
        self.waiting, self.least = 0, MERGED
        self.nothing = np.empty((0, words), np.int64)

    def add(self, codes: Codes, chances: NDArray[np.float64]) -> None:
        """Add codes (rows, words) with their chances (rows,), which are copied."""
        if not len(codes) or self.search.ran_out:
            return
        following = self.search.following
        self.parts.append(with_sums(codes, chances) if following else (distinct(codes), None))
        self.waiting += len(self.parts[-1][0])
        if self.waiting > self.least:
            self._merge()
            self.least = self.waiting + MERGED

    def all(self) -> tuple[Codes, NDArray[np.float64]]:
        """All positions, sorted, and their chances (zero if these are not followed)."""
        self._merge()
        if not self.parts:
            return self.nothing, np.zeros(0)
        codes, chances = self.parts[0]
        return codes, np.zeros(len(codes)) if chances is None else chances

    def _merge(self) -> None:
        """Make one sorted part of all, and keep the search within its limits."""
        if not self.parts:
            return
        codes = np.concatenate([codes for codes, _ in self.parts])
        chances = None
        if self.search.following:
            every = [chances for _, chances in self.parts if chances is not None]
            codes, chances = with_sums(codes, np.concatenate(every))
        else:
            codes = distinct(codes)
        self.parts = []
        kept = self.search.within_limits(codes)
        if self.search.ran_out:
            return
        if kept is not None:
            codes, chances = codes[kept], None
        self.parts, self.waiting = [(codes, chances)], len(codes)
