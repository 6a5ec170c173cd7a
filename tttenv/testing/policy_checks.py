"""The checks of a policy: valid output, and common mistakes of trained players.

`check_policy` raises the first violated invariant; the doctor reports every finding.
"""

import numpy as np

from tttenv.exact import SEATS, enumerable
from tttenv.game.notation import names_of
from tttenv.game.rules import Rules
from tttenv.game.types import Boards, Probs
from tttenv.policy import Policy, masked_normalise, uniform
from tttenv.testing.asked_player import Player
from tttenv.testing.failing import SubjectError
from tttenv.testing.findings import (
    Check,
    Finding,
    examine,
    ok,
    problem,
    raise_first,
    skipped,
    weak,
)
from tttenv.testing.strength import (
    LARGE,
    SEARCHED,
    gains,
    lost_game,
    optimal,
    wins_taken,
)

PROBABILITIES = "a policy answers probabilities, not negative and summing to one"
MEMORYLESS = "a policy remembers nothing, and answers the same board alike every time"
ALONE = "a board alone is answered as in a batch, in any order"
TAKEN = "a taken cell has probability zero"
CHANCE = 0.1  # margin of optimal moves over random ones that untrained weights may reach


def answers(subject: Player) -> Finding:
    """Check that it returns probabilities for every board, which sum to one."""
    boards, numbers = subject.boards, subject.told
    bad = np.flatnonzero(~((np.abs(numbers.sum(axis=1) - 1) <= 1e-4) & (numbers >= 0).all(axis=1)))
    if bad.size:
        shown = subject.rules.format(boards[bad[0]])
        told = np.round(numbers[bad[0]], 4).tolist()
        told = f"answers no probabilities on the board {shown}: {told}"
        return problem(told, subject.wanted, PROBABILITIES)
    return ok(f"answers probabilities on {len(boards)} boards")


def repeatable(subject: Player) -> Finding:
    """Check that repeated queries return the same output."""
    boards = subject.some
    off = np.abs(subject.asked(boards) - subject.asked(boards)).max(axis=1)
    limit, anew = getattr(subject.answers, "impure", None), off > subject.near
    if not anew.any() and not limit:
        return ok("answers the same board alike every time")
    why = f"is limited by {limit}" if limit else f"answers {share(anew)} of the boards anew"
    return problem(
        f"{why}, so what is measured of it changes",
        "give its probabilities instead of a sampled move; switch off dropout (eval()), noise and"
        " time limits; seed dice by the board",
        MEMORYLESS,
    )


def batches(subject: Player) -> Finding:
    """Check that the output on a board depends neither on its batch nor on the order."""
    boards, near = subject.some, subject.near
    together = subject.asked(boards)
    if np.abs(subject.asked(boards) - together).max() > near:
        return skipped("it does not repeat itself anyway")
    order = np.random.default_rng(0).permutation(len(boards))
    alone = np.concatenate([subject.asked(boards[i : i + 1]) for i in order[:50]])
    off = max(
        np.abs(subject.asked(boards[order]) - together[order]).max(),
        np.abs(alone - together[order[:50]]).max(),
    )
    if np.abs(subject.asked(boards) - together).max() > near:
        return problem(
            "answers boards otherwise once it has been asked about others",
            "keep nothing from one question to the next: answer from the board alone",
            MEMORYLESS,
        )
    if off <= near:
        return ok("answers a board alone as it does among others")
    return problem(
        f"answers a board differently, by up to {off:.2g}, depending on the boards beside it",
        "ask it in evaluation mode (batch normalisation), and normalise over cells, not the batch",
        ALONE,
    )


