"""Learners from other libraries, as published and repaired."""

from functools import partial

import numpy as np

from learners.selfplay import look_ahead, targets_by_length
from scripts.reproduction.random_games import learns_as_o
from scripts.reproduction.rows import Found, Job, Row, Run, Task, Tell
from scripts.reproduction.training import RULES, repaired, strength, trained
from tttenv.exact import Tabulated, positions

FOREIGN = "not re-run: the library's own learner, which is no part of this package"


def fixed_point(task: Task, tell: Tell) -> Found:
    """Iterate Algorithm A's published targets exactly, until the best cells are stable.

    As in its code, a win by the stone that fills the board counts as a draw.
    """
    game = positions(RULES)
    legal, cells = game.successors >= 0, (game.successors >= 0).argmax(axis=1)
    left = np.count_nonzero(game.boards == 0, axis=1, keepdims=True)
    for turn in range(RULES.cells + 1):  # the last ply settles first
        tried = look_ahead(game, cells)
        unseen = (tried.results > 0) & (tried.plies + 1 == left)
        tried = tried._replace(results=np.where(unseen, 0, tried.results).astype(np.int8))
        cells = np.where(legal, targets_by_length(game, tried), -np.inf).argmax(axis=1)
        tell(turn, RULES.cells + 1)
    return strength(
        Tabulated.uniform_over(RULES, (np.arange(RULES.cells) == cells[:, None]) & legal)
    )


def pools(pool: tuple[str, ...]) -> Run:
    """Return a job that trains MaskablePPO with rewards 1, 0, -1 against a pool of opponents."""

    def run(task: Task, tell: Tell) -> Found:
        args = ("maskable_ppo", "published", task.amount, task.seed, tell)
        return strength(trained(*args, pool=pool)[0].policy())

    return run


def half_draws(task: Task, tell: Tell) -> Found:
    """Train the published Q-table with a reward of 1/2 for a draw."""
    learner, _ = trained("qtable", "published", task.amount, task.seed, tell, draw=0.5)
    return strength(learner.policy())


def seeds(name: str, task: Task, tell: Tell) -> Found:
    """Train our default learner with several seeds, and count the unbeatable ones."""
    unbeatable = 0
    for seed in range(task.seed, task.seed + task.amount):
        found = repaired(Task("repaired", name, 1, seed, None), lambda done, of: None)
        unbeatable += min(found["worst"]) > -1e-9
        tell(seed - task.seed, task.amount)
    return {"share": (unbeatable / task.amount,)}


def _ppo(pool: tuple[str, ...], full: int) -> Job:
    return Job(
        pools(pool), (2, full, full), "{:,} turns", 2048, f"{full * 2048:,} turns", long=True
    )


def _seeds(name: str) -> Job:
    return Job(partial(seeds, name), (3, 10, 10), "{:,} seeds", 1, "10 seeds")


JOBS = {
    "fixed point": Job(fixed_point, claimed="all positions"),
    "ppo random": _ppo(("random",), 488),
    "ppo half": _ppo(("random", "minimax"), 425),
    "ppo self": _ppo(("self",), 342),
    "half draws": Job(half_draws, (140, 140, 140), "{:,} games", 100, "14,000 games"),
    "random games": Job(
        learns_as_o, (20_000, 150_000, 2_000_000), "{:,} games", 1, "150,000 games", seeds=3
    ),
    "td0 seeds": _seeds("td0"),
    "genetic seeds": _seeds("genetic"),
}
ROWS = [
    Row("others.fixed_X", "Algorithm A's published targets followed exactly: as X", "fixed point",
        "X", (0.9948, 0.0052, 0), within=5.1e-5, unit="%", repaired="selfplay/X"),
    Row("others.fixed_O", "Algorithm A's published targets followed exactly: as O", "fixed point",
        "O", (0.8138, 0.1101, 0.0762), within=5.1e-5, unit="%", repaired="selfplay/O", main=True),
    Row("others.fixed_worst", "the same: worst case as X / O", "fixed point", "worst", (0, -1),
        unit="value", repaired="selfplay/worst", main=True,
        note="no training can mend it: the targets themselves are beatable"),
    Row("others.half_draws", "S1's Q-table, a draw counting half: wins as X / O", "half draws",
        "wins", (0.9948, 0.9164), band=((0.9, 0.996), (0.8, 0.94)), unit="%",
        repaired="qtable/wins", note="claimed of the better of two seeds; the other is beatable"),
    Row("others.td0", "TD(0), self-play over classes: seeds unbeatable", "td0 seeds", "share", (1,),
        unit="%", note="our default learner"),
    Row("others.genetic", "genetic, population 500: seeds unbeatable", "genetic seeds", "share",
        (0.9,), band=((0.9, 1),), unit="%", note="our default learner"),
    Row("others.ppo", "MaskablePPO against random: wins as X / O", "ppo random", "wins",
        (0.9948, 0.9280), band=((0.93, 1), (0.85, 0.939)), unit="%", repaired="maskable_ppo/wins",
        least=400),
    Row("others.ppo_worst", "MaskablePPO against random: worst case as X / O", "ppo random",
        "worst", (-1, -1), band=((-1, 0), (-1, -1)), unit="value", repaired="maskable_ppo/worst",
        main=True, note="+1/0/-1 against random does not aim at an unbeatable O; seeds differ"),
    Row("others.ppo_half", "MaskablePPO, half random, half minimax: worst case", "ppo half",
        "worst", (0, -1), band=((-1, 0), (-1, 0)), unit="value", repaired="maskable_ppo/worst",
        least=400),
    Row("others.ppo_self", "MaskablePPO, self-play: worst case as X / O", "ppo self", "worst",
        (-1, -1), band=((-1, 0), (-1, 0)), unit="value", repaired="maskable_ppo/worst", least=300),
    Row("others.ttt_rl", "ttt-rl, network 18-100-9 as O against random: wins as X / O",
        "random games", "wins", band=((0.5, 0.8), (0.84, 0.885)), unit="%",
        repaired="maskable_ppo/wins", least=150_000,
        note="its own program, three seeds: 84.0, 88.3 and 86.8 % as O; it never plays X"),
    Row("others.ttt_rl_worst", "ttt-rl: worst case as X / O", "random games", "worst",
        band=((-1, -1), (-1, 0)), unit="value", repaired="maskable_ppo/worst", least=150_000,
        main=True, note="unbeatable as O with its own three seeds, and here in 7 of 12; X is never"
        " learnt"),
    Row("others.sb3_dqn", "SB3 DQN, tuned, wins as X / O", claimed=(0.9896, 0.928), unit="%",
        repaired="dqn/wins", note=FOREIGN),
    Row("others.openspiel", "OpenSpiel tabular Q, wins as X", claimed=(0.99,), unit="%",
        note=FOREIGN),
]  # fmt: skip
