"""TensorBoard logger: curves, policy heat maps, certificate and settings."""

import contextlib
import signal
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from tensorboard.compat.proto.summary_pb2 import Summary
from torch.utils.tensorboard import SummaryWriter
from torch.utils.tensorboard.summary import hparams

from learners.training.loggers import EVENTS, SECONDS, STEPS
from learners.training.loggers import SCENES as SCENES  # a public name of this module
from learners.training.tag_descriptions import description
from tttenv.certificates.certificate import Certificate
from tttenv.certificates.verdict import certificate_table
from tttenv.drawing.tiles import Picture
from tttenv.exact import SEATS, enumerable, positions
from tttenv.game.rules import Rules

FIRST = ("learner", "preset", "rules", "seed")
COMPARED = ("exact/worst_case_X", "exact/worst_case_O", "exact/optimal_moves", SECONDS, STEPS)
# The charts to look at first, without smoothing: the worst case jumps, and 0 is what counts.
ADDRESS = "http://localhost:6006/#custom_scalars&_smoothingWeight=0"


SIGNALS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]


@contextlib.contextmanager
def _uninterrupted() -> Iterator[None]:
    """Delay signals until the end of the block, then handle them as usual.

    A handler that raises within TensorBoard's queue leaves its lock held or its thread asleep, so
    that closing the writer then takes two minutes or never ends.
    """
    came: list[int] = []
    handlers: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():  # the only one that handles signals
        handlers = {n: signal.getsignal(n) for n in SIGNALS if callable(signal.getsignal(n))}
    for number in handlers:
        signal.signal(number, lambda number, _: came.append(number))
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for number in came:
            signal.raise_signal(number)


def _chart(*tags: str) -> list[Any]:
    return ["Multiline", [f"{tag}$" for tag in tags]]  # tags are regular expressions there


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
    if not enumerable(rules):
        return LARGE | TRAINING
    game = positions(rules)
    stones = np.unique(np.count_nonzero(game.boards[game.decisions], axis=1)).tolist()
    by_stones = {
        f"with {count} stone{'s' * (count != 1)}": _chart(f"exact/optimal_moves_ply_{count}")
        for count in stones
    }
    return EXACT | {"optimal moves by the stones on the board": by_stones} | TRAINING


def _begin_after(folder: Path) -> None:
    """Wait up to a second, so that new event files sort after those already in the folder.

    TensorBoard reads files in the order of their names, which begin with the time in seconds: of
    two files from the same second, that of the later run may come first, and its points are lost.
    """
    seconds = [file.name.split(".")[3] for file in folder.glob(f"{EVENTS}*")]
    latest = max((int(second) for second in seconds if second.isdecimal()), default=0)
    time.sleep(min(max(latest + 1 - time.time(), 0), 1))


class TensorBoard:
    """Logger that writes the events of a training run to `folder`; see `loggers.Logger`.

    Args:
        folder: the folder, whose name TensorBoard shows as the run's.
        rules: the game.
        settings: the learner, preset and config, shown in the tab HPARAMS.
        at: the step to continue from; later events of an interrupted run are dropped.
    """

    def __init__(
        self, folder: Path, rules: Rules, settings: Mapping[str, Any], at: int = 0
    ) -> None:
        _begin_after(folder)
        self.rules, self.settings = rules, settings
        with _uninterrupted():
            self.writer = SummaryWriter(str(folder), purge_step=at + 1 if at else None)
            add: Any = self.writer.add_custom_scalars
            add(layout(rules))
            self._described: set[str] = set()
            self._write(*self._hparams()[:2])  # so that the tab has the run from its beginning

    @_uninterrupted()
    def close(self, finished: bool = True) -> None:
        """Close the event file."""
        self.writer.close()

    @_uninterrupted()
    def flush(self) -> None:
        """Write everything to disk."""
        self.writer.flush()

    @_uninterrupted()
    def curves(self, step: int, numbers: Mapping[str, float]) -> None:
        """Write one point per tag, the first one with the tag's description."""
        for tag, number in numbers.items():
            self._write(self._scalar(tag, number), step=step)

    @_uninterrupted()
    def pictures(self, step: int, pictures: Mapping[str, Picture]) -> None:
        """Write images for the IMAGES tab."""
        for name, picture in pictures.items():
            self.writer.add_image(name, picture, step, dataformats="HWC")

    @_uninterrupted()
    def summary(self, step: int, certificate: Certificate | None) -> None:
        """Write the certificate as a table for the TEXT tab, and mark the run as ended."""
        if certificate is not None:
            self.writer.add_text("certificate", certificate_table(certificate), step)
        self._write(self._hparams()[2])

    def _scalar(self, tag: str, number: float) -> Any:
        value: Any = Summary.Value(tag=tag, simple_value=number)
        if tag not in self._described:
            self._described.add(tag)
            value.metadata.summary_description = description(tag)
            value.metadata.plugin_data.plugin_name = "scalars"
        return Summary(value=[value])

    def _hparams(self) -> Any:
        """Return the summaries of settings and compared metrics for the HPARAMS tab."""
        untyped: Any = hparams  # torch leaves it so
        return untyped(self._compared(), dict.fromkeys(COMPARED, 0.0))

    def _compared(self) -> dict[str, Any]:
        """Return the settings for the HPARAMS tab, named so that the important ones sort first."""
        return {
            key if key in FIRST else f"setting {key}": _plain(value)
            for key, value in self.settings.items()
        }

    def _write(self, *summaries: Any, step: int | None = None) -> None:
        untyped: Any = self.writer
        for summary in summaries:
            untyped._get_file_writer().add_summary(summary, step)


def _plain(value: Any) -> bool | float | str:
    """Convert a value to a type that the HPARAMS tab can show."""
    return value if isinstance(value, bool | int | float | str) else str(np.array(value).tolist())