def legal(subject: Player) -> Finding:
    """Check the probability on occupied cells, with and without its mask."""
    boards = subject.boards
    played = float(subject.told[boards != 0].sum() / len(boards))
    breaks = TAKEN if subject.told[boards != 0].any() else ""
    bare = played
    if subject.network is not None:
        bare = float(subject.unmasked(boards)[boards != 0].sum() / len(boards))
    if played > 1e-6 or (bare > 1e-3 and not subject.masks):
        return problem(
            f"plays without a mask: {bare:.1%} of its probability is on taken cells",
            'mask where it plays too, not only where it trains: info["action_mask"] or'
            " env.action_masks(), MaskablePPO's predict(..., action_masks=...), or"
            " tttenv.policy.from_observations",
            breaks,
        )
    if bare > 1e-6:
        return ok(f"plays legal moves; without its mask {bare:.1%} would be on taken cells", breaks)
    return ok("plays legal moves only", breaks)


def all_illegal(subject: Player) -> Finding:
    """Check whether its preferred cells, before masking, are nearly always occupied."""
    boards = subject.boards
    told = subject.told if subject.network is None else subject.unmasked(boards)
    taken = boards[np.arange(len(boards)), told.argmax(axis=1)] != 0
    taken = taken[(boards != 0).any(axis=1)]
    if taken.mean() < 0.9:
        return ok(f"its favourite cell is taken on {share(taken)} of the boards")
    return problem(
        f"its favourite cell is a taken one on {share(taken)} of the boards",
        "look for an inverted mask, illegal moves that cost nothing, or a board seen as empty",
    )


def looks(subject: Player) -> Finding:
    """Check whether a network's output depends on the board at all."""
    if subject.network is None:
        return skipped("looked at in networks and models only")
    numbers = subject.numbers(subject.boards)
    shown = numbers[:, np.isfinite(numbers).all(axis=0)]
    if shown.size and np.ptp(shown, axis=0).max() > 1e-6 * (1 + np.abs(shown).max()):
        return ok("its numbers depend on the board")
    return problem(
        "answers the same numbers whatever the board",
        "look for an observation that is never filled in, dead units (lower the learning rate) or"
        " weights that are not the trained ones",
    )


def share(marks: np.ndarray) -> str:
    """Format the share of true entries in per cent."""
    return f"{marks.mean():.1%}"


def learned(subject: Player) -> Finding:
    """Check whether it finds optimal moves more often than random play, in either seat."""
    if not enumerable(subject.rules):
        return skipped(LARGE)
    found = optimal(subject.rules, subject.table)
    chance = optimal(subject.rules, uniform)
    if min(chance) == 1:
        return skipped("no move of this game is a mistake")
    if min(found) > 1 - 1e-9:
        return ok("plays optimal moves only")
    told = (
        f"{_percent(found)} of its moves are optimal where a mistake is possible;"
        f" of random moves {_percent(chance)}"
    )
    if any(own > least + CHANCE for own, least in zip(found, chance, strict=True)):
        return ok(told)
    return weak(
        f"has learned nothing: {told}",
        "train it; if it was trained, see that these are the trained weights, and that training"
        " changes them",
    )


def _percent(shares: list[float]) -> str:
    """Format the share of each seat in per cent, 100 % only if it is exact."""
    shown = [f"{min(share, 0.999):.1%}" if share < 1 - 1e-9 else "100%" for share in shares]
    return " and ".join(f"{share} as {seat}" for share, seat in zip(shown, SEATS, strict=True))


def rewards(subject: Player) -> Finding:
    """Check whether it avoids winning, like an agent trained on the opponent's reward."""
    if not enumerable(subject.rules):
        return skipped(LARGE)
    found = [wins_taken(subject.rules, subject.table, seat) for seat in (0, 1)]
    reached = gains(subject.rules, subject.table)
    for (taken, by_chance), gain, name in zip(found, reached, SEATS, strict=True):
        if taken < 0.5 * by_chance and gain < 0:
            return problem(
                f"as {name} it takes {taken:.1%} of the wins it could take at once, random moves"
                f" {by_chance:.1%}: it plays to lose",
                f"pay it its own result: look for a reward as {name} with the wrong sign, or one"
                " that belongs to the move of the opponent",
            )
    own, chance = ([pair[i] for pair in found] for i in (0, 1))
    return ok(f"takes {_percent(own)} of the wins at hand; random moves {_percent(chance)}")


