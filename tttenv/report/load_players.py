"""Loading the report's players, with certificates and learning curves."""

import importlib
import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from statistics import median
from typing import Annotated, Any, NotRequired, TypedDict

from tttenv import Rules, certify
from tttenv.certificates import snapshots
from tttenv.certificates.curve import Curve
from tttenv.certificates.snapshots import Moves
from tttenv.exact import Tabulated
from tttenv.exact.determinism import tabulate_pure
from tttenv.game.types import Probs
from tttenv.players import (
    FOREIGN,
    PLAYERS,
    bundled,
    checkpoint_of,
    did_you_mean,
    player,
    rules_of,
    untrusted_player,
)
from tttenv.players.stored.checkpoint import CARD, load, read_card
from tttenv.policy import Player, display_name, require_pure
from tttenv.report.markup import Markup
from tttenv.utils import schema
from tttenv.utils.schema import Count, Meta, NonNegative, Number
from tttenv.utils.untrusted import folder_within
from tttenv.utils.untrusted import shown as shorter

RULES = Rules(3, 3, 3)
LONGEST = 100  # maximum characters of a name
Tell = Callable[[str], None]  # called with the next stage of the work


class BenchmarkPlayer(TypedDict):
    """A player in benchmark results."""

    player: str
    folder: str | None


class BenchmarkTraining(TypedDict):
    """A training run in benchmark results."""

    learner: str
    seed: Count
    folder: str
    unbeatable_at: tuple[NonNegative, NonNegative] | None  # step and second
    moves_per_second: NotRequired[NonNegative | None]


class Benchmark(TypedDict):
    """The part of benchmark results that the page shows."""

    players: Annotated[list[BenchmarkPlayer], Meta(min_length=1)]
    trainings: NotRequired[list[BenchmarkTraining]]


class SweepTraining(TypedDict):
    """A training run in a sweep's results."""

    setting: str
    seed: Count
    folder: str
    rules: str
    unbeatable_steps: NonNegative | None
    unbeatable_seconds: NonNegative | None
    seconds: Number | None  # None if it failed


class Sweep(TypedDict):
    """The part of a sweep's results that the page shows."""

    trainings: list[SweepTraining]


@dataclass(frozen=True)
class Seeds:
    """Training results of a learner over several seeds."""

    unbeatable: int
    count: int
    median_seconds: float | None  # to the first unbeatable certificate
    moves_per_second: float | None  # that they learned from, median


@dataclass(frozen=True)
class Network:
    """A network that the page can play."""

    about: dict[str, Any]  # JSON-serializable name, rules, shape and certificate
    # The float32 weights in the order of page/worker/network.js, the lowest bytes of all first.
    weights: Markup


@dataclass(frozen=True)
class Shown:
    """A player as shown in the report."""

    name: str
    spec: str  # the argument of `tttenv certify` that certifies it again
    about: str  # a short description
    certificate: Any  # a `Certificate`, in which no field is unknown on 3,3,3
    table: Tabulated | None = None  # of one for 3,3,3
    network: Network | None = None  # of one for a larger board, to play it in the page
    seconds: float | None = None  # to the first unbeatable certificate, or of the whole run
    steps: int | None = None  # until then
    seeds: Seeds | None = None  # of its learner
    curve: Curve | None = None
    snapshots: dict[int, Moves] = field(default_factory=dict)  # earlier moves by step
    complaint: str | None = None  # error in the files of the run

    @property
    def rules(self) -> Rules:
        """The game that it plays."""
        return Rules.of(self.certificate.rules)

    @property
    def moves(self) -> Probs:
        """Move probabilities (positions, cells) of one for 3,3,3."""
        assert self.table is not None, f"the page has no table of {self.rules}"
        return self.table.table


