"""S3: a 9-81-9 network trained to predict best replies from a few boards and their images."""

import warnings
from collections import Counter

import numpy as np
import torch

from learners.supervised import TEST
from scripts.reproduction.rows import RULES, Row, Run, ours, strength
from tttenv.exact import positions, solve
from tttenv.game.symmetry import maps, orbits

STAND_IN = "25 of the solver's classes stand in for the published file"
BATCHES = "10,000 batches"


def numbers(run: Run) -> list[Row]:
    """Check the facts about boards and images, and train the network."""
    game, turns = positions(RULES), maps(RULES)
    board = int(game.index(TEST))
    second = game.boards[game.decisions[game.seats[game.decisions] == 1]]
    images = Counter(tuple(first[then]) for first in turns[1:6] for then in turns[1:6])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the note says it
        learner, _ = run.train("supervised", 100)
    with torch.no_grad():
        outputs = learner.net(learner.inputs)
        answer = learner.net(torch.as_tensor(np.array([TEST]), dtype=torch.float32))
    right = outputs.argmax(dim=1) == learner.labels.argmax(dim=1)
    loss = torch.nn.functional.cross_entropy(outputs, learner.labels).item()
    found, repaired = strength(learner.policy()), ours("supervised")
    return [
        Row("S3.second", "undecided classes with the second player to move; the file has 25",
            (len(orbits(RULES, second)[0]),), (289,), within=0),
        Row("S3.transforms", "how often two random transforms give each of the eight images",
            sorted((count / 25 for count in images.values()), reverse=True),
            (0.2, 0.16, 0.16, 0.16, 0.08, 0.08, 0.08, 0.08), unit="%",
            note="identity; the half turn and the two diagonals; the other four"),
        Row("S3.vacuous", "held-out board: optimal moves of its legal ones",
            (solve(RULES).optimal[board].sum(), (game.successors[board] >= 0).sum()),
            expected=(4, 4), within=0,
            note="vacuous: all four are worth 0, so every legal answer is right"),
        Row("S3.answer", "held-out board: the net's answer", (int(answer.argmax()),), (6,),
            within=None, budget=BATCHES, note=STAND_IN),
        Row("S3.loss", "loss on its own rows after training", (loss,), (0.68, 0.76),
            within=None, budget=BATCHES, note=STAND_IN),
        Row("S3.accuracy", "accuracy on its own rows", (right.float().mean().item(),),
            (0.78, 0.82), within=None, unit="%", budget=BATCHES, note=STAND_IN),
        Row("S3.O", "as O against random: won, draw, lost", found.o, unit="%",
            repaired=repaired.o, budget=BATCHES,
            note=f"with the file: wins 32 to 55, loses 40 to 66; {STAND_IN}"),
        Row("S3.worst", "worst case as X / O", found.worst, (), (-1, -1), unit="value",
            repaired=repaired.worst, budget=BATCHES, player="Supervised classifier",
            note=STAND_IN),
    ]  # fmt: skip
