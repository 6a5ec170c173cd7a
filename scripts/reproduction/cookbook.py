"""S3: a 9-81-9 network trained to predict best replies from a few boards and their images."""

import csv
import io
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import torch

from learners.supervised import LONGEST, TEST, LabelledPositions, images
from scripts.reproduction.rows import Found, Job, Row, Task, Tell
from scripts.reproduction.training import RULES, strength, trained
from tttenv.exact import positions, solve
from tttenv.game.symmetry import maps, orbits
from tttenv.utils.untrusted import read_bytes

STAND_IN = "25 of the solver's classes stand in for the published file (--moves-csv FILE)"


def classifier(task: Task, tell: Tell) -> Found:
    """Train as published, and return loss, accuracy, the test board's result and strength."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the note says it
        learner, _ = trained(
            "supervised", "published", task.amount, task.seed, tell, moves_csv=task.moves_csv
        )
    test = np.array([TEST], np.int8)
    with torch.no_grad():
        outputs = learner.net(learner.inputs)
        answer = learner.net(torch.as_tensor(test, dtype=torch.float32))
    right = outputs.argmax(dim=1) == learner.labels.argmax(dim=1)
    shown = learner.inputs.numpy().astype(np.int8)
    kinds = orbits(RULES, np.concatenate([test, shown]))[1]
    found: Found = {
        **strength(learner.policy()),
        "loss": (torch.nn.functional.cross_entropy(outputs, learner.labels).item(),),
        "accuracy": (right.float().mean().item(),),
        "answer": (int(answer.argmax()),),
    }
    note = (
        f"{len(learner.complaints)} rows of the file were refused" if task.moves_csv else STAND_IN
    )
    found |= {f"note {key}": note for key in ("loss", "accuracy", "answer", "O", "worst")}
    if task.moves_csv:
        found["leaked"] = (int((kinds[1:] == kinds[0]).sum()),)
    return found


def facts(task: Task, tell: Tell) -> Found:
    """Compute the facts that do not depend on the file: the test board and the transforms."""
    test = int(positions(RULES).index(TEST))
    legal = positions(RULES).successors[test] >= 0
    turns = maps(RULES)
    drawn = Counter(tuple(first[second]) for first in turns[1:6] for second in turns[1:6])
    chances = sorted(drawn.values(), reverse=True)
    return {
        "vacuous": (solve(RULES).optimal[test].sum(), legal.sum()),
        "transforms": [count / 25 for count in chances],
        "second": (_second_classes(),),
    }


def file_facts(task: Task, tell: Tell) -> Found:
    """Count the file's well-formed rows, and the distinct pairs among all their images."""
    if not task.moves_csv:
        return {f"note {key}": "not re-run: needs --moves-csv FILE" for key in ("rows", "pairs")}
    text = read_bytes(Path(task.moves_csv), LONGEST).decode("utf-8-sig")
    lines = csv.reader(io.StringIO(text, newline=""))
    table = np.array([whole for row in lines if (whole := _whole(row))])
    boards, replies = table[:, :9].astype(np.int8), np.eye(9)[table[:, 9]]
    every = images(RULES, LabelledPositions(boards, replies))
    pairs = np.unique(np.column_stack([every.boards, every.labels.argmax(axis=1)]), axis=0)
    labels: dict[tuple[int, ...], list[int]] = {}
    for *board, reply in pairs.tolist():
        labels.setdefault(tuple(board), []).append(reply)
    several = {board: replies for board, replies in labels.items() if len(replies) > 1}
    mixed = 0
    for board, given in several.items():
        try:
            good = solve(RULES).optimal[positions(RULES).index(np.array(board, np.int8))][given]
        except ValueError:  # a board that cannot be reached
            continue
        mixed += bool(good.any() and not good.all())
    return {
        "rows": (len(table), len(orbits(RULES, boards)[0])),
        "pairs": (len(pairs), len(labels), len(several), mixed),
    }


def held_out(task: Task, tell: Tell) -> Found:
    """Train our learner without a fifth of the classes, and return its accuracy on them."""
    _, told = trained("supervised", "default", task.amount, task.seed, tell, holdout=0.2)
    return {"repaired share": (told[-1]["held_out"],)}


def _whole(row: list[str]) -> list[int] | None:
    """Parse a row of the file; return None if it is malformed."""
    try:
        *board, reply = (int(part) for part in row)
    except ValueError:
        return None
    good = len(board) == RULES.cells and set(board) <= {-1, 0, 1} and 0 <= reply < RULES.cells
    return [*board, reply] if good else None


def _second_classes() -> int:
    """Count the undecided symmetry classes with the second player to move."""
    game = positions(RULES)
    going = game.decisions[game.seats[game.decisions] == 1]
    return len(orbits(RULES, game.boards[going])[0])


JOBS = {
    "classifier": Job(classifier, (100, 100, 100), "{:,} batches", 100, "10,000 batches"),
    "facts": Job(facts),
    "file": Job(file_facts, says="the file", claimed="the file"),
    "held out": Job(held_out, (15, 15, 15), "{:,} batches", 10, "-"),
}
ROWS = [
    Row("S3.rows", "rows of the file, their classes", "file", "rows", (31, 26), within=0),
    Row("S3.pairs",
        "with all images: pairs, boards, boards with several replies, with good and losing ones",
        "file", "pairs", (216, 171, 31, 12), within=0, main=True),
    Row("S3.second", "undecided classes with the second player to move; the file has 25 of them",
        "facts", "second", (289,), within=0),
    Row("S3.transforms", "how often two random transforms give each of the eight images", "facts",
        "transforms", (0.2, 0.16, 0.16, 0.16, 0.08, 0.08, 0.08, 0.08), unit="%",
        note="identity; the half turn and the two diagonals; the other four"),
    Row("S3.vacuous", "held-out board: optimal moves of its legal ones", "facts", "vacuous",
        known=(4, 4), within=0, main=True,
        note="vacuous: all four are worth 0, so every legal answer is right"),
    Row("S3.answer", "held-out board: the net's answer", "classifier", "answer", (6,), within=None),
    Row("S3.leaked", "images of that board among what is learned", "classifier", "leaked",
        band=((1, 25),), note="published: 6 to 15; needs --moves-csv FILE"),
    Row("S3.loss", "loss on its own rows after training", "classifier", "loss", (0.68, 0.76),
        within=None),
    Row("S3.accuracy", "accuracy on its own rows", "classifier", "accuracy", (0.78, 0.82),
        within=None, unit="%"),
    Row("S3.O", "as O against random: won, draw, lost", "classifier", "O",
        within=None, unit="%", repaired="supervised/O", main=True,
        note="with the file: wins 32 to 55, loses 40 to 66; its rows are not ours to judge by"),
    Row("S3.worst", "worst case as X / O", "classifier", "worst", (), (-1, -1), unit="value",
        repaired="supervised/worst", main=True),
    Row("S3.held_out", "fair test, a fifth of the classes kept apart: optimal moves on them",
        "held out", "share", within=None, unit="%"),
]  # fmt: skip
