"""Checks for a policy: valid output, and common mistakes of trained players.

`check_policy` raises the first violated invariant; the doctor reports every finding.
"""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import TypeAlias

import numpy as np

from tttenv.certificates import phrases
from tttenv.certificates.refutation import refute
from tttenv.exact import SEATS, enumerable
from tttenv.game.rules import Rules
from tttenv.game.types import Boards, Probs
from tttenv.policy import Policy, hidden_by_mask, masked_normalise, player_for
from tttenv.proofs.prover import known_value
from tttenv.testing.checked_player import CheckedPlayer
from tttenv.testing.findings import (
    Check,
    Finding,
    SubjectError,
    examine,
    ok,
    problem,
    raise_first,
    skipped,
    weak,
)
from tttenv.testing.strength import LARGE, Strength, optimal, strength

Look: TypeAlias = Callable[[CheckedPlayer], Finding]
CHANCE = 0.1  # margin of optimal moves over random ones that untrained weights may reach


def answers(subject: CheckedPlayer) -> Finding:
    """Check that the player returns valid probabilities, or a forfeit, for every board."""
    boards, numbers = subject.boards, subject.output
    good = (np.abs(numbers.sum(axis=1) - 1) <= 1e-4) & (numbers >= 0).all(axis=1)
    if subject.policy.traits.forfeits:
        good |= ~numbers.any(axis=1)
    bad = np.flatnonzero(~good)
    if bad.size:
        shown = subject.rules.format(boards[bad[0]])
        told = np.round(numbers[bad[0]], 4).tolist()
        told = f"returns no probabilities on the board {shown}: {told}"
        return problem(told, subject.expected)
    return ok(f"returns probabilities on {len(boards)} boards")


def repeatable(subject: CheckedPlayer) -> Finding:
    """Check that repeated queries return the same output."""
    boards = subject.some
    off = np.abs(subject.query(boards) - subject.query(boards)).max(axis=1)
    limit, anew = subject.policy.traits.depends_on, off > subject.near
    if not anew.any() and not limit:
        return ok("returns the same output whenever it is queried on a board")
    why = (
        f"is limited by {limit}"
        if limit
        else f"returns another output for {percent(anew.mean())} of the boards"
    )
    return problem(
        f"{why}, so measurements of it change",
        "give its probabilities instead of a sampled move; switch off dropout (eval()), noise and"
        " time limits; seed random numbers by the board",
    )


def batches(subject: CheckedPlayer) -> Finding:
    """Check that the output on a board depends neither on its batch nor on the board order."""
    boards, near = subject.some, subject.near
    together = subject.query(boards)
    if np.abs(subject.query(boards) - together).max() > near:
        return skipped("it does not repeat itself anyway")
    order = np.random.default_rng(0).permutation(len(boards))
    alone = np.concatenate([subject.query(boards[i : i + 1]) for i in order[:50]])
    off = max(
        np.abs(subject.query(boards[order]) - together[order]).max(),
        np.abs(alone - together[order[:50]]).max(),
    )
    if np.abs(subject.query(boards) - together).max() > near:
        return problem(
            "its output on a board changes once it has been queried about others",
            "keep no state between calls: compute the output from the board alone",
        )
    if off <= near:
        return ok("returns the same output for a board alone and in a batch")
    return problem(
        f"its output on a board differs by up to {off:.2g}, depending on the rest of the batch",
        "query it in evaluation mode (batch normalisation); normalise over cells, not the batch",
    )


def legal(subject: CheckedPlayer) -> Finding:
    """Check the probability on occupied cells, with and without the mask."""
    boards = subject.boards
    played = float(subject.output[boards != 0].sum() / len(boards))
    bare, alike = played, 0.0
    if subject.network is not None:
        bare, alike = hidden_by_mask(boards, subject.unmasked(boards), subject.output)
    if played > 0 or (bare > 1e-3 and not subject.masks):
        return problem(
            f"plays without a mask: {percent(bare)} of its probability is on taken cells",
            'mask where it plays too, not only where it trains: info["action_mask"] or'
            " env.action_masks(), MaskablePPO's predict(..., action_masks=...), or"
            " tttenv.policy.from_observations",
        )
    if bare > 1e-6:
        told = f"plays legal moves; without its mask {percent(bare)} would be on taken cells"
        if alike:
            told += f": all of it on {percent(alike)} of the boards, where it plays at random"
        return ok(told)
    return ok("plays legal moves only")


