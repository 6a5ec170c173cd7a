"""Checks for a policy: valid output, and common mistakes of trained players.

`check_policy` raises the first violated invariant; the doctor reports every finding.
"""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np

from tttenv.certificates import phrases
from tttenv.certificates.certificate import certify
from tttenv.certificates.refutation import refute
from tttenv.exact import SEATS, Tabulated, enumerable, positions, solve, tabulate
from tttenv.game.rules import Rules
from tttenv.game.types import Boards, Mask, Numbers, Probs
from tttenv.players import player as named_player
from tttenv.policy import (
    Observed,
    Player,
    Policy,
    first_best,
    hidden_by_mask,
    masked_normalise,
    player_for,
    sample,
    uniform,
)
from tttenv.proofs.prover import known_value
from tttenv.testing.findings import (
    TEXTS,
    Checks,
    Finding,
    SubjectError,
    examine,
    failing,
    mistake,
    raise_first,
)
from tttenv.utils.arrays import answered_numbers, at_least, integers_from

EVERY = 2**62  # more boards than any game has
SOME = 500  # boards for repeated queries, and of a game that is too large to enumerate
CHANCE = 0.1  # margin of optimal moves over random ones that untrained weights may reach
WORSE = -0.2  # of the way from random moves to the best, what is clearly worse than random moves
SEARCHED = 500  # positions searched for a lost game in each seat
MOST_PROBABLE = " (--kind values, or deterministic=true for a model of Stable-Baselines3)"


