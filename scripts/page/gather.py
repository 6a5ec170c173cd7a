"""Whom the report shows: the players with their certificates and learning curves."""

from dataclasses import dataclass
from pathlib import Path
from types import NoneType
from typing import Any

import console

from learners.registry import LEARNERS
from page import given
from page.curves import Curve, read
from tttenv import Rules, certify
from tttenv.card import CARD, read_card
from tttenv.certificate import require_pure
from tttenv.exact import Tabulated
from tttenv.opponents import OPPONENTS, is_path, player, rules_of
from tttenv.purity import tabulated

RULES = Rules(3, 3, 3)
CHECKOUT = Path(__file__).resolve().parents[2]
SHIPPED = CHECKOUT / "checkpoints"


@dataclass(frozen=True)
class Shown:
    """A player as the report shows it."""

    name: str
    spec: str  # what certify.py takes to certify it again
    about: str  # what it is, in a few words
    table: Tabulated
    certificate: dict[str, Any]
    seconds: float | None = None  # to the first unbeatable certificate, or trained in all
    steps: int | None = None
    curve: Curve | None = None


def from_benchmark(file: Path) -> list[Shown]:
    """The players of a results file: all with their certificates computed anew.

    Raises:
        ValueError: if the file is none of the benchmark's, or a trained player is gone.
    """
    what, keys = "results of the benchmark", ("player", "folder", "seconds")
    rows = given.rows(file, "players", what, keys)
    listed = [tuple(row[key] for key in keys) for row in rows]
    kinds = (str, (str, NoneType), (int, float, NoneType))
    if not listed or not all(all(map(isinstance, row, kinds)) for row in listed):
        raise ValueError(f"{file} holds no {what}: its players are not what benchmark.py writes")
    for _, folder, _ in listed:
        if folder is not None and not (Path(folder) / CARD).is_file():
            raise ValueError(f"{file} tells of {folder}, which is gone: run the benchmark again")
    return [
        shown(f"{Path(folder)}/" if folder else name, name, seconds)
        for name, folder, seconds in listed
    ]


def from_specs(specs: list[str]) -> list[Shown]:
    """The players that specs name, each called by its spec or its folder's name."""
    paths = [Path(spec) if is_path(spec) else None for spec in specs]
    short = [path.resolve().name if path else spec for spec, path in zip(specs, paths, strict=True)]
    twice = {name for name in short if short.count(name) > 1}
    return [
        shown(spec, _told(spec) if name in twice else name)
        for spec, name in zip(specs, short, strict=True)
    ]


def usual() -> list[str]:
    """The specs of the shipped players and of all players by name."""
    return [f"{card.parent}/" for card in sorted(SHIPPED.glob(f"*/{CARD}"))] + list(OPPONENTS)


def shown(spec: str, name: str, seconds: float | None = None) -> Shown:
    """The player of a spec under this name.

    Raises:
        ValueError: if it is unknown, damaged, impure or for another board.
    """
    with console.hinting(spec):
        if str(rules_of(spec)) != str(RULES):
            raise ValueError(f"the report is of {RULES}, and {spec} is for {rules_of(spec)}")
        policy = player(spec, RULES)
    if not isinstance(policy, Tabulated):
        require_pure(policy)
    table = tabulated(RULES, policy, spec)
    certificate = certify(RULES, table).to_dict()
    if not is_path(spec):
        named = OPPONENTS.rows.get(spec.partition(":")[0])
        return Shown(name, spec, named.about if named else "a guest", table, certificate)
    folder = Path(spec)
    card = read_card(folder)
    row = LEARNERS.rows.get(card["learner"])
    about, curve = row.about if row else "a trained player", read(folder)
    taken = curve.unbeatable_at[1] if curve and curve.unbeatable_at else card.get("seconds")
    taken = taken if seconds is None else seconds
    return Shown(name, _told(spec), about, table, certificate, taken, card["steps"], curve)


def _told(spec: str) -> str:
    """A spec for people elsewhere: a folder of the checkout by its path from there."""
    path = Path(spec)
    if not (is_path(spec) and path.is_absolute() and path.is_relative_to(CHECKOUT)):
        return str(path) if is_path(spec) else spec
    return str(path.relative_to(CHECKOUT))