def from_benchmark(
    file: Path, runs: Path | None = None, tell: Tell = lambda text: None
) -> list[Shown]:
    """Load the players in an untrusted results file, recomputing all certificates.

    An entry without a folder names a safe built-in player, one with a folder a checkpoint within
    the current folder, that of the file, or `runs`.

    Args:
        file: results of the benchmark or of a sweep.
        runs: another folder in which checkpoints may be.
        tell: called with the next stage of the work.

    Raises:
        ValueError: for a file that holds no such results, or names a player or folder that it may
            not name or that does not exist.
    """
    what = "results of the benchmark or of a sweep"
    read = schema.read(file, dict[str, Any], what)
    refusal = f"{shorter(file)} holds no {what}"
    if "settings" in read:
        content = _of_sweep(schema.checked(Sweep, read, refusal), refusal)
    else:
        content = schema.checked(Benchmark, read, refusal)
    rows, trainings = content["players"], content.get("trainings", [])
    homes = [Path.cwd(), file.parent, *([runs] if runs else [])]
    found = []
    for number, row in enumerate(rows, start=1):
        tell(f"certifying player {number} of {len(rows)}, {row['player']}")
        if row["folder"] is None:
            policy = untrusted_player(row["player"], RULES)
            found.append(named(row["player"], row["player"], policy))
            continue
        folder = folder_within(file, row["folder"], homes)
        if not os.path.isfile(folder / CARD):  # without an error for invalid file names
            gone = shorter(row["folder"])
            raise ValueError(f"{shorter(file)} names {gone}, which does not exist: train it again")
        found.append(_among(trained(folder, row["player"]), row["folder"], trainings))
    return found


def _of_sweep(sweep: Sweep, refusal: str) -> Benchmark:
    """Return a sweep as the results of a benchmark: each setting's first seed that was trained."""
    players: dict[str, BenchmarkPlayer] = {}
    trainings: list[BenchmarkTraining] = []
    for one in sweep["trainings"]:
        if one["seconds"] is not None and one["rules"] == str(RULES):
            name, folder, step = one["setting"], one["folder"], one["unbeatable_steps"]
            reached = None if step is None else (step, one["unbeatable_seconds"] or 0.0)
            players.setdefault(name, {"player": name, "folder": folder})
            trainings.append(
                {"learner": name, "seed": one["seed"], "folder": folder, "unbeatable_at": reached}
            )
    if not players:
        raise ValueError(f"{refusal} with a training on {RULES}: name the folders of other players")
    return {"players": list(players.values()), "trainings": trainings}


def _among(player: Shown, folder: str, trainings: list[BenchmarkTraining]) -> Shown:
    """Name a trained player after its learner, and count the learner's unbeatable runs."""
    own = next((one for one in trainings if one["folder"] == folder), None)
    if own is None:
        return player
    alike = [one for one in trainings if one["learner"] == own["learner"]]
    times = [one["unbeatable_at"][1] for one in alike if one["unbeatable_at"] is not None]
    rates = [rate for one in alike if (rate := one.get("moves_per_second"))]
    seconds, pace = (median(numbers) if numbers else None for numbers in (times, rates))
    seeds = Seeds(len(times), len(alike), seconds, pace)
    name = own["learner"] if len(alike) == 1 else f"{own['learner']} seed {own['seed']}"
    return replace(player, name=shorter(name, LONGEST), seeds=seeds)


@cache
def _measured() -> dict[str, Seeds]:
    """Return the training results of the bundled learners, by name."""
    file = bundled.home() / "benchmark.json"
    rows = json.loads(file.read_text(encoding="utf-8"))["learners"] if file.is_file() else []
    fields = "unbeatable", "seeds", "median_seconds", "moves_per_second"
    return {one["learner"]: Seeds(*(one[field] for field in fields)) for one in rows}


