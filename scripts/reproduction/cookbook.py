"""S3: a 9-81-9 network trained to predict best replies from a few boards and their images."""

import warnings

import torch

from scripts.reproduction.rows import Row, Run, measured, row


def numbers(run: Run) -> list[Row]:
    """Train the network."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the note says it
        learner, _ = run.train("supervised", 100)
    with torch.no_grad():
        outputs = learner.net(learner.inputs)
    right = outputs.argmax(dim=1) == learner.labels.argmax(dim=1)
    loss = torch.nn.functional.cross_entropy(outputs, learner.labels).item()
    return [
        row("S3.loss", (loss,)),
        row("S3.accuracy", (right.float().mean().item(),)),
        *measured(learner.policy(), "S3.O", "S3.worst"),
    ]
