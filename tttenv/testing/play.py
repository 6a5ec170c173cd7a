"""Checks of how a player plays: to win, in both seats, and from the right point of view."""

from tttenv.exact import enumerable
from tttenv.policy import masked_normalise
from tttenv.testing.failing import PatientError
from tttenv.testing.findings import Finding, ok, problem, skipped
from tttenv.testing.strength import LARGE, SEATS, gains, optimal, wins_taken
from tttenv.testing.subjects import Player


def rewards(patient: Player) -> Finding:
    """Whether it avoids winning, as one does who is paid the opponent's reward."""
    for seat, name in enumerate(SEATS if enumerable(patient.rules) else ()):
        taken, by_chance = wins_taken(patient.rules, patient.table, seat)
        gain = gains(patient.rules, patient.table)[seat]
        if taken < 0.5 * by_chance and gain < 0:
            return problem(
                f"as {name} it takes {taken:.1%} of the wins it could take at once, random moves"
                f" {by_chance:.1%}: it plays to lose",
                f"pay it its own result: look for a reward as {name} with the wrong sign, or one"
                " that belongs to the move of the opponent",
            )
    return ok("takes wins") if enumerable(patient.rules) else skipped(LARGE)


def sides(patient: Player) -> Finding:
    """Whether it is strong in one seat and near random in the other."""
    if not enumerable(patient.rules):
        return skipped(LARGE)
    if rewards(patient).status == "problem":
        return skipped("it plays to lose anyway")
    found = dict(zip(SEATS, gains(patient.rules, patient.table), strict=True))
    told = " and ".join(f"{part:.0%} as {seat}" for seat, part in found.items())
    told += " of the way from random moves to the best against them"
    weak, strong = sorted(found, key=found.__getitem__)
    if found[weak] < 0.35 and found[strong] - found[weak] > 0.4:
        return problem(
            f"one-sided: {told}",
            f'train it as {weak} too: seat="random", or opponent=None for self-play',
        )
    return ok(told)


def view(patient: Player) -> Finding:
    """Whether it plays better on boards on which mine and theirs are swapped."""
    if not enumerable(patient.rules):
        return skipped(LARGE)
    try:
        turned = optimal(
            patient.rules, lambda boards: masked_normalise(patient.asked(-boards), boards == 0)
        )
    except PatientError:
        return skipped("answers boards that can be reached only")
    here = optimal(patient.rules, patient.table)
    wrong = [seat for seat in (0, 1) if turned[seat] > here[seat] + 0.1]
    if not wrong:
        return ok("plays best when it sees its own stones as its own")
    seats = " and ".join(SEATS[seat] for seat in wrong)
    told = ", ".join(f"{turned[seat]:.0%} of its moves against {here[seat]:.0%}" for seat in wrong)
    return problem(
        f"as {seats} it moves better when mine and theirs are swapped ({told} are optimal)",
        "show it every board in the view of the side to move: 1 and the first plane are the stones"
        " of who moves, in training as in play, not those of X",
    )
