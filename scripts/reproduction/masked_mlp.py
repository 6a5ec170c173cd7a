"""S4, where O moves first: two masked MLPs on one-hot boards, trained by trying every cell."""

from collections.abc import Sequence

import numpy as np

from learners.selfplay import look_ahead, targets_by_length
from learners.symmetry_classes import sample_by_play
from scripts.reproduction.rows import RULES, Numbers, Row, Run, ours, strength
from tttenv.exact import positions, solve

# The printed games: the cells in order, and the parity of the plies that are the machine's.
TRANSCRIPTS = [
    ([4, 2, 8, 0, 1, 7, 3, 5, 6], (1,)),
    ([2, 4, 6, 8, 0, 7, 1], (0,)),
    ([2, 4, 6, 3, 5, 8, 0, 1, 7], (0,)),
    ([2, 4, 6, 7, 1, 0, 8, 5, 3], (0, 1)),
]
BOARDS = 200_000
LAST = 50  # rounds of a training, over which its losses are averaged


def numbers(run: Run) -> list[Row]:
    """Check the printed games, sample boards as published, and train the networks."""
    return [*learned(run), *facts(run)]


def learned(run: Run) -> list[Row]:
    """Train with several seeds: each number is the median, as CPUs of other types round otherwise.

    With `--quick` there is one, and its numbers are not judged.
    """
    rounds, seeds = (300, 1) if run.quick else (3000, 5)
    losses, found = [], []
    for seed in range(seeds):
        learner, metrics = run.train("selfplay", rounds, seed=seed)
        found.append(strength(learner.policy()))
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


def facts(run: Run) -> list[Row]:
    """Check the printed games, an example target, and boards sampled as published."""
    game, optimal = positions(RULES), solve(RULES).optimal
    wrong, ends = [], []
    for cells, parities in TRANSCRIPTS:
        at, bad = 0, 0
        for ply, cell in enumerate(cells):
            bad += ply % 2 in parities and not optimal[at, cell]
            at = int(game.successors[at, cell])
        wrong.append(bad)
        ends.append(1 if game.lost[at] else 0 if game.over[at] else -1)
    board = int(game.index(RULES.parse("XX_OO____")))
    worth = targets_by_length(game, look_ahead(game, optimal.argmax(axis=1)))
    drawn = sample_by_play(game, np.random.default_rng(run.seed), BOARDS)
    stones = np.count_nonzero(game.boards[drawn], axis=1)
    return [
        Row("S4.transcripts", "machine moves in the four printed games that give away value",
            wrong, expected=(0, 0, 0, 0), within=0, budget="4 games"),
        Row("S4.ends", "how these games end: 0 a tie, 1 a win for who moved last", ends,
            (0, 1, 0, 0), within=0, budget="4 games"),
        Row("S4.example", "target of the winning cell in O O _ / X X _ / _ _ _",
            (worth[board, 2],), (1,)),
        Row("S4.drawn", "boards drawn with 8 stones, with 4, with the first mover to move",
            ((stones == 8).mean(), (stones == 4).mean(), (stones % 2 == 0).mean()),
            (0.039, 0.154, 0.56), within=0.005, unit="%", budget=f"{BOARDS:,} boards",
            note="sampled; positions with many stones are drawn less often than there are"),
        Row("S4.hit", "positions that are drawn at all", (len(np.unique(drawn)),), (4520,),
            within=0, budget=f"{BOARDS:,} boards"),
    ]  # fmt: skip
