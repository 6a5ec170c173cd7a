"""Whom the report shows: the players with their certificates and learning curves."""

import importlib
import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tttenv import Rules, certify
from tttenv.certificates import snapshots
from tttenv.certificates.certificate import require_pure
from tttenv.certificates.curve import Curve
from tttenv.certificates.snapshots import Moves
from tttenv.exact import Tabulated
from tttenv.exact.determinism import tabulate_pure
from tttenv.players import PLAYERS, bundled, checkpoint_of, player, rules_of, untrusted_player
from tttenv.players.checkpoint import CARD, load, read_card
from tttenv.players.hinting import hinting
from tttenv.policy import Policy
from tttenv.report import endings
from tttenv.report.curves import read
from tttenv.report.endings import Ending
from tttenv.utils import json_rows
from tttenv.utils.untrusted import shown as shorter

RULES = Rules(3, 3, 3)
LONGEST = 100  # characters of a name


@dataclass(frozen=True)
class Shown:
    """A player as the report shows it."""

    name: str
    spec: str  # what `tttenv certify` takes to certify it again
    about: str  # what it is, in a few words
    table: Tabulated
    certificate: dict[str, Any]
    seconds: float | None = None  # to the first unbeatable certificate, or trained in all
    in_all: bool = False  # whether the seconds are those of the whole training
    steps: int | None = None
    seeds: tuple[int, int] | None = None  # trainings that became unbeatable, and all, if several
    quick: bool = False  # trained with a part of the usual steps
    curve: Curve | None = None
    snapshots: dict[int, Moves] = field(default_factory=dict)  # what it played, by earlier steps
    complaint: str | None = None  # what is wrong with what the training left

    @property
    def no_curve(self) -> bool:
        """Whether there should be a curve and there is none."""
        return self.curve is None and self.complaint is not None


@dataclass(frozen=True)
class Results:
    """What a results file of the benchmark tells."""

    players: list[Shown]
    trainings: list[Ending]  # of all seeds


def from_benchmark(
    file: Path,
    runs: Path | None = None,
    tell: Callable[[str], None] = lambda text: None,
) -> Results:
    """The players of a results file, all with their certificates computed anew, and the trainings.

    A results file may come from a stranger, so nothing in it runs or loads code: without a folder
    it names players of the table that are safe, with one a checkpoint, which is data. A trained
    player is called by its learner, with its seed if there are several.

    Args:
        file: the results.
        runs: where trained players may lie besides the current folder and the file's own.
        tell: called with what is done next.

    Raises:
        ValueError: if the file is none of the benchmark's, or a trained player is gone or lies
            elsewhere.
    """
    what, keys = endings.BENCHMARK, ("player", "folder", "seconds")
    content = json_rows.content(file, what)
    rows = json_rows.rows_of(content, file, "players", what, keys)
    if not rows or not all(map(_fits, rows)):
        raise ValueError(
            f"{shorter(file)} holds no {what}: its players are not what benchmark.py writes"
        )
    trainings = endings.of_benchmark(content, file)
    homes = [Path.cwd(), file.parent, *([runs] if runs else [])]
    found = []
    for number, row in enumerate(rows, start=1):
        tell(f"certifying player {number} of {len(rows)}, {row['player']}")
        if row["folder"] is None:
            policy = untrusted_player(row["player"], RULES)
            found.append(named(row["player"], row["player"], policy))
            continue
        folder = json_rows.folder(file, row["folder"], homes)
        if not os.path.isfile(folder / CARD):  # and no error for a name that no file can have
            gone = shorter(row["folder"])
            raise ValueError(
                f"{shorter(file)} tells of {gone}, which is gone: run the benchmark again"
            )
        player = trained(folder, row["player"], row["seconds"])
        player = replace(player, quick=content.get("quick") is True)
        found.append(_among(player, row["folder"], trainings))
    return Results(found, trainings)


def _among(player: Shown, folder: str, trainings: list[Ending]) -> Shown:
    """A trained player with its learner's name and how many of its trainings were unbeatable."""
    own = next((ending for ending in trainings if ending.folder == folder), None)
    if own is None:
        return player
    alike = [ending for ending in trainings if ending.name == own.name]
    several = len(alike) > 1
    name = f"{own.name} seed {own.seed}" if several else own.name
    return replace(
        player,
        name=shorter(name, LONGEST),
        seeds=(sum(ending.unbeatable for ending in alike), len(alike)) if several else None,
        in_all=not own.unbeatable,
    )


def _fits(row: dict[str, Any]) -> bool:
    """Whether a row of the results has values of the right kinds."""
    folder, seconds = row["folder"], row["seconds"]
    return (
        isinstance(row["player"], str)
        and (folder is None or isinstance(folder, str))
        and (seconds is None or json_rows.is_number(seconds))
    )


