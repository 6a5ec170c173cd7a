"""Exact lower bounds on a player's losses against random moves, given some of its choices."""

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache

from scripts.seven_features.features import Question
from tttenv.exact import SEATS


def losses(question: Question, choices: Mapping[int, int]) -> Fraction:
    """Return a lower bound on the fraction lost, with best play in positions without a choice."""
    chance, lost = reach(question, choices)
    least = least_losses(question)
    return lost + sum(share * least[at] for at, share in chance.items() if at not in choices)


def reach(question: Question, choices: Mapping[int, int]) -> tuple[dict[int, Fraction], Fraction]:
    """Return the probability of each position in which the player moves, and of losing.

    Games are followed only up to positions in which the player has not chosen yet.
    """
    chance = {at: Fraction(1, len(question.begin)) for at in question.begin}
    lost, ahead, least = Fraction(0), sorted(chance), least_losses(question)
    while ahead:
        at = ahead.pop(0)
        if at not in choices:
            continue
        replies = question.after[question.after[at][choices[at]]].values()
        for to in replies:
            share = chance[at] / len(replies)
            if not question.after[to]:
                lost += share * least[to]
            else:
                chance[to] = chance.get(to, Fraction(0)) + share
                ahead = sorted({*ahead, to})  # ply by ply: numbers grow with the stones
    return chance, lost


@lru_cache(maxsize=4)
def least_losses(question: Question) -> list[Fraction]:
    """Return a lower bound on the fraction of games lost from every position."""
    game, own = question.game, SEATS.index(question.seat)
    found = [Fraction(0)] * len(game)
    for at in reversed(range(len(game))):
        after = [found[to] for to in question.after[at].values()]
        if not after:
            found[at] = Fraction(int(game.lost[at] and game.seats[at] == own))
        elif game.seats[at] == own:
            found[at] = min(after)
        else:
            found[at] = sum(after, Fraction(0)) / len(after)
    return found
