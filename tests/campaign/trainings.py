"""Small trainings of every learner, which take a fraction of a second each."""

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tttenv
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
# And besides on boards that are not looked up.
LARGE: dict[str, dict[str, Any]] = {"maskable_ppo": {"pool": ("tactical", "self", "random")}}


@dataclass(frozen=True)
class Training:
    """Training that is determined by these fields."""

    learner: str
    seed: int = 0
    steps: int = 10
    checkpoint_every: int = 1
    rules: str = "3,3,3"

    def run(self, out: Path, resume: bool = False, more: int = 0) -> int:
        """Train in the folder `out` to the end, or `more` steps; return the step reached."""
        from learners.registry import LEARNERS
        from learners.training.loop import Schedule
        from learners.training.train import train

        config = LEARNERS.load(self.learner).Config(seed=self.seed, **self._fields())
        plan = Schedule(self.steps + more, 1, self.checkpoint_every, False)
        rules = Rules.of(self.rules)
        return train(self.learner, config, rules, plan, out, resume=resume).step

    def arguments(self, out: Path, resume: bool = False) -> list[str]:
        """Return the same training as arguments of `scripts/train.py`."""
        given = [self.learner, "--seed", self.seed, "--steps", self.steps, "--every", 1]
        given += ["--checkpoint-every", self.checkpoint_every, "--rules", self.rules, "--json"]
        for name, value in self._fields().items():
            values = value if isinstance(value, tuple) else (value,)
            given += [f"--{name.replace('_', '-')}", *values]
        return [*map(str, given), "--out", str(out), *(["--resume"] if resume else [])]

    def _fields(self) -> dict[str, Any]:
        """Return the learner's config fields besides its seed."""
        large = {} if self.rules == "3,3,3" else LARGE.get(self.learner, {})
        return SMALL.get(self.learner, {}) | large


def learners() -> list[str]:
    """Return the names of all learners."""
    from learners.registry import LEARNERS

    return list(LEARNERS)


def warm_up() -> None:
    """Load and compile what trainings need, so that forked copies start at once.

    Everything runs in one thread: a process with threads cannot be forked safely.
    """
    import torch

    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        for name in learners():
            Training(name, steps=1).run(Path(folder) / name)
            Training(name, steps=2).run(Path(folder) / name, resume=True)
            tttenv.player(f"{folder}/{name}/")


def run_script(arguments: list[str]) -> None:
    """Run `scripts/train.py` in this process, including its signals and messages."""
    import sys

    from learners.cli import train as script
    from tttenv.cli import console

    sys.argv = ["train.py", *arguments]
    console.run(script.main, "train.py")
