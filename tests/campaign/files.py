"""Attack by mutated checkpoints, states, curves and tables, loaded in every possible way.

A case is one folder: the checkpoint of a learner, small or large board, with its training's state.
Some times over, one of its files is changed, loaded and put back. Of weights, policies, states
and snapshots the card vouches for most, whose digest it then bears. Loading a changed file in the
ways that read it, the costly ones seldom, either works or ends in a ValueError of one line that
repeats at most 300 characters of the file. Whatever loads obeys the laws of a policy; what differs
from the card's digest never loads. Nothing runs, nothing outside the folder is opened or changed
(`guards`), nothing takes more than 20 s or 600 MB.
"""

import contextlib
import hashlib
import json
import os
import random
import shutil
import time
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import tttenv
from tttenv.exact import positions
from tttenv.game.rules import Rules
from tttenv.players.checkpoint import CARD, read_card
from tttenv.policy import Policy, validated

from . import mutations
from .children import Child
from .folders import EVENTS, data_file, stored_state
from .guards import MEMORY, Guards, Hang
from .running import Log
from .trainings import Training, learners

QUOTED = 300  # characters of a file that a message may repeat
WORDS = 250  # of our own, besides
LARGE = ("dqn", "reinforce", "maskable_ppo")  # learners that learn on any board
ROLES = ("weights", "policy", "state", "snapshots")
TARGETS = (CARD, CARD, CARD, *ROLES, "state", "csv", "results")
CHANGES = 20  # files of a case, one after another
# How often ways are taken that take some milliseconds, some tens of them, and a hundred and more.
OFTEN, SELDOM, RARELY = 0.2, 0.03, 0.003
ROWS = 12  # of a table of moves
ROOT = Path(__file__).resolve().parents[2]
Way = tuple[str, Callable[[], Any]]


