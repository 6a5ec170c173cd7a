"""S0: a linear evaluation with seven features, trained by least mean squares."""

import numpy as np

from scripts.reproduction.rows import PRINTED, Found, Job, Row, Run, Task, Tell
from scripts.reproduction.training import RULES, strength, trained
from tttenv.exact import Tabulated, positions
from tttenv.game.features import seven


def variant(preset: str) -> Run:
    """Return a job that trains one of the three published forms and measures its strength."""

    def run(task: Task, tell: Tell) -> Found:
        learner, _ = trained("lms", preset, task.amount, task.seed, tell)
        return {**strength(learner.policy()), "weights": learner.weights.tolist()}

    return run


def drawn(task: Task, tell: Tell) -> Found:
    """Try random directions of the seven weights, and return the worst cases of the best one."""
    rng, game = np.random.default_rng(task.seed), positions(RULES)
    seen, legal = seven(RULES, -game.boards), game.successors >= 0
    best = (-2.0, -2.0, 0.0, 0.0)
    for turn in range(task.amount):
        tell(turn, task.amount)
        worth = seen @ rng.normal(size=7)
        moves = np.where(legal, worth[game.successors], -np.inf)
        chosen = np.arange(9) == moves.argmax(axis=1)[:, None]
        found = strength(Tabulated.uniform_over(RULES, chosen & legal))
        best = max(best, (sum(found["worst"]), *found["worst"], found["wins"][1]))
    return {"worst": best[1:3]}


def _form(preset: str, games: int = 10_000) -> Job:
    steps = games // 100
    return Job(variant(preset), (steps,) * 3, "{:,} games", 100, "10,000 games")


JOBS = {
    "published": _form("published"),
    "final board": _form("published_final_board"),
    "x first": _form("published_x_first"),
    "twice": _form("published_final_board", 20_000)._replace(claimed="20,000 games"),
    "drawn": Job(drawn, (100, 1000, 3000), "{:,} vectors", 1, "3,000 vectors"),
    "random": Job(lambda task, tell: {"mean": strength("random")["mean"]}, claimed="1,000 games"),
}
FIRST, SECOND, MEAN = (0.9896, 0.0104, 0), (0.8444, 0.0667, 0.0889), (0.9170, 0.0385, 0.0444)
FEATURES = "w6 stays 1 for ever, as no board updated from is final"
ROWS = [
    Row("S0.random", "random against random: won, draw, lost", "random", "mean",
        (0.410, 0.138, 0.452), (0.436508, 0.126984, 0.436508), 1e-6, (), "%", 1000,
        note="mean of both seats, as starters alternate"),
    Row("S0.mean", "against random, both seats: won, draw, lost", "published", "mean",
        (0.919, 0.038, 0.046), MEAN, PRINTED, (), "%", 1003, "lms/mean", main=True,
        note="the printed counts add up to 1,003; true only with alternating starters"),
    Row("S0.first", "moves first: won, draw, lost", "published", "X", (), FIRST, PRINTED, (), "%",
        repaired="lms/X"),
    Row("S0.second", "moves second: won, draw, lost", "published", "O", (), SECOND, PRINTED, (),
        "%", repaired="lms/O"),
    Row("S0.worst", "worst case first / second", "published", "worst", (), (0, -1), unit="value",
        repaired="lms/worst", main=True),
    Row("S0.weights", "weights, alternating starters", "published", "weights", (),
        (-0.464049, 0.122196, -0.378908, 1.588691, -0.356476, -0.306870, 1.0), 1e-6, (), "weight",
        note=FEATURES),
    Row("S0.final_weights", "weights, last update by the final board", "final board", "weights", (),
        (-0.436874, 0.105956, -0.397373, 1.667375, -0.338335, -0.315474, 0.904584), 1e-6, (),
        "weight"),
    Row("S0.final_mean", "that form against random, both seats", "final board", "mean", (), MEAN,
        PRINTED, (), "%", repaired="lms/mean"),
    Row("S0.x_weights", "weights, x always starts", "x first", "weights", (),
        (0.217096, 0.017458, 0.053898, -0.108790, -0.143805, -0.000826, 1.0), 1e-6, (), "weight"),
    Row("S0.x_mean", "x always starts: against random, both seats", "x first", "mean",
        (0.919, 0.038, 0.046), (0.547, 0, 0.453), 5e-4, (), "%", 1003, "lms/mean", main=True,
        note="as the article prints the loop: for it the claim does not hold"),
    Row("S0.x_worst", "that form, worst case first / second", "x first", "worst", (), (-1, -1),
        unit="value", repaired="lms/worst"),
    Row("S0.twice", "last update by the final board, twice the games: wins, both seats", "twice",
        "win", (), (0.843,), 5e-4, (), "%", main=True, note="not robust: more games make it worse"),
    Row("S0.drawn", "best of random weights of the seven: worst case as X / O", "drawn", "worst",
        (), (), None, ((-1, 0), (-1, -1)), "value", repaired="lms/worst"),
]  # fmt: skip
