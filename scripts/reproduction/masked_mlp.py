"""S4, where O moves first: two masked MLPs on one-hot boards, trained by trying every cell."""

from collections.abc import Sequence

import numpy as np

from scripts.reproduction.rows import Numbers, Row, Run, Strength, ours

LAST = 50  # rounds of a training, over which its losses are averaged


def numbers(run: Run) -> list[Row]:
    """Train with several seeds: each number is the median, as CPUs of other types round otherwise.

    With `--quick` there is one, and its numbers are not judged.
    """
    rounds, seeds = (300, 1) if run.quick else (3000, 5)
    losses, found = [], []
    for seed in range(seeds):
        learner, metrics = run.train("selfplay", rounds, seed=seed)
        found.append(Strength(learner.policy()))
        last = metrics[-LAST:]
        losses.append([sum(step[f"loss_{seat}"] for step in last) / len(last) for seat in "XO"])
    repaired, whole = ours("selfplay"), not run.quick
    budget = f"{rounds:,} / 3,000 rounds, {seeds} seeds"
    return [
        Row("S4.losses", "losses of the net that moves first / second", median(losses),
            (0.002995, 0.00329), band=((0.0005, 0.02), (0.0005, 0.02)), budget=budget,
            judged=whole, note="ours are means of the last fifty rounds; the claim is one batch, "
            "after fitting it"),
        Row("S4.first", "moves first, against random: won, draw, lost",
            median([player.x for player in found]),
            band=((0.93, 0.995), (0, 0.07), (0, 0.02)), unit="%", repaired=repaired.x,
            budget=budget, judged=whole,
            note="'I can hardly beat it' is true of the first mover only"),
        Row("S4.second", "moves second", median([player.o for player in found]),
            band=((0.8, 0.94), (0.02, 0.2), (0, 0.06)), unit="%", repaired=repaired.o,
            budget=budget, judged=whole),
        Row("S4.worst", "worst case first / second", median([player.worst for player in found]),
            (), (0, -1), unit="value", repaired=repaired.worst, budget=budget, judged=whole,
            player="Masked MLPs, self-play"),
        Row("S4.optimal", "optimal moves, of all positions",
            median([player.optimal for player in found]), band=((0.94, 0.999),), unit="%",
            repaired=repaired.optimal, budget=budget, judged=whole),
    ]  # fmt: skip


def median(found: Sequence[Numbers]) -> Numbers:
    """Return the median of each number."""
    return [float(number) for number in np.median(found, axis=0)]