class Files:
    """Family of cases described above."""

    total = None

    def __init__(self, place: Path, log: Log) -> None:
        self.log, self.folder = log, place / "m"
        warnings.simplefilter("ignore")
        canary = place / "canary"
        self.words = mutations.texts(canary)
        trainings = [Training(name, steps=2) for name in learners()]
        trainings += [Training(name, steps=1, rules="5,5,4") for name in LARGE]
        self.bases = [Base(training, place / "base") for training in trainings]
        self.tables = _tables(place)
        self.every = [data for base in self.bases for data in base.files.values()]
        _warm_up(self.bases, place)
        self.canary, self.guards = canary, Guards(place, canary)
        canary.with_name("canary.zip").write_bytes(b"PK")

    def case(self, number: int, rng: random.Random) -> None:
        """Load one folder with some changed files."""
        base = rng.choice(self.bases)
        self._lay_out(base)
        for change in range(CHANGES):
            target = rng.choice(TARGETS)
            if target in ROLES and target not in base.names:
                target = CARD
            file, vouched = self._mutate(base, target, rng)
            silent = target in ROLES and not vouched
            what = f"{base.name} {target}, change {change}"
            for way, load in self._ways(base, target, file, rng):
                self._load(way, load, silent and way in READS[target](base), what)
            self._restore(base)

    def close(self) -> None:
        """Do nothing, since nothing is left running."""

    def _lay_out(self, base: "Base") -> None:
        """Create the folder with valid files."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        for name, data in base.files.items():
            (self.folder / name).write_bytes(data)
        self.changed: set[Path] = set()
        self.spoiled = False

    def _restore(self, base: "Base") -> None:
        """Restore the changed files, or all of them where a load may have written some."""
        if self.spoiled:
            self._lay_out(base)
            return
        for file in self.changed:
            _remove(file)
            if file.name in base.files:
                file.write_bytes(base.files[file.name])
        self.changed.clear()

    def _mutate(self, base: "Base", target: str, rng: random.Random) -> tuple[Path, bool]:
        """Change the file; return its path and whether the card vouches for it."""
        if target in ("csv", "results"):
            file = self.folder / target
            data = self.tables[target]
        else:
            file = self.folder / base.names[target]
            data = base.files[file.name]
        self.changed.add(file)
        if rng.random() < 0.03:
            file.unlink(missing_ok=True)
            kind = rng.choice(list(mutations.SPECIALS))
            mutations.SPECIALS[kind](file)
            self.log.count("specials")
            return file, False
        vouched = target in ROLES and rng.random() < 0.6
        made = self._mutated(data, target, rng, vouched)
        while made == data:
            made = self._mutated(data, target, rng, vouched)
        file.unlink(missing_ok=True)
        if vouched:
            file = self._vouch(base, file, made)
        file.write_bytes(made)
        return file, vouched or made[: len(data)] == data == b""

    def _mutated(self, data: bytes, target: str, rng: random.Random, vouched: bool) -> bytes:
        if target in (CARD, "results") and rng.random() < 0.9:
            return mutations.changed_json(json.loads(data), rng, self.words)
        if target in ROLES and vouched and rng.random() < 0.9:
            header, numbers = mutations.split(data)
            metadata = header.get("__metadata__", {})
            if target == "state" and "state" in metadata and rng.random() < 0.7:
                skeleton = json.loads(metadata["state"])
                text = mutations.changed_json(skeleton, rng, self.words)
                metadata["state"] = text.decode("utf-8", "surrogatepass")
                return mutations.joined(json.dumps(header).encode(), numbers)
            return mutations.changed_tensors(data, rng, self.words)
        if target == "csv" and rng.random() < 0.7:
            return _changed_rows(data, rng, self.words)
        return mutations.damaged(data, rng, self.every)

    def _vouch(self, base: "Base", file: Path, made: bytes) -> Path:
        """Vouch for a changed file: write its digest to the card and its name; return its path."""
        card = json.loads(base.files[CARD])
        digest = hashlib.sha256(made).hexdigest()
        if file.name not in card["files"]:
            return file
        known = card["files"].pop(file.name)
        renamed = file.with_name(file.name.replace(known[:16], digest[:16]))
        card["files"][renamed.name] = digest
        (self.folder / CARD).write_text(json.dumps(card))
        self.changed |= {renamed, self.folder / CARD}
        return renamed

    def _ways(self, base: "Base", target: str, file: Path, rng: random.Random) -> list[Way]:
        folder = self.folder
        if target == "csv":
            from learners.supervised import read_csv

            return [("read_csv", lambda: read_csv(Rules(), file))]
        if target == "results":
            pages: list[Way] = [("published", lambda: _published(file))]
            if rng.random() < SELDOM / 3:
                pages += [("results", lambda: _results(file))]
            return pages
        load_state: Way = ("load_state", lambda: stored_state(folder))
        resume: Way = ("resume", lambda: base.training.run(folder, resume=True, more=1))
        if target == "state":
            self.spoiled = rng.random() < SELDOM
            return [load_state, *([resume] if self.spoiled else [])]
        if target == "snapshots":
            return [("snapshots", lambda: _snapshots(folder))]
        load_policy: Way = ("load_policy", lambda: _play(_policy(folder), folder))
        load_learner: Way = ("load_learner", lambda: _play(_learner(folder).policy(), folder))
        surely = READS[target](base)
        ways: list[Way] = [("read_card", lambda: _card(folder))] if target == CARD else []
        if target == CARD or "player" in surely or rng.random() < OFTEN:
            ways += [("player", lambda: _play(tttenv.player(f"{folder}/"), folder))]
        if target == "weights" or rng.random() < (OFTEN if target == CARD else SELDOM):
            ways += [load_policy]
        if rng.random() < (OFTEN if target == "weights" else SELDOM):
            ways += [load_learner]
        if rng.random() < OFTEN:
            ways += [load_state]
        if rng.random() < RARELY:
            self.spoiled = True
            ways += [("certify", lambda: _certify(folder)), ("report", lambda: _report(folder))]
            ways += [resume]
        return ways

    def _load(self, way: str, load: Callable[[], Any], silent: bool, what: str) -> None:
        self.log.count("loads")
        kind, told = "", ""
        try:
            with self.guards.on():
                load()
        except LawlessError as error:
            kind, told = "what loads breaks the law", str(error)
        except ValueError as error:
            kind = self._complaint(str(error))
            told = str(error)
            self.log.count("refused")
        except Hang:
            kind = "a load hangs"
        except BaseException as error:
            kind, told = f"{way} ends in {type(error).__name__}", str(error)
        else:
            if silent:
                kind = "changed bytes load without a word"
        if kind:
            self.log.fail(kind, f"{what}, {way}: {told[:300]}")
        for seen in self.guards.seen:
            self.log.fail("code runs, or files outside are touched", f"{what}, {way}: {seen}")
        if self.canary.exists():
            self.canary.unlink()
            self.log.fail("code runs", f"{what}, {way}")
        self.log.most("MB at most", self.guards.grown)
        if self.guards.grown > MEMORY:
            self.log.fail(f"over {MEMORY} MB", f"{what}, {way}: {self.guards.grown:.0f} MB")

    def _complaint(self, told: str) -> str:
        """Return what is wrong with a message, or an empty string."""
        if "\n" in told or not told:
            return "a message is not one line"
        if not told.isprintable():
            return "a message holds control characters"
        if len(told.replace(str(self.folder), "")) > QUOTED + WORDS:
            return "a message is too long"
        return ""


class LawlessError(Exception):
    """Error for a loaded player that violates the invariants of players."""


class Base:
    """Valid checkpoint with its files and their names."""

    def __init__(self, training: Training, folder: Path) -> None:
        self.training = training
        self.name = training.learner + ("" if training.rules == "3,3,3" else f" {training.rules}")
        outcome = Child(lambda: _timeless(training, folder)).outcome()
        if "error" in outcome:
            raise RuntimeError(f"{training} fails: {outcome['message']}")
        found = [file for file in folder.iterdir() if file.is_file() and EVENTS not in file.name]
        self.files = {file.name: file.read_bytes() for file in sorted(found)}
        card = read_card(folder)
        found = {role: data_file(folder, card, role) for role in ROLES}
        self.names = {role: file.name for role, file in found.items() if file} | {CARD: CARD}
        shutil.rmtree(folder)


def _timeless(training: Training, folder: Path) -> int:
    """Train while the clock stands still, so that the files have the same bytes in every run."""
    time.time = time.monotonic = time.process_time = lambda: 1.7e9
    return training.run(folder)


# Which ways read a file for sure, so that they must see that it is not the card's.
READS: dict[str, Callable[[Base], tuple[str, ...]]] = {
    CARD: lambda base: (),
    "weights": lambda base: (
        "load_learner",
        "load_policy",
        *(() if "policy" in base.names else ("player",)),
    ),
    "policy": lambda base: ("player",) if "policy" in base.names else (),
    "state": lambda base: ("load_state", "resume"),
    "snapshots": lambda base: ("snapshots",),
}


def _remove(file: Path) -> None:
    """Remove a file or an empty folder, if it exists."""
    try:
        file.unlink(missing_ok=True)
    except (IsADirectoryError, PermissionError):
        file.rmdir()


def _snapshots(folder: Path) -> None:
    from tttenv.certificates import curve, snapshots

    card = read_card(folder)
    measured = curve.from_card(card)
    assert measured is not None
    snapshots.read(folder, card, Rules.of(str(card["rules"])), measured)


def _play(policy: Policy, folder: Path) -> None:
    """Query a player on some boards; a tabulated one must satisfy the invariants on all.

    Raises:
        ValueError: if the answers of a network are none, as all that asks it would say.
    """
    rules = Rules.of(str(read_card(folder)["rules"]))
    table = getattr(policy, "table", None)
    if table is not None:
        decisions, taken = _decisions(rules)
        rows = table[decisions]
        sums = rows.sum(axis=1)
        # Written so that numbers that are none fail.
        if not (rows.min() >= 0 and abs(sums - 1).max() < 1e-5 and not (rows * taken).any()):
            raise LawlessError("its table breaks the laws of a policy")
    boards = rules.start(1)
    while not rules.over(boards).any() and (boards != 0).sum() < 3:
        boards = rules.play(boards, validated(boards, policy(boards)).argmax(axis=1))


@cache
def _decisions(rules: Rules) -> tuple[Any, Any]:
    """Return the rows of the positions with a move to choose, and their occupied cells."""
    game = positions(rules)
    return game.decisions, game.boards[game.decisions] != 0


def _learner(folder: Path) -> Any:
    from learners.training.checkpoint import load_learner

    return load_learner(folder)


def _policy(folder: Path) -> Any:
    from learners.training.checkpoint import load_policy

    return load_policy(folder)


def _card(folder: Path) -> None:
    from tttenv.players import rules_of

    read_card(folder)
    rules_of(f"{folder}/")


def _certify(folder: Path) -> None:
    from tttenv.players import rules_of

    tttenv.certify(rules_of(f"{folder}/"), f"{folder}/")


def _report(folder: Path) -> None:
    from tttenv.report import load_players
    from tttenv.report.build import html

    made = html([load_players.shown(f"{folder}/", mutations.MARKUP)], [])
    if mutations.MARK in made:
        raise LawlessError("a card's text stands in the page as markup")


def _results(file: Path) -> None:
    from tttenv.report.build import html
    from tttenv.report.load_players import from_benchmark

    found = from_benchmark(file)
    if mutations.MARK in html(found.players, [], trainings=found.trainings):
        raise LawlessError("a name in results stands in the page as markup")


def _published(file: Path) -> None:
    from tttenv.report import published

    if mutations.MARK in published.html(published.read(file)):
        raise LawlessError("a published text stands in the page as markup")


def _tables(place: Path) -> dict[str, bytes]:
    """Return a table of moves, and results of a benchmark that are also published numbers."""
    from learners.supervised import export_csv

    file = place / "moves.csv"
    export_csv(Rules(), file)
    numbers = json.loads((ROOT / "checkpoints/published.json").read_text())
    players = [
        {"player": name, "folder": None, "seconds": seconds}
        for name, seconds in (("random", 1.5), ("first", None))
    ]
    results = {**numbers, "players": players, "rows": numbers["rows"][:3]}
    return {
        "csv": b"\n".join(file.read_bytes().split(b"\n")[:ROWS]),
        "results": json.dumps(results).encode(),
    }


def _changed_rows(data: bytes, rng: random.Random, words: list[str]) -> bytes:
    """Return a table of moves with some cells replaced."""
    rows = [row.split(",") for row in data.decode().splitlines()]
    for _ in range(rng.choice((1, 3, 30))):
        row = rng.choice(rows)
        if row:
            row[rng.randrange(len(row))] = rng.choice([*words, *mutations.NUMBERS, "", "1", "-1"])
    return "\n".join(",".join(row) for row in rows).encode("utf-8", "surrogatepass")


def _warm_up(bases: list[Base], place: Path) -> None:
    """Load all valid checkpoints once, so that nothing is compiled under observation."""
    folder = place / "sound"
    for base in bases:
        folder.mkdir()
        for name, data in base.files.items():
            (folder / name).write_bytes(data)
        _play(tttenv.player(f"{folder}/"), folder)
        _play(_policy(folder), folder)
        _play(_learner(folder).policy(), folder)
        _card(folder)
        stored_state(folder)
        if base.training.rules == "3,3,3":
            _report(folder)
        if base is bases[0]:
            base.training.run(folder, resume=True, more=1)
        shutil.rmtree(folder)
    for size in ((2, 2, 2), (3, 4, 3), (5, 5, 4), (19, 19, 5)):
        with contextlib.suppress(ValueError):
            tttenv.player("tactical", Rules(*size))(np.zeros((1, size[0] * size[1]), np.int8))
    os.environ.setdefault("MPLBACKEND", "svg")