def from_specs(specs: list[str], tell: Callable[[str], None] = lambda text: None) -> list[Shown]:
    """The players that specs name, each called by its spec or its folder's name.

    Args:
        specs: of the players.
        tell: called with what is done next.
    """
    found = [checkpoint_of(spec) for spec in specs]
    paths = [None if one is None else one[0] for one in found]
    short = [path.resolve().name if path else spec for spec, path in zip(specs, paths, strict=True)]
    twice = {name for name in short if short.count(name) > 1}
    players: list[Shown] = []
    for spec, path, name in zip(specs, paths, short, strict=True):
        tell(f"certifying player {len(players) + 1} of {len(specs)}, {name}")
        players.append(shown(spec, (_told(path) if path else spec) if name in twice else name))
    return players


def endings_of(players: list[Shown]) -> list[Ending]:
    """The trainings of players that are known by their curves."""
    return [
        Ending(player.name, 0, reached[1] if (reached := player.curve.unbeatable_at) else None)
        for player in players
        if player.curve
    ]


def usual() -> list[str]:
    """The specs of the trained players that come with the package, and of all by name."""
    return [*(name for name in bundled.names() if rules_of(name) == RULES), *PLAYERS]


def shown(spec: str, name: str) -> Shown:
    """The player of a spec that the user gave, under this name.

    Raises:
        ValueError: if it is unknown, damaged, impure or for another board.
    """
    with hinting(spec):
        found = checkpoint_of(spec)
        if found is not None and not found[1]:
            return trained(found[0], name)
        return named(spec, name, player(spec, RULES))


def named(spec: str, name: str, policy: Policy) -> Shown:
    """A player that is no checkpoint, as `shown`."""
    table = _table(policy, spec)
    row = PLAYERS.rows.get(spec.partition(":")[0])
    about = row.about if row else "a guest"
    return Shown(shorter(name, LONGEST), spec, about, table, certify(RULES, table).to_dict())


def trained(folder: Path, name: str, seconds: float | None = None) -> Shown:
    """The player of a checkpoint's folder, as `shown`.

    Args:
        folder: of the checkpoint.
        name: to show it under.
        seconds: that its training took; None takes them from its curve or its card.
    """
    card, told = read_card(folder), _told(folder)
    rules = Rules.of(str(card["rules"]))
    if rules != RULES:
        raise ValueError(f"the report is of {RULES}, and {shorter(told)} is for {rules}")
    table = _table(load(folder, RULES), told)
    row = importlib.import_module("learners.registry").LEARNERS.rows.get(str(card["learner"]))
    curve, complaint = read(folder)
    try:
        earlier = _earlier(folder, card, curve, table)
    except ValueError as error:
        earlier, complaint = {}, str(error)
    reached = curve.unbeatable_at if curve else None
    in_all = reached is None
    if seconds is None:
        seconds = reached[1] if reached else card.get("seconds")
    for number in (seconds, card["steps"]):
        if number is not None and not json_rows.is_number(number):
            raise ValueError(f"{shorter(folder / CARD)}: {shorter(repr(number), 60)} is no number")
    return Shown(
        name=shorter(name, LONGEST),
        spec=shorter(told),
        about=row.about if row else "a trained player",
        table=table,
        certificate=certify(RULES, table).to_dict(),
        seconds=seconds,
        in_all=in_all,
        steps=card["steps"],
        curve=curve,
        snapshots=earlier,
        complaint=complaint,
    )


def _earlier(
    folder: Path, card: dict[str, Any], curve: Curve | None, table: Tabulated
) -> dict[int, Moves]:
    """What the training's player played at earlier measures of its curve, by their steps.

    Raises:
        ValueError: if the file of snapshots is damaged, or ends with another player.
    """
    if curve is None:
        return {}
    found = snapshots.read(folder, card, RULES, curve)
    last = found.pop(curve.steps[-1], None)
    if last is not None and not (snapshots.table_of(RULES, last).table == table.table).all():
        raise ValueError(f"the snapshots of {shorter(_told(folder))} end with another player")
    return found


def _table(policy: Policy, name: str) -> Tabulated:
    """The player's moves on all positions.

    Raises:
        ValueError: if it does not always answer alike.
    """
    if not isinstance(policy, Tabulated):
        require_pure(policy)
    return tabulate_pure(RULES, policy, name)


def _told(folder: Path) -> str:
    """A checkpoint's folder for people elsewhere: one that comes with the package by its name."""
    named = bundled.folder(folder.name)
    return folder.name if named and named == folder.resolve() else str(folder)
