"""S4, where O moves first: two masked MLPs on one-hot boards, trained by trying every cell."""

import numpy as np

from learners.selfplay import look_ahead, targets_by_length
from learners.symmetry_classes import sample_by_play
from scripts.reproduction.rows import Found, Job, Row, Task, Tell
from scripts.reproduction.training import RULES, strength, tail, trained
from tttenv.exact import positions, solve

# The printed games: the cells in order, and the parity of the plies that are the machine's.
TRANSCRIPTS = [
    ([4, 2, 8, 0, 1, 7, 3, 5, 6], (1,)),
    ([2, 4, 6, 8, 0, 7, 1], (0,)),
    ([2, 4, 6, 3, 5, 8, 0, 1, 7], (0,)),
    ([2, 4, 6, 7, 1, 0, 8, 5, 3], (0, 1)),
]


def nets(task: Task, tell: Tell) -> Found:
    """Train as published, and return the losses and the exact strength."""
    learner, told = trained("selfplay", "published", task.amount, task.seed, tell)
    return {**strength(learner.policy()), "losses": (tail(told, "loss_X"), tail(told, "loss_O"))}


def facts(task: Task, tell: Tell) -> Found:
    """Check the printed games and an example target."""
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
    return {"transcripts": wrong, "ends": ends, "example": (worth[board, 2],)}


def drawn(task: Task, tell: Tell) -> Found:
    """Sample boards as published; return fractions by stones, and count distinct boards."""
    game = positions(RULES)
    rows = sample_by_play(game, np.random.default_rng(task.seed), task.amount)
    stones = np.count_nonzero(game.boards[rows], axis=1)
    share = ((stones == 8).mean(), (stones == 4).mean(), (stones % 2 == 0).mean())
    return {"share": share, "hit": (len(np.unique(rows)),)}


JOBS = {
    "nets": Job(nets, (300, 3000, 3000), "{:,} rounds", 1, "3,000 rounds", long=True, seeds=5),
    "facts": Job(facts, says="4 games"),
    "drawn": Job(drawn, (200_000,) * 3, "{:,} boards"),
}
ROWS = [
    Row("S4.losses", "losses of the net that moves first / second", "nets", "losses",
        (0.002995, 0.00329), band=((0.0005, 0.02), (0.0005, 0.02)), least=3000, main=True,
        note="ours are means of the last fifty rounds; the claim is one batch, after fitting it"),
    Row("S4.first", "moves first, against random: won, draw, lost", "nets", "X", (),
        band=((0.93, 0.995), (0, 0.07), (0, 0.02)), unit="%", repaired="selfplay/X", least=3000,
        main=True, note="'I can hardly beat it' is true of the first mover only"),
    Row("S4.second", "moves second", "nets", "O", (), band=((0.8, 0.94), (0.02, 0.2), (0.0, 0.06)),
        unit="%", repaired="selfplay/O", least=3000, main=True),
    Row("S4.worst", "worst case first / second", "nets", "worst", (), (0, -1), unit="value",
        repaired="selfplay/worst", least=3000, main=True),
    Row("S4.optimal", "optimal moves, of all positions", "nets", "optimal", (),
        band=((0.94, 0.999),), unit="%", repaired="selfplay/optimal", least=3000),
    Row("S4.transcripts", "machine moves in the four printed games that give away value", "facts",
        "transcripts", known=(0, 0, 0, 0), within=0, main=True),
    Row("S4.ends", "how these games end: 0 a tie, 1 a win for who moved last", "facts", "ends",
        (0, 1, 0, 0), within=0),
    Row("S4.example", "target of the winning cell in O O _ / X X _ / _ _ _", "facts", "example",
        (1,)),
    Row("S4.drawn", "boards drawn with 8 stones, with 4, with the first mover to move", "drawn",
        "share", (0.039, 0.154, 0.56), within=0.005, unit="%",
        note="sampled; positions with many stones are drawn less often than there are"),
    Row("S4.hit", "positions that are drawn at all", "drawn", "hit", (4520,), within=0),
]  # fmt: skip
