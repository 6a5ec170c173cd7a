"""Results of two players against each other from given openings, in both colours.

The result is exact if both players are functions of the board and few enough positions are
reachable by both together: these are enumerated, ply by ply, without duplicates, and the
probabilities of win, draw and loss are backed up from the last ply to the first. Otherwise the
requested number of games is played, with moves sampled from the players' probabilities. Whether
few enough can be searched is estimated before each ply from the positions there: as if every game
went on until the board is full.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import comb
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tttenv.certificates.metrics.arena import Sampled
from tttenv.env.rollouts import results
from tttenv.exact.determinism import middles, require_answers_again
from tttenv.game.outcomes_kernel import Outcome
from tttenv.game.rewards import ODDS
from tttenv.game.rules import Rules
from tttenv.game.symmetry import maps
from tttenv.game.types import Boards, Odds, Probs
from tttenv.policy import Player, Wrapped, ask
from tttenv.reach import Graph, require_images_alike
from tttenv.reach.walk import Ply, TooManyPositionsError, visits, walk
from tttenv.utils.untrusted import first_line, shown

EXACT, SAMPLED = "exact", "sampled"
DIGITS = 12  # decimals of exact probabilities; the rest is rounding error
BLOCK = 2**24  # maximum numbers in an intermediate array
KEPT = 200_000  # maximum cached outputs of a player: some 80 MB
ASKED_AGAIN = 16  # boards queried again, to check that a player is a function of the board
LONGEST = 300  # maximum characters of an error message
PIECE = 16  # boards that a player searches between two reports of progress
Tell: TypeAlias = Callable[[int, int, str], None]  # boards queried, of how many, what is done


def silent(done: int, most: int, what: str) -> None:
    """Report no progress."""


class PlayerError(ValueError):
    """Raised if a player raises an error or returns invalid probabilities."""


class CachedPlayer(Wrapped):
    """A player with validated outputs, cached if it searches and its outputs do not vary.

    A player is refused if its outputs vary and its traits do not say so; unless `strict`, its
    traits are corrected instead.
    """

    def __init__(self, player: Player, strict: bool = True, **changes: Any) -> None:
        super().__init__(player, **changes)
        self._strict = strict
        varies = self.traits.depends_on is not None
        self._keeps = self.traits.searches and self.traits.alone and not varies
        self._known: dict[bytes, tuple[NDArray[np.intp], Probs]] = {}  # nonzero cells, their probs
        self._trusted = varies or self.traits.pure
        self.watch: Callable[[int], None] = lambda boards: None  # called with boards just queried

    def __call__(self, boards: Boards) -> Probs:
        """Return validated probabilities (batch, cells) for undecided boards (batch, cells).

        Raises:
            PlayerError: if the player raises an error or returns invalid probabilities.
        """
        try:
            probs = self._kept(boards) if self._keeps else self._ask(boards)
            if not self._trusted and len(boards):
                self._check(boards, probs)
        except Exception as error:  # foreign players may raise any exception
            raise PlayerError(shown(f"{self.name}: {first_line(error)}", LONGEST)) from error
        return probs

    def _check(self, boards: Boards, probs: Probs) -> None:
        """Query some boards again, to check that the player is a function of the board."""
        which = middles(len(boards), ASKED_AGAIN)
        try:
            require_answers_again(self.player, boards[which], probs[which], "the player")
        except ValueError:
            if self._strict:
                raise
            self.traits = replace(self.traits, depends_on="more than the board")
            self._keeps = False
        if self.traits.equivariant:
            require_images_alike(self.player, boards[which], "the player")
        self._trusted = True

    def _kept(self, boards: Boards) -> Probs:
        """Return the outputs, using the cache for boards that were queried before."""
        keys = [board.tobytes() for board in np.ascontiguousarray(boards, np.int8)]
        new = {key: row for row, key in enumerate(keys) if key not in self._known}
        if len(self._known) + len(new) > KEPT:
            self._known = {key: self._known[key] for key in keys if key in self._known}
        if new:
            answers = self._ask(boards[list(new.values())])
            for key, answer in zip(new, answers, strict=True):
                self._known[key] = np.flatnonzero(answer), answer[answer != 0]
        probs = np.zeros(boards.shape)
        for row, key in zip(probs, keys, strict=True):
            row[self._known[key][0]] = self._known[key][1]
        return probs

    def _ask(self, boards: Boards) -> Probs:
        """Return the player's output, in pieces if it searches each board by itself."""
        traits, answers = self.traits, []
        alone = traits.searches and (traits.alone or traits.one_by_one)
        size = PIECE if alone else max(1, len(boards))
        for at in range(0, max(1, len(boards)), size):
            piece = boards[at : at + size]
            answers.append(ask(piece, self.player))
            self.watch(len(piece))
        return np.concatenate(answers)


def _watch(seats: Sequence[CachedPlayer], each: int, what: str, tell: Tell) -> None:
    """Report from now on the boards of the players that search, or else of all of them."""
    watched = [player for player in seats if player.traits.searches] or seats
    done = 0

    def news(boards: int) -> None:
        nonlocal done
        done += boards
        tell(done, each * len(watched), what)

    for player in seats:
        player.watch = news if player in watched else lambda boards: None