def looks(subject: CheckedPlayer) -> Finding:
    """Check whether a network's output depends on the board at all."""
    if subject.network is None:
        return skipped("not checked for players loaded by name or functions of boards")
    numbers = subject.numbers(subject.boards)
    shown = numbers[:, np.isfinite(numbers).all(axis=0)]
    if shown.size and np.ptp(shown, axis=0).max() > 1e-6 * (1 + np.abs(shown).max()):
        return ok("its numbers depend on the board")
    return problem(
        "returns the same numbers whatever the board",
        "look for an observation that is never filled in, dead units (lower the learning rate) or"
        " weights that are not the trained ones",
    )


def percent(share: float, digits: int = 1) -> str:
    """Format a fraction as a percentage, as 0 or 100 only if it is exact."""
    return f"{phrases.share(share, digits)}%"


RANDOM = "it plays like random moves"
WORSE = -0.2  # on that way, what is clearly worse than random moves


def learned(subject: CheckedPlayer) -> Finding:
    """Check whether the player is better than random play in at least one seat."""
    if not enumerable(subject.rules):
        return skipped(LARGE)
    both = subject.strength
    if all(seat.optimal_by_chance == 1 for seat in both):
        return skipped("no move of this game is a mistake")
    if all(seat.optimal > 1 - 1e-9 for seat in both):
        return ok("plays optimal moves only")
    told = (
        f"{_percent([seat.optimal for seat in both])} of its moves are optimal where a mistake is"
        f" possible; of random moves {_percent([seat.optimal_by_chance for seat in both])}"
    )
    if _has_learned(both):
        return ok(told)
    if any(seat.optimal < seat.optimal_by_chance - CHANCE for seat in both):
        return weak(
            f"plays worse than random moves: {told}",
            "look for a reward with the wrong sign, or one of the opponent's move",
            RANDOM,
        )
    return weak(
        f"plays like random moves: {told}",
        "train it; if it was trained, check that these are the trained weights, that training"
        " changes them, and that it explores (epsilon, temperature or entropy)",
        RANDOM,
    )


def _has_learned(both: Sequence[Strength]) -> bool:
    """Return whether the player is stronger in a seat than untrained weights are by chance."""
    return any(seat.optimal > seat.optimal_by_chance + CHANCE for seat in both)


def _percent(shares: list[float]) -> str:
    """Format each seat's fraction as a percentage."""
    return " and ".join(f"{percent(x)} as {seat}" for x, seat in zip(shares, SEATS, strict=True))


def if_it_has_learned(look: Look) -> Look:
    """Wrap a check so that it is skipped for players that have learned nothing."""

    @wraps(look)
    def looked(subject: CheckedPlayer) -> Finding:
        if not enumerable(subject.rules):
            return skipped(LARGE)
        found = look(subject)
        if found.status not in ("ok", "weak"):
            return found
        if looks(subject).status == "problem":
            return skipped("not judged: the output is the same on every board")
        if learned(subject).status == "weak":
            return skipped("not judged: the player has learned nothing")
        return found

    return looked


@if_it_has_learned
def rewards(subject: CheckedPlayer) -> Finding:
    """Check whether the player avoids winning, as if trained on the opponent's rewards."""
    both = subject.strength
    for seat, name in zip(both, SEATS, strict=True):
        if _plays_to_lose(seat, both) and (
            seat.wins < seat.wins_by_chance / 2 or not _turned(subject)
        ):
            return problem(
                f"as {name} it takes {percent(seat.wins)} of the wins it could take at once, random"
                f" moves {percent(seat.wins_by_chance)}: it plays to lose",
                f"pay it its own result: look for a reward as {name} with the wrong sign, or one"
                " that belongs to the move of the opponent",
            )
    taken, by_chance = [seat.wins for seat in both], [seat.wins_by_chance for seat in both]
    return ok(f"takes {_percent(taken)} of the wins at hand; random moves {_percent(by_chance)}")


