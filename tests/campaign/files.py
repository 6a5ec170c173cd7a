"""Attack by mutated checkpoints, states and snapshots, loaded in every possible way.

A case is one folder: the checkpoint of a learner, small or large board, with its training's state.
Some times over, one of its files is changed, loaded and put back. Of weights, policies, states
and snapshots the card vouches for most, whose digest it then bears. Loading a changed file in the
ways that read it, the costly ones seldom, either works or ends in a ValueError of one line that
repeats at most 300 characters of the file. Whatever loads obeys the laws of a policy; what differs
from the card's digest never loads. Nothing runs, nothing outside the folder is opened or changed
(`guards`), nothing takes more than 20 s or 1 GB.
"""

import hashlib
import json
import random
import shutil
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import tttenv
from learners.registry import LEARNERS
from learners.training.checkpoint import load_learner, load_policy, load_training
from tttenv.certificates import curve, snapshots
from tttenv.exact import positions
from tttenv.game.rules import Rules
from tttenv.players import rules_of
from tttenv.players.stored.checkpoint import CARD, file_of, read_card
from tttenv.policy import Policy, validated

from . import mutations
from .children import Child
from .folders import EVENTS
from .guards import Guards, Hang
from .running import Log
from .trainings import Training

LONGEST = 300 + 250  # characters of a file that a message may repeat, and of our own
LARGE = ("dqn", "reinforce", "maskable_ppo")  # learners that learn on any board
ROLES = ("weights", "policy", "state", "snapshots")
TARGETS = (CARD, CARD, CARD, *ROLES, "state")
CHANGES = 20  # files of a case, one after another
SELDOM = 0.05  # how often one of the costlier ways is taken


