"""Search space of a sweep: grids of values, and random samples from ranges."""

import hashlib
import math
import re
import typing
from collections.abc import Iterator
from dataclasses import dataclass, fields, make_dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from learners.cli.trainings import Training
from learners.registry import LEARNERS
from learners.training.loop import Schedule, usual_schedule
from tttenv.cli import console
from tttenv.cli.workers import Workers
from tttenv.game.rules import Rules
from tttenv.utils.registry import unknown
from tttenv.utils.untrusted import shown

if TYPE_CHECKING:
    from learners.cli.sweep import Arguments

LONGEST_NAME = 100  # characters of a folder's name
DIGITS = 4  # of a number that is drawn
MOST = 100_000  # settings


@dataclass(frozen=True)
class Setting:
    """A setting in a sweep, trained with every seed."""

    learner: str
    preset: str
    rules: str
    changes: dict[str, Any]  # fields of the preset's config that have other values

    @property
    def name(self) -> str:
        """The learner's name, and everything that differs from the defaults."""
        parts = [self.learner]
        parts += [self.rules] if self.rules != "3,3,3" else []
        parts += [self.preset] if self.preset != "default" else []
        return " ".join(parts + [f"{key}={text(value)}" for key, value in self.changes.items()])

    def folder(self, seed: int) -> str:
        """Return a folder name for the training run with `seed`, unique to that run."""
        whole = f"{self.name} {seed}"
        plain = re.sub(r"[^\w.=+-]", "-", whole.replace(",", "x"))
        numbers = all(isinstance(value, int | float | tuple) for value in self.changes.values())
        if numbers and len(plain) <= LONGEST_NAME:
            return plain
        return f"{plain[:LONGEST_NAME]}-{hashlib.sha256(whole.encode()).hexdigest()[:8]}"

    def schedule(self, steps: int | None, workers: Workers) -> Schedule:
        """Return the schedule of a run to its first unbeatable certificate on the workers."""
        return usual_schedule(
            self.learner,
            self.preset,
            steps=steps,
            stop_when_unbeatable=True,
            device=workers.device,
            threads=workers.cores_per_task,
        )

    def training(self, seed: int, schedule: Schedule) -> Training:
        """Return the training run of this setting with `seed`.

        Raises:
            ValueError: if the learner rejects the values.
        """
        preset = LEARNERS.load(self.learner).presets[self.preset]
        config = replace(preset, **self.changes | {"seed": seed})
        return Training(self.learner, self.preset, config, self.rules, schedule)


def text(value: Any) -> str:
    """Format the value of a setting as one word."""
    if isinstance(value, tuple | list):
        return "x".join(map(text, value))
    if isinstance(value, float) and float(f"{value:g}") == value:
        return f"{value:g}"
    return str(value)


def settings(given: "Arguments", prog: str) -> list[Setting]:
    """Return all distinct settings of a sweep: every preset, board and combination of values.

    A grid is a field and values, such as "lr=1e-3,3e-3"; the numbers of a tuple are separated by
    spaces. A range is a field and bounds, such as "lr=1e-4..1e-2"; each draw from all ranges is
    combined with all values of the grids.

    Raises:
        ValueError: for an unknown field or preset, or invalid bounds.
    """
    grids, ranges = list(map(_parts, given.grid)), list(map(_parts, given.range))
    names = [name for name, _ in grids + ranges]
    if len(set(names)) < len(names):
        raise ValueError("a setting is named twice in --grid and --range")
    if bool(ranges) != (given.random > 0):
        raise ValueError("--random N draws from --range FIELD=LOW..HIGH: give both")
    games = [str(Rules.of(game)) for game in given.rules]
    found: dict[str, Setting] = {}
    for learner in given.learners:
        known = LEARNERS.load(learner).presets
        for preset in given.presets:
            if preset not in known:
                raise ValueError(unknown(f"preset of {learner}", preset, known))
        columns = [
            [{name: _value(learner, name, word, prog)} for word in words.split(",")]
            for name, words in grids
        ]
        bounds = {name: _bounds(learner, name, words) for name, words in ranges}
        drawn = list(_draws(bounds, given.random, given.seed)) if ranges else [{}]
        if len(drawn) * math.prod(map(len, columns)) > MOST:
            raise ValueError(f"that is more than {MOST:,} settings")
        for game, preset, parts, more in product(games, given.presets, product(*columns), drawn):
            changes = {name: value for part in (*parts, more) for name, value in part.items()}
            one = Setting(learner, preset, game, changes)
            found.setdefault(one.name, one)
    return list(found.values())


def _parts(given: str) -> tuple[str, str]:
    """Split the value of an option into the name of a field and its values."""
    name, _, words = given.partition("=")
    if not name or not words:
        raise ValueError(f"--grid and --range must be FIELD=..., not {shown(given, 80)!r}")
    return name.replace("-", "_"), words


def _hint(learner: str, name: str) -> Any:
    """Return the type annotation of a field in a learner's config."""
    kind = LEARNERS.load(learner).Config
    names = [one.name for one in fields(kind) if one.name != "seed"]
    if name not in names:
        more = ": --seeds counts them" if name == "seed" else ""
        raise ValueError(unknown(f"setting of {learner}", name, names) + more)
    return typing.get_type_hints(kind)[name]


def _value(learner: str, name: str, word: str, prog: str) -> Any:
    """Parse a field's value as its option does; exit or raise ValueError if it is invalid."""
    hint = _hint(learner, name)
    option = f"--{name.replace('_', '-')}"
    if hint is bool:
        if word not in ("True", "False"):
            raise ValueError(f"{option}: expected True or False, not {shown(word, 80)!r}")
        return word == "True"
    kind = make_dataclass("Field", [(name, hint)], frozen=True)
    return getattr(console.parse(kind, prog, [option, *word.split()]), name)


def _bounds(learner: str, name: str, words: str) -> tuple[Any, Any]:
    """Return the bounds of a range, as integers if the field is an integer."""
    hint = _hint(learner, name)
    if hint not in (int, float):
        raise ValueError(f"{name} of {learner} is not a number: --range cannot sample it")
    try:
        low, high = map(hint, words.split(".."))
    except ValueError:
        low, high = 1, 0
    if not (low < high and math.isfinite(high - low)):
        kind = "whole numbers" if hint is int else "numbers"
        raise ValueError(f"--range {name} must be LOW..HIGH, two {kind}, not {shown(words, 80)!r}")
    return low, high


def _draws(bounds: dict[str, Any], draws: int, seed: int) -> Iterator[dict[str, Any]]:
    """Sample values from all ranges `draws` times; a larger number only adds samples."""
    for number in range(draws):
        rng = np.random.default_rng([seed, number])
        yield {name: _drawn(low, high, rng) for name, (low, high) in bounds.items()}


def _drawn(low: Any, high: Any, rng: np.random.Generator) -> Any:
    """Sample a value from `low` to `high`: log-uniform if `low` is above 0, else uniform."""
    share = rng.random()
    above = high + 1 if isinstance(high, int) else high
    value = low * (above / low) ** share if low > 0 else low + (above - low) * share
    rounded = math.floor(value) if isinstance(high, int) else float(f"{value:.{DIGITS}g}")
    return min(max(rounded, low), high)