def from_specs(specs: list[str], tell: Tell = lambda text: None) -> list[Shown]:
    """Load the players named by specs, labelled by spec or folder.

    Args:
        specs: players for 3,3,3.
        tell: called with the next stage of the work.

    Raises:
        ValueError: for a spec that names no player of 3,3,3.
    """
    players: list[Shown] = []
    for spec, name in labelled(specs):
        tell(f"certifying player {len(players) + 1} of {len(specs)}, {name}")
        with did_you_mean(spec):
            found = checkpoint_of(spec)
            if found is not None and not found[1]:
                players.append(trained(found[0], name))
            else:
                players.append(named(spec, name, player(spec, RULES)))
    return players


def labelled(specs: list[str]) -> list[tuple[str, str]]:
    """Return specs with their labels: the folder's name, or the spec if this is not unique."""
    places = [(spec, checkpoint_of(spec)) for spec in specs]
    short = [place[0].resolve().name if place else spec for spec, place in places]
    whole = [portable_name(place[0]) if place and not place[1] else spec for spec, place in places]
    names = [
        path if short.count(name) > 1 else name for path, name in zip(whole, short, strict=True)
    ]
    return list(zip(specs, names, strict=True))


def usual() -> list[str]:
    """Return the specs of the bundled players for 3,3,3 and of all named players."""
    return [*(name for name in bundled.names() if rules_of(name) == RULES), *PLAYERS]


def named(spec: str, name: str, policy: Player) -> Shown:
    """Prepare a player that is not a plain checkpoint for the report."""
    table = _table(policy, spec)
    row = (PLAYERS.rows | FOREIGN.rows).get(spec.partition(":")[0])
    about = "; ".join(filter(None, (row.about if row else "a guest", policy.summary())))
    return Shown(shorter(name, LONGEST), spec, about, certify(RULES, table), table=table)


def trained(folder: Path, name: str) -> Shown:
    """Prepare a checkpoint's player for the report, with what its card says of its training.

    Args:
        folder: the checkpoint.
        name: the player's name in the page, shortened if it is too long.

    Raises:
        ValueError: for a checkpoint of another board, or a damaged one. A damaged curve is a
            `complaint` instead.
    """
    card, spec = read_card(folder), portable_name(folder)
    rules = Rules.of(str(card["rules"]))
    if rules != RULES:
        raise ValueError(f"the report shows {RULES}, but {shorter(spec)} is for {rules}")
    table = _table(load(folder, RULES), spec)
    row = importlib.import_module("learners.registry").LEARNERS.rows.get(str(card["learner"]))
    curve, earlier, complaint = None, dict[int, Moves](), None
    try:
        curve = Curve.from_card(card)
        found = snapshots.read(folder, card, RULES, curve) if curve else {}
        last = found.pop(curve.steps[-1], None) if curve else None
        if last is not None and (snapshots.table_of(RULES, last).table != table.table).any():
            raise ValueError(f"the snapshots of {shorter(spec)} end with another player")
        earlier = found
    except ValueError as error:
        complaint = str(error)
    reached = curve.unbeatable_at if curve else None
    steps, seconds = reached or (card["steps"], card.get("seconds"))
    for number in (seconds, steps):
        schema.checked(schema.Number | None, number, shorter(folder / CARD))  # type: ignore[arg-type]  # a union is no type
    from_package = bundled.folder(folder.name) == folder.resolve()
    return Shown(
        name=shorter(name, LONGEST),
        spec=shorter(spec),
        about=row.about if row else "a trained player",
        certificate=certify(RULES, table),
        table=table,
        seconds=seconds,
        steps=steps,
        seeds=_measured().get(str(card["learner"])) if from_package else None,
        curve=curve,
        snapshots=earlier,
        complaint=complaint,
    )


def _table(policy: Player, name: str) -> Tabulated:
    """Tabulate a player's move probabilities in all positions."""
    require_pure(policy)
    return tabulate_pure(policy, display_name(name))


def portable_name(folder: Path) -> str:
    """Return a portable name for a checkpoint; for a bundled one this is just its name."""
    return folder.name if bundled.folder(folder.name) == folder.resolve() else str(folder)
