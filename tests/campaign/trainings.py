"""Small trainings of every learner, which take a fraction of a second each."""

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

import tttenv
from learners.registry import LEARNERS
from learners.training.loop import Schedule
from learners.training.train import train
from tttenv.game.rules import Rules

# What makes a learner's step quick; a learner without a row here trains as it usually does.
SMALL: dict[str, dict[str, Any]] = {
    "selfplay": {"hidden": (16,), "batch": 32, "fits": 1},
    "td0": {"games": 32},
    "qtable": {"games": 32},
    "genetic": {"population": 20},
    "supervised": {"hidden": (16,), "batch": 64, "fits": 1},
    "lms": {"games": 1},
    "dqn": {"hidden": (16,), "games": 8, "batch": 16, "capacity": 200, "sync": 3},
    "reinforce": {"hidden": (16,), "games": 32},
    "transformer": {"layers": 1, "width": 8, "heads": 2, "games": 8},
    "patterns": {"channels": 4, "hidden": 8, "nodes": 100, "games": 1, "updates": 1},
    "maskable_ppo": {"hidden": (16,), "games": 8, "turns": 8, "batch": 32, "epochs": 1},
}


@dataclass(frozen=True)
class Training:
    """Training that is determined by these fields."""

    learner: str
    seed: int = 0
    steps: int = 10

    def run(self, out: Path, resume: bool = False) -> int:
        """Train in the folder `out` to the end; return the step reached."""
        fields = SMALL.get(self.learner, {})
        config = LEARNERS.load(self.learner).Config(seed=self.seed, **fields)
        plan = Schedule(self.steps, 1, 1, False)
        return train(self.learner, config, Rules(), plan, out, resume=resume).step


def warm_up() -> None:
    """Load and compile what trainings need, so that forked copies start at once.

    Everything runs in one thread: a process with threads cannot be forked safely.
    """
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        for name in LEARNERS:
            Training(name, steps=1).run(Path(folder) / name)
            Training(name, steps=2).run(Path(folder) / name, resume=True)
            tttenv.player(f"{folder}/{name}/")
