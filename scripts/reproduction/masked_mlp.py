"""S4, where O moves first: two masked MLPs on one-hot boards, trained by trying every cell."""

from typing import Any

import numpy as np

from scripts.reproduction.rows import Row, Run, measured, row

LAST = 50  # rounds of a training, over which its losses are averaged


def numbers(run: Run) -> list[Row]:
    """Train with several seeds: each number is the median, as CPUs of other types round otherwise.

    With `--quick` there is one, and its numbers are not judged.
    """
    rounds, seeds = (300, 1) if run.quick else (3000, 5)
    about: dict[str, Any] = {"judged": not run.quick, "rounds": rounds, "seeds": seeds}
    ids = "S4.first", "S4.second", "S4.worst", "S4.optimal"
    found = []
    for seed in range(seeds):
        learner, metrics = run.train("selfplay", rounds, seed=seed)
        last = metrics[-LAST:]
        losses = [sum(step[f"loss_{seat}"] for step in last) / len(last) for seat in "XO"]
        found.append(
            [row("S4.losses", losses, **about), *measured(learner.policy(), *ids, **about)]
        )
    return [
        rows[0]._replace(published=np.median([each.published for each in rows], axis=0).tolist())
        for rows in zip(*found, strict=True)
    ]