@dataclass(frozen=True)
class PairLimits:
    """Limits on exact computation, beyond which games are sampled instead."""

    positions: int = 2_500_000  # maximum positions reachable by both players together
    searches: int = 20_000  # the same, for queries of a player that searches


LIMITS = PairLimits()


class Game(NamedTuple):
    """A game of a pair."""

    opening: int  # its index
    seat: str  # "X" or "O", of the first player
    moves: list[int]  # the cells played after the opening; FORFEIT ends a game
    result: int  # 1, 0 or -1 for the first player


class PairResult(NamedTuple):
    """The result of two players, from the first player's side."""

    method: str  # EXACT or SAMPLED
    # (2, openings, 3): wins, draws and losses of the first player as X and as O. Probabilities that
    # sum to one if exact, else counts of games.
    odds: NDArray[np.float64]

    @property
    def games(self) -> int:
        """Number of games: one per opening and colour if exact, else as played."""
        return round(float(self.odds.sum()))

    @property
    def shares(self) -> NDArray[np.float64]:
        """Fractions (3,) of wins, draws and losses of the first player over all games."""
        total = self.odds.sum(axis=(0, 1))
        return np.asarray(np.round(total / total.sum(), DIGITS), np.float64)

    @property
    def value(self) -> float:
        """Mean result of the first player: a win counts 1, a draw 0, a loss -1."""
        win, _, loss = self.odds.sum(axis=(0, 1))
        return round(float((win - loss) / self.odds.sum()), DIGITS) + 0.0

    @property
    def error(self) -> float:
        """Standard error of `value`; 0 if it is exact. See `arena.Sampled.error`."""
        return 0.0 if self.method == EXACT else self._sampled.error

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % confidence interval of `value`; a single point if it is exact."""
        if self.method == EXACT:
            return self.value, self.value
        return self._sampled.interval

    @property
    def _sampled(self) -> Sampled:
        return Sampled(self.games, *self.shares.tolist())

    def reversed(self) -> "PairResult":
        """Return the same result from the other player's side."""
        return PairResult(self.method, self.odds[::-1, :, ::-1])


def play(
    rules: Rules,
    first: CachedPlayer,
    second: CachedPlayer,
    openings: Boards,
    games: int,
    seed: int,
    limits: PairLimits = LIMITS,
    tell: Tell = silent,
    record: list[Game] | None = None,
) -> PairResult:
    """Compute the exact result of a pair, or sample games if that is infeasible.

    Args:
        rules: the game.
        first: a player.
        second: another one, or the same.
        openings: undecided boards (openings, cells) with the same number of stones.
        games: the even number of games to play if the result is not exact.
        seed: the seed of these games.
        limits: the limits of an exact result.
        tell: called with the progress.
        record: a list to which games that are played are added.

    Raises:
        PlayerError: if a player raises an error or returns invalid probabilities.
    """
    odds = exact_odds(rules, first, second, openings, limits, tell)
    if odds is not None:
        return PairResult(EXACT, odds)
    return sampled_games(rules, first, second, openings, games, seed, tell, record)


class PlyMoves(NamedTuple):
    """The moves from the distinct positions with the same number of stones."""

    positions: int
    origin: NDArray[np.int64]  # (moves,): the position before the move
    chance: NDArray[np.float64]  # (moves,): the move's probability
    after: NDArray[np.int64]  # (moves,): the position of the next ply, or minus the outcome


def exact_odds(
    rules: Rules,
    first: CachedPlayer,
    second: CachedPlayer,
    openings: Boards,
    limits: PairLimits = LIMITS,
    tell: Tell = silent,
) -> NDArray[np.float64] | None:
    """Compute the exact odds (2, openings, 3) of a pair; None if that is infeasible.

    Args:
        rules: the game.
        first: a player.
        second: another one, or the same.
        openings: undecided boards (openings, cells) with the same number of stones.
        limits: the limits of positions and searches.
        tell: called with the progress.

    Returns:
        The probabilities of a win, a draw and a loss of the first player, as X and as O; None if a
        player is no function of the board, or a limit would be exceeded.

    Raises:
        PlayerError: if a player raises an error or returns invalid probabilities.
    """
    seats = first, second
    if _vary(seats):
        return None
    searching = np.array([player.traits.searches for player in seats])
    most = limits.searches if searching.any() else limits.positions // 2
    _watch(seats, most, "looking for an exact result", tell)
    images = all(player.traits.equivariant for player in seats)
    graph = Graph(rules, images)
    stones = int(np.count_nonzero(openings[0]))
    # As X, the first player is to move on openings with an even number of stones.
    second_moves = np.array([stones % 2, 1 - stones % 2])
    codes = np.tile(graph.encode(openings), (2, 1))
    # A position is its mover, 0 for the first player, and the board's code.
    start = np.column_stack([np.repeat(second_moves, len(openings)), codes])
    plies: list[PlyMoves] = []
    queried = np.zeros(2, np.int64)
    try:
        for ply in walk(graph, start, limits.positions):
            if plies:
                plies[-1].after[plies[-1].after == Outcome.GOING] = ply.numbers
            else:
                of_openings = ply.numbers
            movers = np.bincount(ply.codes[:, 0], minlength=2)
            searches = (queried + _expected(rules, stones + ply.number, movers, images))[searching]
            queried += movers
            if searches.max(initial=0) > limits.searches:
                return None
            plies.append(_moves(ply, seats))
            if _vary(seats):
                return None
    except TooManyPositionsError:
        return None
    odds = _backed_up(plies)[of_openings].reshape(2, len(openings), 3)
    theirs = int(second_moves.argmax())  # the colour of the first player in which the second began
    odds[theirs] = odds[theirs, :, ::-1]
    return np.round(odds, DIGITS) + 0.0


