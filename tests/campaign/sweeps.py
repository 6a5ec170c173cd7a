"""Attack on sweeps, whose driver is killed at random moments and restarted until they are done.

A case is `scripts/sweep.py` with twelve trainings of two learners on two processes, in this Python
or in a new one, killed as `restarts` does. At the end its JSON, its CSV and all weights are those
of the same sweep left alone, but for what a clock measured.
"""

import csv
import json
import os
import random
import shutil
import sys
import time
from pathlib import Path
from typing import Any

from . import restarts
from .children import Child
from .running import Log

KILLS = 6  # in a case, at the most
SEEDS = 2  # different sweeps
TRAININGS = 12  # of a sweep
SMALL = ("td0", "qtable", "--seeds", "3", "--grid", "games=16,32", "--steps", "16")
CLOCK = ("seconds", "unbeatable_seconds", "median_seconds", "quartiles_seconds")
ROOT = Path(__file__).resolve().parents[2]


class Sweep:
    """Sweep in the folder `home`."""

    def __init__(self, home: Path, seed: int) -> None:
        home.mkdir()
        self.home, self.results = home, home / "runs/sweep/.finished"
        self.new_python = False
        self._arguments = [*SMALL, "--seed", str(seed), "--jobs", "2", "--json"]

    def drive(self) -> None:
        """Run the script in the sweep's folder."""
        os.chdir(self.home)
        if self.new_python:
            script = str(ROOT / "scripts/sweep.py")
            environment = {**os.environ, "PYTHONPATH": str(ROOT)}
            os.execve(sys.executable, [sys.executable, script, *self._arguments], environment)
        from learners.cli import sweep
        from tttenv.cli import console

        sys.argv = ["sweep.py", *self._arguments]
        console.run(sweep.main, "sweep.py")

    def traces(self) -> dict[str, Any]:
        """Return the sizes and times of the files of each finished training."""
        found = {}
        for result in self.results.glob("[0-9a-f]*.json"):
            training = json.loads(result.read_text())["task"]["arguments"]
            config = training["config"]
            name = f"{training['learner']}*games*{config['games']}*-{config['seed']}"
            (folder,) = self.home.glob(f"runs/sweep/{name}")
            about = {str(file): file.stat() for file in folder.rglob("*") if file.name != ".lock"}
            found[result.name] = {
                file: (stat.st_ino, stat.st_size, stat.st_mtime_ns) for file, stat in about.items()
            }
        return found

    def timeless(self) -> dict[str, Any]:
        """Return the JSON, CSV and weights without measured times."""
        whole = json.loads((self.home / "results/sweep.json").read_text())
        with (self.home / "results/sweep.csv").open(newline="") as stream:
            lines = list(csv.DictReader(stream))
        for row in [*whole["settings"], *whole["trainings"], *lines]:
            for name in CLOCK:
                row.pop(name, None)
        weights = sorted(self.home.glob("runs/sweep/*/weights-*"))
        contents = {str(file.relative_to(self.home)): file.read_bytes() for file in weights}
        return {"JSON": whole, "CSV": lines, "weights": contents}


class Sweeps:
    """Family of cases described above."""

    total = None

    def __init__(self, place: Path, log: Log) -> None:
        self.place, self.log = place, log
        self.alone: dict[int, Alone] = {}

    def case(self, number: int, rng: random.Random) -> None:
        """Run one sweep, killed some times."""
        seed, home = rng.randrange(SEEDS), self.place / f"case{number}"
        if seed not in self.alone:
            self.alone[seed] = Alone(self.place / f"alone{seed}", seed)
        alone, sweep = self.alone[seed], Sweep(home, seed)
        sweep.new_python = rng.random() < 0.25
        longest = alone.seconds * (2 if sweep.new_python else 1)
        outcome = restarts.until_done(sweep, KILLS, longest, home / "said", self.log, rng)
        if self.log.check("value" in outcome, "a sweep does not come to its end", outcome):
            found = sweep.timeless()
            differ = [part for part in found if found[part] != alone.results[part]]
            self.log.check(not differ, "a result differs", differ)
        self.log.count("trainings", TRAININGS)
        shutil.rmtree(home, ignore_errors=True)

    def close(self) -> None:
        """Do nothing, since nothing is left running."""


class Alone:
    """Undisturbed sweep: its duration and its results."""

    def __init__(self, home: Path, seed: int) -> None:
        before, sweep = time.monotonic(), Sweep(home, seed)
        outcome = Child(sweep.drive, home / "said").outcome(restarts.TIME_LIMIT)
        if "value" not in outcome:
            raise RuntimeError(f"a sweep left alone fails: {outcome}")
        self.seconds, self.results = time.monotonic() - before, sweep.timeless()
        if {len(self.results["CSV"]), len(self.results["weights"])} != {TRAININGS}:
            raise RuntimeError(f"a sweep of {TRAININGS} trainings: {self.results['CSV']}")
        shutil.rmtree(home)
