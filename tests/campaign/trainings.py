"""Small trainings of every learner, and the contents of their folders, compared with another's."""

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

import tttenv
from learners.registry import LEARNERS
from learners.testing import _same as same
from learners.training.checkpoint import load_training
from learners.training.run import Run, Schedule
from learners.training.train import train
from tttenv.game.rules import Rules
from tttenv.players.stored.checkpoint import CARD, POLICY, RUN, WEIGHTS, file_of, read_card

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
        plan = Schedule(self.steps, 1, 1)
        return train(Run(self.learner, "default", config, Rules(), plan), out, resume=resume).step


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


EVENTS = "events.out.tfevents."


def contents(folder: Path) -> dict[str, Any]:
    """Return all that must be the same after an interrupted training, except times."""
    card = read_card(folder)
    files = {role: file_of(card, role) for role in (WEIGHTS, POLICY)}
    found = {role: name and (folder / name).read_bytes() for role, name in files.items()}
    curve = card.get("curve")
    timeless = {"files": None, "seconds": None, "curve": curve and curve | {"seconds": None}}
    _, state = load_training(folder)
    clock = state["progress"]
    unbeatable = clock["unbeatable_at"] and clock["unbeatable_at"][0]
    state = [state["learner"], Run.load(folder), clock["step"], unbeatable]
    return found | {"card": card | timeless, "state": state}


def differences(folder: Path, wanted: dict[str, Any]) -> list[str]:
    """Return what differs from the contents wanted, and files that no card or curve names."""
    found = contents(folder)
    known = {CARD, RUN, ".lock", *read_card(folder)["files"]}
    names = sorted(file.name for file in folder.iterdir() if not file.name.startswith(EVENTS))
    differ = [key for key in wanted if not same(found[key], wanted[key])]
    return differ + [name for name in names if name not in known]


def curves(folder: Path) -> dict[str, list[tuple[int, Any]]]:
    """Return the contents of TensorBoard by tag: steps with values, or with pictures' lengths."""
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from tensorboard.util import tb_logging

    tb_logging.get_logger().setLevel("ERROR")  # it warns of every training that was resumed
    events = EventAccumulator(str(folder), size_guidance={"scalars": 0, "images": 0})
    events.Reload()
    tags = events.Tags()
    found: dict[str, list[tuple[int, Any]]] = {
        tag: [(event.step, event.value) for event in events.Scalars(tag)]
        for tag in tags["scalars"]
        if not tag.startswith("time/") and not tag.endswith(("/hparam", "_hparams_"))
    }
    for tag in tags["images"]:
        found[tag] = [(event.step, len(event.encoded_image_string)) for event in events.Images(tag)]
    return found
