"""S3: a 9-81-9 network trained to predict best replies from a few boards and their images."""

import warnings

import torch

from scripts.reproduction.rows import Row, Run, Strength, ours

STAND_IN = "25 of the solver's classes stand in for the published file"
BATCHES = "10,000 batches"


def numbers(run: Run) -> list[Row]:
    """Train the network."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the note says it
        learner, _ = run.train("supervised", 100)
    with torch.no_grad():
        outputs = learner.net(learner.inputs)
    right = outputs.argmax(dim=1) == learner.labels.argmax(dim=1)
    loss = torch.nn.functional.cross_entropy(outputs, learner.labels).item()
    found, repaired = Strength(learner.policy()), ours("supervised")
    return [
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