def _vary(seats: Sequence[CachedPlayer]) -> bool:
    """Return whether a player is known not to be a function of the board."""
    return any(player.traits.depends_on is not None for player in seats)


def _expected(
    rules: Rules, stones: int, movers: NDArray[np.int64], images: bool
) -> NDArray[np.int64]:
    """Estimate the positions from a ply on at which each player moves, if no game ends early.

    There are as many as in the ply, where the players are `movers` (2,) times to move, or as many
    as the later ply has boards.
    """
    total, symmetries = np.zeros(2, np.int64), len(maps(rules)) if images else 1
    for count in range(stones, rules.cells):
        boards = -(-comb(rules.cells, count) * comb(count, count // 2) // symmetries)
        total += np.minimum(movers, min(boards, np.iinfo(np.int64).max))
        movers = movers[::-1]
    return total


def _moves(ply: Ply, seats: tuple[CachedPlayer, CachedPlayer]) -> PlyMoves:
    """Query the players on a ply, and follow their moves."""
    parts, size = [], max(1, BLOCK // ply.graph.rules.cells**2)
    for number, player in enumerate(seats):
        rows = np.flatnonzero(ply.codes[:, 0] == number)
        # A cached player validates its output by itself.
        for visit in visits(ply.graph, player, ply.codes, rows, size, ask=lambda b, p: p(b)):
            moves = visit.moves()
            chance = visit.probs[moves.origin, moves.cell]
            parts.append((visit.rows[moves.origin], chance, -moves.end.astype(np.int64)))
            ply.follow(np.column_stack([np.full(len(moves.codes), 1 - number), moves.codes]))
    return PlyMoves(len(ply.codes), *map(np.concatenate, zip(*parts, strict=True)))


def _backed_up(plies: list[PlyMoves]) -> Odds:
    """Compute the odds (positions, 3) of the first ply's positions by backward induction."""
    odds: Odds = np.zeros((0, 3))
    for ply in reversed(plies):
        # The odds of the next ply's positions for the other side; from the end, those of outcomes.
        worth = np.concatenate([odds[:, ::-1], ODDS[:0:-1]])
        sums = [
            np.bincount(ply.origin, ply.chance * part[ply.after], ply.positions)
            for part in np.ascontiguousarray(worth.T)
        ]
        odds = np.stack(sums, axis=1)
        odds[np.bincount(ply.origin, minlength=ply.positions) == 0, 2] = 1.0  # forfeits
    return odds


def sampled_games(
    rules: Rules,
    first: CachedPlayer,
    second: CachedPlayer,
    openings: Boards,
    games: int,
    seed: int,
    tell: Tell = silent,
    record: list[Game] | None = None,
) -> PairResult:
    """Play every opening equally often, the rest at random, each in both colours.

    Args:
        rules: the game.
        first: a player.
        second: another one, or the same.
        openings: undecided boards (openings, cells) with the same number of stones.
        games: their number, even.
        seed: of the openings and moves that are sampled.
        tell: called with the progress.
        record: a list to which the games are added.

    Raises:
        ValueError: if the number of games is odd or below 2.
        PlayerError: if a player raises an error or returns invalid probabilities.
    """
    if games < 2 or games % 2:
        raise ValueError(f"games must be an even number, half for each colour, not {games}")
    rng, count = np.random.default_rng(seed), len(openings)
    every, more = divmod(games // 2, count)
    drawn = np.sort(rng.choice(count, more, replace=False))
    numbers = np.concatenate([np.repeat(np.arange(count), every), drawn])
    plies = rules.cells - int(np.count_nonzero(openings[0]))
    _watch((first, second), games * -(-plies // 2), f"at most, in {games:,} games", tell)
    odds: NDArray[np.float64] = np.zeros((2, count, 3))
    record = [] if record is None else record
    for colour, seats in enumerate(((first, second), (second, first))):
        moves: list[list[int]] = [[] for _ in numbers]
        of_first = (1 - 2 * colour) * results(rules, seats, openings[numbers], rng, moves)
        np.add.at(odds[colour], (numbers, 1 - of_first), 1)
        for number, cells, result in zip(numbers, moves, of_first, strict=True):
            record.append(Game(int(number), "XO"[colour], cells, int(result)))
    return PairResult(SAMPLED, odds)
