"""Search space of a sweep: grids of values, and random samples from ranges."""

import hashlib
import math
import re
import typing
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, make_dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from learners.cli.trainings import Training
from learners.registry import LEARNERS
from tttenv.cli import console
from tttenv.utils.registry import unknown
from tttenv.utils.untrusted import shown

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

    def training(self, seed: int, schedule: Any) -> Training:
        """Return the training run of this setting with `seed`.

        Raises:
            ValueError: if the learner rejects the values.
        """
        config = replace(LEARNERS.load(self.learner).presets[self.preset], **self.changes)
        config = replace(config, seed=seed)
        return Training(self.learner, self.preset, config, self.rules, schedule)


def text(value: Any) -> str:
    """Format the value of a setting as one word."""
    if isinstance(value, tuple | list):
        return "x".join(map(text, value))
    if isinstance(value, float) and float(f"{value:g}") == value:
        return f"{value:g}"
    return str(value)


def settings(
    learners: Sequence[str],
    presets: Sequence[str],
    rules: Sequence[str],
    grids: Sequence[str],
    ranges: Sequence[str],
    draws: int,
    seed: int,
    prog: str,
) -> list[Setting]:
    """Return all distinct settings: every preset, board and combination of values.

    Args:
        learners: the names of learners.
        presets: the presets to use for each learner.
        rules: the games.
        grids: fields and values, such as "lr=1e-3,3e-3"; the numbers of a tuple are separated by
            spaces.
        ranges: fields and bounds, such as "lr=1e-4..1e-2". Samples are log-uniform if the lower
            bound is above zero, and uniform otherwise.
        draws: the number of samples from all ranges; each is combined with all values of the grids.
        seed: the seed of the samples.
        prog: the command's name, for messages.

    Raises:
        ValueError: for an unknown field or preset, or invalid bounds.
    """
    given = [_parts(one, "--grid")[0] for one in grids] + [name for name, _ in _all(ranges)]
    if len(set(given)) < len(given):
        raise ValueError("a setting is named twice in --grid and --range")
    if bool(ranges) != bool(draws):
        raise ValueError("--random N draws from --range FIELD=LOW..HIGH: give both")
    found: dict[str, Setting] = {}
    for learner in learners:
        known = LEARNERS.load(learner).presets
        for preset in presets:
            if preset not in known:
                raise ValueError(unknown(f"preset of {learner}", preset, known))
        names, columns = [], []
        for grid in grids:
            name, words = _parts(grid, "--grid")
            names.append(name)
            columns.append([_value(learner, name, word, prog) for word in words.split(",")])
        drawn = list(_draws(learner, ranges, draws, seed)) if draws else [{}]
        if len(drawn) * math.prod(map(len, columns)) > MOST:
            raise ValueError(f"that is more than {MOST:,} settings")
        for game, preset, values, more in product(rules, presets, product(*columns), drawn):
            changes = dict(zip(names, values, strict=True)) | more
            one = Setting(learner, preset, game, changes)
            found.setdefault(one.name, one)
    return list(found.values())


def _parts(given: str, option: str) -> tuple[str, str]:
    """Split the value of an option into the name of a field and its values."""
    name, equals, words = given.partition("=")
    if not equals or not name or not words:
        raise ValueError(f"{option} must be FIELD=..., not {shown(given, 80)!r}")
    return name.replace("-", "_"), words


def _hint(learner: str, name: str) -> Any:
    """Return the type annotation of a field in a learner's config.

    Raises:
        ValueError: if it has no field of this name.
    """
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
    kind = make_dataclass("Field", [(name, hint, field())], frozen=True)
    return getattr(console.parse(kind, prog, [option, *word.split()]), name)


def _draws(learner: str, ranges: Sequence[str], draws: int, seed: int) -> Iterator[dict[str, Any]]:
    """Sample values from all ranges `draws` times; a larger number only adds samples."""
    bounds = [(name, *_bounds(learner, name, words)) for name, words in _all(ranges)]
    for number in range(draws):
        rng = np.random.default_rng([seed, number])
        yield {name: _drawn(low, high, rng) for name, low, high in bounds}


def _all(ranges: Sequence[str]) -> Iterator[tuple[str, str]]:
    for given in ranges:
        yield _parts(given, "--range")


def _bounds(learner: str, name: str, words: str) -> tuple[Any, Any]:
    """Return the bounds of a range, as integers if the field is an integer."""
    hint = _hint(learner, name)
    if hint not in (int, float):
        raise ValueError(f"{name} of {learner} is not a number: --range cannot sample it")
    low, dots, high = words.partition("..")
    try:
        bounds = hint(low), hint(high)
    except ValueError:
        bounds = (1, 0)
    if not dots or not bounds[0] < bounds[1] or not all(map(math.isfinite, bounds)):
        kind = "whole numbers" if hint is int else "numbers"
        raise ValueError(f"--range {name} must be LOW..HIGH, two {kind}, not {shown(words, 80)!r}")
    return bounds


def _drawn(low: Any, high: Any, rng: np.random.Generator) -> Any:
    """Sample one value between the bounds, both inclusive."""
    share = rng.random()
    above = high + 1 if isinstance(high, int) else high
    value = low * (above / low) ** share if low > 0 else low + (above - low) * share
    if isinstance(high, int):
        return min(max(math.floor(value), low), high)
    return min(max(float(f"{value:.{DIGITS}g}"), low), high)