def sides(subject: Player) -> Finding:
    """Check whether it is strong in one seat and near random in the other."""
    if not enumerable(subject.rules):
        return skipped(LARGE)
    if rewards(subject).status == "problem":
        return skipped("it plays to lose anyway")
    found = dict(zip(SEATS, gains(subject.rules, subject.table), strict=True))
    told = " and ".join(f"{_way(part)} as {seat}" for seat, part in found.items())
    told += " of the way from random moves to the best against them"
    weak, strong = sorted(found, key=found.__getitem__)
    if found[weak] < 0.35 and found[strong] - found[weak] > 0.4:
        return problem(
            f"one-sided: {told}",
            f'train it as {weak} too: seat="random", or opponent=None for self-play',
        )
    return ok(told)


def _way(part: float) -> str:
    """Format its progress in per cent, never below 0."""
    whole = round(100 * part)
    return f"{whole}%" if whole >= 0 else "below 0%"


def view(subject: Player) -> Finding:
    """Check whether it plays better on boards with mine and theirs swapped."""
    if not enumerable(subject.rules):
        return skipped(LARGE)
    try:
        turned = optimal(
            subject.rules, lambda boards: masked_normalise(subject.asked(-boards), boards == 0)
        )
    except SubjectError:
        return skipped("answers boards that can be reached only")
    here = optimal(subject.rules, subject.table)
    wrong = [seat for seat in (0, 1) if turned[seat] > here[seat] + 0.1]
    if not wrong:
        return ok("plays no better when mine and theirs are swapped")
    seats = " and ".join(SEATS[seat] for seat in wrong)
    told = ", ".join(f"{turned[seat]:.0%} of its moves against {here[seat]:.0%}" for seat in wrong)
    return problem(
        f"as {seats} it moves better when mine and theirs are swapped ({told} are optimal)",
        "show it every board in the view of the side to move: 1 and the first plane are the stones"
        " of who moves, in training as in play, not those of X",
    )


def lost_games(subject: Player) -> Finding:
    """Report a lost game for each seat, if a short search finds one, on boards of any size."""
    if limit := getattr(subject.answers, "impure", None):
        return skipped(f"is limited by {limit}: it may not play the same game again")

    def lawful(boards: Boards) -> Probs:
        return masked_normalise(subject.asked(boards), boards == 0)

    player: Policy = subject.table if enumerable(subject.rules) else lawful
    told = []
    for seat in SEATS:
        try:
            line = lost_game(subject.rules, player, seat)
        except ValueError:
            return skipped("it does not repeat itself anyway")
        if line is None:
            told.append(f"as {seat} no lost game was found within {SEARCHED:,} positions")
        else:
            told.append(f"as {seat} it can lose by {names_of(subject.rules, line)}")
    return ok("; ".join(told))


# To add a check, write a function from the player to a finding and add a row here.
PLAYER = [
    Check("answers", answers, first=True),
    Check("repeatable", repeatable),
    Check("batches", batches),
    Check("legal", legal),  # the last invariant; the rest shows how well it has learned
    Check("all illegal", all_illegal),
    Check("looks", looks),
    Check("learned", learned),
    Check("rewards", rewards),
    Check("sides", sides),
    Check("view", view),
    Check("lost games", lost_games),
]
LAWS = 4  # the first checks, which are invariants


def check_policy(policy: Policy, rules: Rules, tolerance: float = 1e-6, count: int = 500) -> None:
    """Check a policy's invariants: legal, normalized, independent of the batch, memoryless.

    Args:
        policy: the player.
        rules: the game.
        tolerance: largest difference, beyond 1e-4, between outputs on the same board.
        count: the number of boards to test.

    Raises:
        LawBrokenError: at the first violated invariant.
    """
    near = tolerance + 1e-4  # sums may differ from one by 1e-4
    raise_first(examine(Player("policy", rules, policy, count=count, near=near), PLAYER[:LAWS]))