def _plays_to_lose(seat: Strength, both: Sequence[Strength]) -> bool:
    """Return whether the player avoids wins in a seat more than untrained weights do.

    Less evidence is enough if the other seat shows that it was trained.
    """
    least = 0.8 if _has_learned(both) else 0.75
    return seat.gain < WORSE and seat.wins < least * seat.wins_by_chance


@if_it_has_learned
def sides(subject: CheckedPlayer) -> Finding:
    """Check whether the player is strong in one seat and near random in the other."""
    if rewards(subject).status == "problem":
        return skipped("it plays to lose anyway")
    found = dict(zip(SEATS, subject.strength, strict=True))
    told = " and ".join(f"{_way(seat.gain)} as {name}" for name, seat in found.items())
    told += " of the way from random moves to the best against them"
    least, most = sorted(found, key=lambda name: found[name].gain)
    weaker = found[least]
    if not _one_sided(weaker, found[most]):
        return ok(told)
    if weaker.gain < -0.05 or weaker.wins < 0.9 * weaker.wins_by_chance:
        return problem(
            f"worse than random moves as {least}: {told}",
            f"look for a reward as {least} with the wrong sign, or one of the opponent's move; or"
            f" train it as {least} too if it was not",
        )
    return problem(
        f"one-sided: {told}",
        f'train it as {least} too: seat="random", or opponent=None for self-play; if it was'
        f" trained as {least}, look for a wrong reward or a wrong view in this seat",
    )


def _one_sided(least: Strength, most: Strength) -> bool:
    """Return whether one seat is no better than untrained weights while the other one is."""
    return least.beatable and least.gain < 0.35 <= most.gain and most.gain - least.gain > 0.4


def _way(part: float) -> str:
    """Format the progress from random play as a percentage, or as "below 0%"."""
    return percent(part, 0) if part >= 0 else "below 0%"


@if_it_has_learned
def view(subject: CheckedPlayer) -> Finding:
    """Check whether the player is better when both sides' stones are swapped."""
    if (turned := _turned(subject)) is None:
        return skipped(
            "not checked: like most players loaded by name, it accepts only boards that can be"
            " reached"
        )
    if not turned:
        return ok("plays no better when mine and theirs are swapped")
    if rewards(subject).status == "problem":
        return skipped("it plays to lose anyway")
    seats = " and ".join(turned)
    told = ", ".join(
        f"{percent(there, 0)} of its moves against {percent(here, 0)}"
        for there, here in turned.values()
    )
    return problem(
        f"as {seats} it moves better when mine and theirs are swapped ({told} are optimal)",
        "show it every board in the view of the side to move: 1 and the first plane are the stones"
        " of who moves, in training as in play, not those of X",
    )


def _turned(subject: CheckedPlayer) -> dict[str, tuple[float, float]] | None:
    """Return the seats in which the player is better on swapped boards, with both accuracies.

    None if the player cannot be queried on unreachable boards.
    """
    try:
        there = optimal(
            subject.rules, lambda boards: masked_normalise(subject.query(-boards), boards == 0)
        )
    except SubjectError:
        return None
    here = [seat.optimal for seat in subject.strength]
    shares = zip(SEATS, there, here, strict=True)
    return {name: (turned, plain) for name, turned, plain in shares if turned > plain + CHANCE}


BEATABLE = "it can be beaten"
SEARCHED = 500  # positions searched for a lost game in each seat
IMPROVE = (
    "train it longer, against copies of itself and from random openings, or let it search more (how"
    " it was made is not visible here); tttenv certify gives its exact strength"
)
MOST_PROBABLE = " (--kind values, or deterministic=true for a model of Stable-Baselines3)"