@dataclass(frozen=True)
class CheckedPlayer:
    """A player under test, with validated outputs."""

    rules: Rules
    policy: Player  # unchanged, valid or not
    network: Observed | None = None  # its network, if known
    masks: bool = True  # whether its own library masks its moves
    count: int | None = None  # boards to test; None: all, or 500 of a large game
    near: float = 1e-4  # tolerance: a network's rounding depends on the batch
    unbeatable_at: int | None = None  # the first step of its training at which it was, if known

    @cached_property
    def boards(self) -> Boards:
        """The undecided boards on which to query the player."""
        every = EVERY if enumerable(self.rules) else SOME
        return some_boards(self.rules, every if self.count is None else self.count)

    @cached_property
    def some(self) -> Boards:
        """A sample of `boards`, for repeated queries."""
        return self.boards[:: max(1, len(self.boards) // SOME)]

    @cached_property
    def output(self) -> Numbers:
        """The player's output on all boards, from the first query."""
        return self.query(self.boards)

    @cached_property
    def table(self) -> Tabulated:
        """The player's moves on an enumerable board as a table, masked and renormalized."""
        return self.tabulated(masked_normalise(self.output, self.boards == 0))

    @cached_property
    def most_probable(self) -> Tabulated:
        """The player's most probable legal moves as a table, for a network those of its numbers."""
        numbers = self.output if self.network is None else self.of_network("numbers")
        return self.tabulated(first_best(numbers, self.boards == 0))

    def tabulated(self, probs: Probs) -> Tabulated:
        """Return a table with `probs` (boards, cells) on all undecided boards."""
        game = positions(self.rules)
        every = np.zeros((len(game), self.rules.cells))
        every[game.decisions] = probs
        return Tabulated(self.rules, every)

    @cached_property
    def strength(self) -> "tuple[Strength, ...]":
        """The player's exact strength as X and as O, on enumerable boards."""
        return strength(self.rules, self.table)

    def query(self, boards: Boards) -> Numbers:
        """Return the player's output (batch, cells) on boards (batch, cells).

        Raises:
            SubjectError: if it fails, changes the boards, or has another shape.
        """
        given = boards.copy()
        with self._named_failures(boards):
            numbers = answered_numbers(self.policy(given), "it")
        if (given != boards).any():
            raise SubjectError("changes the boards on which it is queried", "work on a copy")
        if numbers.shape != boards.shape:
            raise self.refused(f"answers {numbers.shape} numbers about {boards.shape} cells")
        return numbers

    def of_network(self, what: str) -> Numbers:
        """Return the network's "numbers", its raw outputs, or "unmasked" probabilities."""
        with self._named_failures(self.boards):
            numbers: Numbers = getattr(self.network, what)(self.boards)
            return numbers

    def refused(self, text: str) -> SubjectError:
        """Return an error that says what output the player must have."""
        return SubjectError(text, TEXTS[self._part]["change"])

    @property
    def _part(self) -> str:
        return "function" if self.network is None else "network"

    def _named_failures(self, boards: Boards) -> AbstractContextManager[None]:
        given = f"boards of shape {boards.shape}"
        if self.network is not None:
            given = f"{len(boards)} observations of {self.rules} (--obs {self.network.obs})"
        return failing(f"given {given}", self._part)


def some_boards(rules: Rules, count: int = SOME, seed: int = 0) -> Boards:
    """Return undecided boards, some of all or, on boards too large for that, of random games.

    Args:
        rules: the game.
        count: the most boards.
        seed: the seed of the choice.

    Returns:
        Boards (at most `count`, cells), in the view of the side to move.

    Raises:
        ValueError: for fewer than one.
    """
    integers_from(1, count=count)
    rng = np.random.default_rng(seed)
    if enumerable(rules):
        game = positions(rules)
        chosen = rng.permutation(game.decisions)[:count]
        some: Boards = game.boards[np.sort(chosen)]
        return some
    boards, found = rules.start(32), [rules.start(1)]
    while sum(map(len, found)) < count and len(boards):
        boards = rules.play(boards, sample(uniform(boards), rng.random(len(boards))))
        boards = boards[~rules.over(boards)]
        found.append(boards)
    return np.concatenate(found)[:count]


@dataclass(frozen=True)
class Strength:
    """A player's exact strength in one seat; shares are 1 if there is no such position."""

    gain: float  # progress from random play (0) to a best response to it (1)
    optimal: float  # mean probability of optimal moves, where a mistake is possible
    wins: float  # how often it plays an available winning move
    beatable: bool  # whether some opponent gets more than the value of the game


def strength(rules: Rules, player: Tabulated) -> tuple[Strength, ...]:
    """Measure a player's exact strength as X and as O.

    Args:
        rules: the game, small enough to enumerate.
        player: its moves in all positions.
    """
    game, solution = positions(rules), solve(rules)
    legal: Mask = game.successors >= 0
    wins: Mask = legal & game.lost[game.successors]
    good = [(solution.optimal, (legal & ~solution.optimal).any(axis=1))]
    good.append((wins, wins.any(axis=1) & ~game.over))
    exact, chance = certify(rules, player).to_dict(), certificate_by_chance(rules)
    both, found = (chance["vs_random"], exact["vs_random"]), []
    for seat, name in enumerate(SEATS):
        shares = []
        for moves, rows in good:
            own = np.asarray(rows & (game.seats == seat))
            share = (player.table * moves).sum(axis=1)[own]
            shares.append(float(share.mean()) if own.any() else 1.0)
        low, reached = (odds[name][0] - odds[name][2] for odds in both)
        high = -chance["worst_case"][SEATS[1 - seat]]  # of the best response to random moves
        beatable = exact["worst_case"][name] < (1 - 2 * seat) * solution.value - 1e-9
        gain = (reached - low) / max(high - low, 1e-9)
        found.append(Strength(gain, shares[0], shares[1], beatable))
    return tuple(found)


@cache
def certificate_by_chance(rules: Rules) -> dict[str, Any]:
    """Return the certificate of random moves."""
    return certify(rules, uniform).to_dict()


@cache
def by_chance(rules: Rules) -> tuple[Strength, ...]:
    """Return the strength of random moves as X and as O."""
    return strength(rules, tabulate(rules, uniform))


def answers(subject: CheckedPlayer) -> Finding:
    """Check that the player returns valid probabilities, or a forfeit, for every board.

    Raises:
        SubjectError: if it does not.
    """
    boards, numbers = subject.boards, subject.output
    good = (np.abs(numbers.sum(axis=1) - 1) <= 1e-4) & (numbers >= 0).all(axis=1)
    if subject.policy.traits.forfeits:
        good |= ~numbers.any(axis=1)
    if not good.all():
        first = good.argmin()
        shown = f"{subject.rules.format(boards[first])}: {np.round(numbers[first], 4).tolist()}"
        raise subject.refused(f"returns no probabilities on the board {shown}")
    return Finding("ok", f"returns probabilities on {len(boards)} boards")


def repeatable(subject: CheckedPlayer) -> Finding:
    """Check that the output on a board depends neither on earlier queries nor on the batch."""
    boards, near = subject.some, subject.near
    once = subject.query(boards)
    off = np.abs(subject.query(boards) - once).max(axis=1)
    limit = subject.policy.traits.depends_on
    if limit or (off > near).any():
        differing = f"returns another output for {percent((off > near).mean())} of the boards"
        return mistake("repeatable.output", how=f"is limited by {limit}" if limit else differing)
    order = np.random.default_rng(0).permutation(len(boards))
    alone = np.concatenate([subject.query(boards[i : i + 1]) for i in order[:50]])
    mixed = np.abs(subject.query(boards[order]) - once[order]).max()
    if (most := max(mixed, np.abs(alone - once[order[:50]]).max())) > near:
        return mistake("repeatable.batch", most=most)
    return Finding("ok", "returns the same output whenever it is queried, alone and in a batch")


def legal(subject: CheckedPlayer) -> Finding:
    """Check the probability on occupied cells, with and without the mask."""
    boards = subject.boards
    played = float(subject.output[boards != 0].sum() / len(boards))
    bare, alike = played, 0.0
    if subject.network is not None:
        bare, alike = hidden_by_mask(boards, subject.of_network("unmasked"), subject.output)
    if played > 0 or (bare > 1e-3 and not subject.masks):
        return mistake("legal", share=percent(bare))
    if bare <= 1e-6:
        return Finding("ok", "plays legal moves only")
    text = f"plays legal moves; without its mask {percent(bare)} would be on taken cells"
    if alike:
        text += f": all of it on {percent(alike)} of the boards, where it plays at random"
    return Finding("ok", text)


def looks(subject: CheckedPlayer) -> Finding:
    """Check whether a network's output depends on the board at all."""
    if subject.network is None:
        return Finding("skipped", "not checked for players loaded by name or functions of boards")
    numbers = subject.of_network("numbers")
    shown = numbers[:, np.isfinite(numbers).all(axis=0)]
    if shown.size and np.ptp(shown, axis=0).max() > 1e-6 * (1 + np.abs(shown).max()):
        return Finding("ok", "its numbers depend on the board")
    return mistake("looks")


def percent(share: float, digits: int = 1) -> str:
    """Format a fraction as a percentage, as 0 or 100 only if it is exact."""
    return f"{phrases.share(share, digits)}%"


def learned(subject: CheckedPlayer) -> Finding:
    """Check whether the player learned to play, and not to lose, one seat or the wrong view."""
    if not enumerable(subject.rules):
        return Finding("skipped", "exact results need a board small enough to enumerate")
    both, chance = subject.strength, by_chance(subject.rules)
    trained = any(seat.optimal > by.optimal + CHANCE for seat, by in zip(both, chance, strict=True))
    if found := _wrong_training(subject, trained):
        return found
    if looks(subject).status == "problem":
        return Finding("skipped", "not judged: the output is the same on every board")
    if all(seat.optimal == 1 for seat in chance):
        return Finding("skipped", "no move of this game is a mistake")
    if all(seat.optimal > 1 - 1e-9 for seat in both):
        return Finding("ok", "plays optimal moves only")
    its, random = (_by_seat([percent(seat.optimal) for seat in part]) for part in (both, chance))
    shares = f"{its} of its moves are optimal where a mistake is possible; of random moves {random}"
    return Finding("ok", shares) if trained else mistake("learned.nothing", shares=shares)


def _by_seat(shares: list[str]) -> str:
    return " and ".join(f"{share} as {seat}" for share, seat in zip(shares, SEATS, strict=True))


def _wrong_training(subject: CheckedPlayer, trained: bool) -> Finding | None:
    """Return the mistake in training that a player's moves show, if any."""
    both, turned = subject.strength, _turned(subject)
    least = 0.8 if trained else 0.75  # less evidence is enough if the other seat shows training
    for seat, by, name in zip(both, by_chance(subject.rules), SEATS, strict=True):
        avoids = seat.gain < WORSE and seat.wins < least * by.wins
        if avoids and (seat.wins < by.wins / 2 or not turned):
            random = percent(by.wins)
            return mistake("learned.to_lose", seat=name, share=percent(seat.wins), by_chance=random)
    if turned:
        pairs = [
            f"{percent(x, 0)} of its moves against {percent(y, 0)}" for x, y in turned.values()
        ]
        return mistake("learned.swapped", seats=" and ".join(turned), shares=", ".join(pairs))
    weaker, stronger = sorted(both, key=lambda seat: seat.gain)
    apart = weaker.gain < 0.35 <= stronger.gain and stronger.gain - weaker.gain > 0.4
    if not (weaker.beatable and apart):
        return None
    gains = _by_seat([percent(one.gain, 0) if one.gain >= 0 else "below 0%" for one in both])
    return mistake("learned.one_sided", gains=gains, seat=SEATS[both.index(weaker)])


def _turned(subject: CheckedPlayer) -> dict[str, tuple[float, float]]:
    """Return the seats in which the player is better on swapped boards, with both accuracies."""
    boards = subject.boards
    try:
        swapped = subject.tabulated(masked_normalise(subject.query(-boards), boards == 0))
    except SubjectError:  # it accepts only boards that can be reached
        return {}
    both = zip(SEATS, strength(subject.rules, swapped), subject.strength, strict=True)
    shares = {name: (there.optimal, here.optimal) for name, there, here in both}
    return {name: found for name, found in shares.items() if found[0] > found[1] + CHANCE}


def lost_games(subject: CheckedPlayer) -> Finding:
    """Report a lost game for each seat, if a short search finds one, or that there is none."""
    rules, small = subject.rules, enumerable(subject.rules)
    if limit := subject.policy.traits.depends_on:
        return Finding("skipped", f"is limited by {limit}: it may not play the same game again")

    def lawful(boards: Boards) -> Probs:
        return masked_normalise(subject.query(boards), boards == 0)

    player: Policy = subject.table if small else lawful
    try:
        lines = [refute(rules, player, seat, SEARCHED) for seat in SEATS]
    except ValueError:
        return Finding("skipped", "it does not repeat itself anyway")
    value = known_value(rules) if any(line is not None for line in lines) else None
    games, weak = [], False
    for number, (seat, line) in enumerate(zip(SEATS, lines, strict=True)):
        if line is None:
            safe = small and not subject.strength[number].beatable
            none = f"no lost game was found within {SEARCHED:,} positions"
            games.append(f"as {seat} {'it cannot be beaten' if safe else none}")
            continue
        always = value is not None and value == (-1, 1)[number]
        lost = f"as {seat} it can lose by {phrases.lost_game(rules, line)}"
        games.append(lost + ", but so can every player" * always)
        weak |= not always
    if not weak:
        return Finding("ok", "; ".join(games))
    name = "beatable"
    if subject.unbeatable_at is not None:
        games.append(f"it was unbeatable at step {subject.unbeatable_at:,} and is not now")
        name = "forgot"
    if small and not any(seat.beatable for seat in strength(rules, subject.most_probable)):
        name = "sampled"
    elif small and learned(subject).status == "weak":
        name = "not_learned"
    how = "" if subject.network is None else MOST_PROBABLE
    return mistake(f"lost_games.{name}", games="; ".join(games), how=how)


LAWS: Checks = {"answers": answers, "repeatable": repeatable, "legal": legal}
# To add a check, write a function from the player to a finding and add a row here.
PLAYER: Checks = {**LAWS, "looks": looks, "learned": learned, "lost games": lost_games}


def check_policy(
    policy: Policy | str, rules: Rules, tolerance: float = 1e-6, count: int = 500
) -> None:
    """Check that a policy is legal, normalized, memoryless and independent of the batch.

    Args:
        policy: the player, or its name.
        rules: the game.
        tolerance: maximum difference, beyond 1e-4, between outputs on the same board.
        count: the number of boards to test.

    Raises:
        LawBrokenError: at the first violated invariant.
        ValueError: for fewer than one board, or a player of another game.
    """
    at_least(0, tolerance=tolerance)
    near = tolerance + 1e-4  # sums may differ from one by 1e-4
    player = named_player(policy, rules) if isinstance(policy, str) else player_for(rules, policy)
    raise_first(examine(CheckedPlayer(rules, player, count=count, near=near), LAWS))
