"""TensorBoard logger: curves, policy heat maps, certificate and settings."""

import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from tensorboard.compat.proto.event_pb2 import Event, SessionLog
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.summary.writer.record_writer import RecordWriter
from torch.utils.tensorboard import summary

from learners.training.loggers import EVENTS, Logger, description
from tttenv.certificates.certificate import Certificate
from tttenv.certificates.curve import NUMBERS
from tttenv.certificates.verdict import certificate_table
from tttenv.drawing.tiles import Picture
from tttenv.exact import SEATS, enumerable
from tttenv.game.rules import Rules

MAKE: Any = summary  # torch leaves it untyped
FIRST = ("learner", "preset", "rules", "seed")
# Groups of cards, which TensorBoard sorts by name, by patterns of the metrics in them.
GROUPS = {
    r"^exact/(worst_case_.|losing_leaves_.|optimal_moves|blunders)$": r"certificate/\1",
    r"^exact/(optimal_moves_ply_\d+)$": r"exact_by_ply/\1",
}
# The charts to look at first, without smoothing: the worst case jumps, and 0 is what counts.
ADDRESS = "http://localhost:6006/#custom_scalars&_smoothingWeight=0"


def grouped(tag: str) -> str:
    """Return the tag of a metric's card: what matters most stands in the first group."""
    for pattern, replacement in GROUPS.items():
        tag = re.sub(pattern, replacement, tag)
    return tag


COMPARED = (
    *(grouped(f"exact/{name}") for name in NUMBERS),
    *(f"{mark}/{of}" for mark in ("unbeatable", "perfect") for of in ("seconds", "steps")),
)


def _chart(tag: str) -> list[Any]:
    return ["Multiline", [f"{grouped(tag)}$"]]  # tags are regular expressions there


def _by_seat(title: str, tag: str) -> dict[str, list[Any]]:
    """Return one chart per seat, so that a line's colour identifies its run."""
    return {f"as {seat}: {title}": _chart(f"{tag}_{seat}") for seat in SEATS}


# The tab CUSTOM SCALARS: the charts to look at first, by their titles, losses last.
EXACT = {
    "exact strength": {
        **_by_seat("worst case (0: cannot be beaten, -1: always beaten)", "exact/worst_case"),
        **_by_seat("wins against random play", "exact/win_vs_random"),
        **_by_seat("losses against random play", "exact/loss_vs_random"),
        "optimal moves in all positions": _chart("exact/optimal_moves"),
        "optimal moves where a mistake is possible": _chart("exact/optimal_moves_critical"),
        "optimal moves on positions it reaches": _chart("exact/optimal_moves_reached"),
        "blunders: positions in which it gives value away": _chart("exact/blunders"),
        "certificates in a row that say unbeatable": _chart("unbeatable/in_a_row"),
        "certificates in a row without a blunder": _chart("perfect/in_a_row"),
    }
}
LARGE = {  # on boards too large to list
    "exact strength": {
        **_by_seat("1 never loses, 0 loses", "exact/never_loses"),
        **_by_seat("stones of a game that it loses", "exact/losing_line"),
        **_by_seat("lost positions among the first 500 of an attack", "exact/losing_leaves"),
    },
    "sampled strength": {
        **_by_seat("value against random play", "sampled/value_vs_random"),
        **_by_seat("value against tactical play", "sampled/value_vs_tactical"),
    },
}
TRAINING = {"training": {"losses and other numbers of the learner": _chart("train/.*")}}


def layout(rules: Rules) -> dict[str, dict[str, list[Any]]]:
    """Return the charts that have data for the given rules, by group and title."""
    return (EXACT if enumerable(rules) else LARGE) | TRAINING


class TensorBoard(Logger):
    """Logger that writes the events of a training run to its folder, whose name is the run's.

    The tab HPARAMS shows the settings. Events are written at once, unlike by a `SummaryWriter`,
    whose thread never ends if an interrupt finds it at work.
    """

    def __init__(self, folder: Path, rules: Rules, settings: Mapping[str, Any], at: int) -> None:
        compared = {  # named so that the important ones sort first
            key if key in FIRST else f"setting {key}": _plain(value)
            for key, value in settings.items()
        }
        *begin, self.end = MAKE.hparams(compared, dict.fromkeys(COMPARED, 0.0))
        folder.mkdir(parents=True, exist_ok=True)
        # TensorBoard reads the files of a run in the order of their names.
        self.stream = (folder / f"{EVENTS}{time.time_ns()}").open("xb")
        self.described: set[str] = set()
        self._write(file_version="brain.Event:2")
        if at:  # what an interrupted run has written of later steps is dropped
            self._write(step=at + 1, session_log=SessionLog(status=SessionLog.START))
        for one in (MAKE.custom_scalars(layout(rules)), *begin):
            self._write(summary=one)
        self.flush()

    def close(self, finished: bool = True) -> None:
        """Close the event file."""
        self.stream.close()

    def flush(self) -> None:
        """Write everything to disk."""
        self.stream.flush()

    def curves(self, step: int, numbers: Mapping[str, float]) -> None:
        """Write one point per tag, the first one with the tag's description."""
        for tag, number in numbers.items():
            value: Any = Summary.Value(tag=grouped(tag), simple_value=number)
            if tag not in self.described:
                self.described.add(tag)
                value.metadata.summary_description = description(tag)
                value.metadata.plugin_data.plugin_name = "scalars"
            self._write(summary=Summary(value=[value]), step=step)
        self.flush()

    def pictures(self, step: int, pictures: Mapping[str, Picture]) -> None:
        """Write images for the IMAGES tab."""
        for name, picture in pictures.items():
            image = MAKE.image(name, picture, dataformats="HWC")
            self._write(summary=image, step=step)

    def summary(self, step: int, certificate: Certificate | None) -> None:
        """Write the certificate as a table for the TEXT tab, and mark the run as ended."""
        if certificate is not None:
            text = MAKE.text("certificate", certificate_table(certificate))
            self._write(summary=text, step=step)
        self._write(summary=self.end)

    def _write(self, **event: Any) -> None:
        data = Event(wall_time=time.time(), **event).SerializeToString()
        RecordWriter(self.stream).write(data)


def _plain(value: Any) -> bool | float | str:
    """Convert a value to a type that the HPARAMS tab can show."""
    return value if isinstance(value, bool | int | float | str) else str(np.array(value).tolist())