class Files:
    """Family of cases described above."""

    total = None

    def __init__(self, place: Path, log: Log) -> None:
        self.log, self.place, self.folder = log, place, place / "m"
        self.canary = place / "canary"
        self.words = mutations.texts(self.canary)
        trainings = [Training(name, steps=2) for name in LEARNERS]
        trainings += [Training(name, steps=1, rules="5,5,4") for name in LARGE]
        self.bases = [Base(training, place / "base") for training in trainings]
        self.every = [data for base in self.bases for data in base.files.values()]
        warnings.simplefilter("ignore")
        for base in self.bases:  # once, so that nothing is compiled under observation
            self._lay_out(base)
            for load in WAYS.values():
                load(self.folder, base.training)
        positions(Rules(3, 4, 3))

    def case(self, number: int, rng: random.Random) -> None:
        """Load one folder with some changed files."""
        self.guards = Guards(self.place, self.canary)
        base = rng.choice(self.bases)
        for change in range(CHANGES):
            self._lay_out(base)
            target = rng.choice(TARGETS)
            if target not in base.names:
                target = CARD
            vouched = self._mutate(base, target, rng)
            first, *others = READS[target]
            if target == "weights" and "policy" not in base.names:
                first = "player"
            ways = [first, *(way for way in others if rng.random() < SELDOM)]
            for way in ways:
                refuses = target != CARD and not vouched
                self._load(base, way, refuses, f"{base.name} {target}, change {change}, {way}")

    def _lay_out(self, base: "Base") -> None:
        """Create the folder with valid files."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        for name, data in base.files.items():
            (self.folder / name).write_bytes(data)

    def _mutate(self, base: "Base", target: str, rng: random.Random) -> bool:
        """Change the file; return whether the card vouches for it, or it is as it was."""
        file = self.folder / base.names[target]
        data = base.files[file.name]
        vouched = target in ROLES and rng.random() < 0.6
        made = self._mutated(data, target, rng, vouched)
        if not vouched:
            file.write_bytes(made)
            return made == data
        file.unlink()
        card = json.loads(base.files[CARD])
        known, digest = card["files"].pop(file.name), hashlib.sha256(made).hexdigest()
        renamed = file.with_name(file.name.replace(known[:16], digest[:16]))
        card["files"][renamed.name] = digest
        renamed.write_bytes(made)
        (self.folder / CARD).write_text(json.dumps(card))
        return True

    def _mutated(self, data: bytes, target: str, rng: random.Random, vouched: bool) -> bytes:
        if target == CARD and rng.random() < 0.9:
            return mutations.changed_json(json.loads(data), rng, self.words)
        if vouched and rng.random() < 0.9:
            header, numbers = mutations.split(data)
            metadata = header.get("__metadata__", {})
            if target == "state" and "state" in metadata and rng.random() < 0.7:
                skeleton = json.loads(metadata["state"])
                text = mutations.changed_json(skeleton, rng, self.words)
                metadata["state"] = text.decode("utf-8", "surrogatepass")
                return mutations.joined(json.dumps(header).encode(), numbers)
            return mutations.changed_tensors(data, rng, self.words)
        return mutations.damaged(data, rng, self.every)

    def _load(self, base: "Base", way: str, refuses: bool, what: str) -> None:
        self.log.count("loads")
        kind, told = "", ""
        try:
            with self.guards.on():
                WAYS[way](self.folder, base.training)
        except LawlessError as error:
            kind, told = "what loads breaks the law", str(error)
        except ValueError as error:
            told = str(error)
            if not told.isprintable():  # or of more than one line
                kind = "a message is not one line of text"
            elif not 0 < len(told.replace(str(self.folder), "")) <= LONGEST:
                kind = "a message is empty or too long"
            self.log.count("refused")
        except Hang:
            kind = "a load hangs"
        except BaseException as error:
            kind, told = f"{way} ends in {type(error).__name__}", str(error)
        else:
            if refuses:
                kind = "changed bytes load without a word"
        if kind:
            self.log.fail(kind, f"{what}: {told[:300]}")
        for seen in self.guards.seen:
            self.log.fail("code runs, or files outside are touched", f"{what}: {seen}")
        if self.canary.exists():
            self.canary.unlink()
            self.log.fail("code runs", what)


class LawlessError(Exception):
    """Error for a loaded player that violates the invariants of players."""


class Base:
    """Valid checkpoint with its files and their names."""

    def __init__(self, training: Training, folder: Path) -> None:
        self.training = training
        self.name = f"{training.learner} {training.rules}"
        outcome = Child(lambda: _timeless(training, folder)).outcome()
        if "error" in outcome:
            raise RuntimeError(f"{training} fails: {outcome['message']}")
        found = [file for file in sorted(folder.iterdir()) if EVENTS not in file.name]
        self.files = {file.name: file.read_bytes() for file in found}
        card = read_card(folder)
        names = {role: file_of(card, role) for role in ROLES}
        self.names = {role: name for role, name in names.items() if name} | {CARD: CARD}
        shutil.rmtree(folder)


def _timeless(training: Training, folder: Path) -> int:
    """Train while the clock stands still, so that the files have the same bytes in every run."""
    time.time = time.monotonic = time.process_time = lambda: 1.7e9
    return training.run(folder)


def _play(policy: Policy, rules: Rules) -> None:
    """Query a player on some boards; a tabulated one must satisfy the invariants on all.

    Raises:
        ValueError: if the answers of a network are none, as all that asks it would say.
    """
    table = getattr(policy, "table", None)
    if table is not None:
        game = positions(rules)
        rows, taken = table[game.decisions], game.boards[game.decisions] != 0
        sums = rows.sum(axis=1)
        # Written so that numbers that are none fail.
        if not (rows.min() >= 0 and abs(sums - 1).max() < 1e-5 and not (rows * taken).any()):
            raise LawlessError("its table breaks the laws of a policy")
    boards = rules.start(1)
    while not rules.over(boards).any() and (boards != 0).sum() < 3:
        boards = rules.play(boards, validated(boards, policy(boards)).argmax(axis=1))


def _player(folder: Path, _: Training) -> None:
    _play(tttenv.player(f"{folder}/"), rules_of(f"{folder}/"))


def _policy(folder: Path, _: Training) -> None:
    _play(load_policy(folder), rules_of(f"{folder}/"))


def _learner(folder: Path, _: Training) -> None:
    _play(load_learner(folder).policy(), rules_of(f"{folder}/"))


def _snapshots(folder: Path, _: Training) -> None:
    card = read_card(folder)
    measured = curve.exact_curve.from_card(card)
    if measured is not None:
        snapshots.read(folder, card, Rules.of(str(card["rules"])), measured)


WAYS: dict[str, Callable[[Path, Training], object]] = {
    "player": _player,
    "policy": _policy,
    "learner": _learner,
    "state": lambda folder, _: load_training(folder),
    "snapshots": _snapshots,
    "resume": lambda folder, training: training.run(folder, resume=True, more=1),
}
# The ways that read a file, so that they must see that it is not the card's; the first always.
READS = {
    CARD: ("player", "policy", "learner", "state", "resume"),
    "weights": ("policy", "learner"),
    "policy": ("player",),
    "state": ("state", "resume"),
    "snapshots": ("snapshots",),
}