def lost_games(subject: CheckedPlayer) -> Finding:
    """Report a lost game for each seat, if a short search finds one, on boards of any size.

    On enumerable boards, also report that there is none. A game lost in a seat that loses under
    perfect play is not a weakness.
    """
    if limit := subject.policy.traits.depends_on:
        return skipped(f"is limited by {limit}: it may not play the same game again")

    def lawful(boards: Boards) -> Probs:
        return masked_normalise(subject.query(boards), boards == 0)

    small = enumerable(subject.rules)
    player: Policy = subject.table if small else lawful
    try:
        lines = {seat: refute(subject.rules, player, seat, SEARCHED) for seat in SEATS}
    except ValueError:
        return skipped("it does not repeat itself anyway")
    value = known_value(subject.rules) if any(line is not None for line in lines.values()) else None
    worth = {"X": value, "O": None if value is None else -value}
    safe = [not seat.beatable for seat in subject.strength] if small else [False, False]
    told = []
    for (seat, line), unbeatable in zip(lines.items(), safe, strict=True):
        if line is not None:
            lost = f"as {seat} it can lose by {phrases.lost_game(subject.rules, line)}"
            if (chance := _chance(subject.rules, player, seat, line)) < 0.99:
                lost += f" (its moves there have probability {chance:.2g})"
            told.append(lost + ", but so can every player" * (worth[seat] == -1))
        elif unbeatable:
            told.append(f"as {seat} it cannot be beaten")
        else:
            told.append(f"as {seat} no lost game was found within {SEARCHED:,} positions")
    if all(line is None or worth[seat] == -1 for seat, line in lines.items()):
        return ok("; ".join(told))
    if small and not any(seat.beatable for seat in strength(subject.rules, subject.most_probable)):
        how = MOST_PROBABLE if subject.network is not None else ""
        change = (
            f"let it play its most probable moves{how}, which cannot be beaten; here it is judged"
            " as it samples, so even its least probable moves count"
        )
        return weak("; ".join(told), change, "it can be beaten only because it samples its moves")
    if small and learned(subject).status == "weak":
        return weak("; ".join(told), "", BEATABLE)  # what to change is said there
    return weak("; ".join(told), IMPROVE, BEATABLE)


def _chance(rules: Rules, player: Policy, seat: str, line: Sequence[int]) -> float:
    """Return the probability of a player's own moves in a game."""
    board, chance = rules.start(1), 1.0
    for stones, cell in enumerate(line):
        if SEATS[stones % 2] == seat:
            chance *= float(player(board)[0, cell])
        board = rules.play(board, cell)
    return chance


# To add a check, write a function from the player to a finding and add a row here.
PLAYER = [
    Check("answers", answers, first=True),
    Check("repeatable", repeatable),
    Check("batches", batches),
    Check("legal", legal),  # the last invariant; the rest shows how well it has learned
    Check("looks", looks),
    Check("learned", learned),
    Check("rewards", rewards),
    Check("sides", sides),
    Check("view", view),
    Check("lost games", lost_games),
]
LAWS = 4  # the first checks, which are invariants


def check_policy(policy: Policy, rules: Rules, tolerance: float = 1e-6, count: int = 500) -> None:
    """Check that a policy is legal, normalized, memoryless and independent of the batch.

    Args:
        policy: the player.
        rules: the game.
        tolerance: maximum difference, beyond 1e-4, between outputs on the same board.
        count: the number of boards to test.

    Raises:
        LawBrokenError: at the first violated invariant.
        ValueError: for fewer than one board, or a player of another game.
    """
    if count < 1:
        raise ValueError(f"count must be at least 1, not {count}")
    near = tolerance + 1e-4  # sums may differ from one by 1e-4
    raise_first(
        examine(
            CheckedPlayer("policy", rules, player_for(rules, policy), count=count, near=near),
            PLAYER[:LAWS],
        )
    )
