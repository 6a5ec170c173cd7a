"""A training in TensorBoard: curves, heat maps of the policy, the certificate, the settings."""

import contextlib
import json
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from torch.utils.tensorboard import SummaryWriter
from torch.utils.tensorboard.summary import hparams

from learners.training.board_pictures import policy_picture
from tttenv.game.rules import Rules
from tttenv.policy import Policy

# Boards whose heat maps are shown, by rules; other rules show the empty board only.
SCENES = {
    "3,3,3": {
        "opening": "_________",
        "reply_to_corner": "X________",
        "reply_to_centre": "____X____",
        "fork_trap": "X___O___X",
    }
}
EVENTS = "events.out.tfevents."  # how the names of event files begin
FIRST = ("learner", "preset", "rules", "seed")
TAGS = ("exact/worst_case_X", "exact/worst_case_O", "exact/optimal_moves")


SIGNALS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]


@contextlib.contextmanager
def _uninterrupted() -> Iterator[None]:
    """Let signals wait for the end of the block, where they are handled as usual.

    A handler that raises within TensorBoard's queue leaves its lock held or its thread asleep, and
    whoever closes the writer then waits for that thread: two minutes, or for good.
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


# The tab CUSTOM SCALARS: the charts to look at first, by their titles, losses last.
LAYOUT = {
    "exact strength": {
        "worst case: 0 cannot be beaten, -1 can always be": _chart("exact/worst_case_[XO]"),
        "wins against random play": _chart("exact/win_vs_random_[XO]"),
        "losses against random play": _chart("exact/loss_vs_random_[XO]"),
        "share of optimal moves: all, where one can err, where it gets": _chart(
            "exact/optimal_moves(_critical|_reached)?"
        ),
        "positions in which it gives value away": _chart("exact/blunders"),
        "share of optimal moves by the stones on the board": _chart("exact/optimal_moves_ply_.*"),
    },
    "exact strength, on boards too large to list": {
        "1 never loses, 0 loses": _chart("exact/never_loses_[XO]"),
        "stones of a game that it loses": _chart("exact/losing_line_[XO]"),
        "lost positions among the first 500 of an attack": _chart("exact/losing_leaves_[XO]"),
    },
    "sampled strength, on boards too large for exact results": {
        "value against random play": _chart("sampled/value_vs_random_[XO]"),
        "value against tactical play": _chart("sampled/value_vs_tactical_[XO]"),
    },
    "training": {"what the learner says of itself": _chart("train/.*")},
}


def _begin_after(folder: Path) -> None:
    """Wait for a second later than all event files of the folder, at most one.

    TensorBoard reads the files in the order of their names, which begin with the second they were
    made in: of two from one second, the later run's may come first, and its points are lost.
    """
    seconds = [file.name.split(".")[3] for file in folder.glob(f"{EVENTS}*")]
    latest = max((int(second) for second in seconds if second.isdecimal()), default=0)
    time.sleep(min(max(latest + 1 - time.time(), 0), 1))


def remove_events(folder: Path) -> None:
    """Remove the events of a run that died before its first checkpoint."""
    for file in folder.glob(f"{EVENTS}*"):
        if file.is_file():
            file.unlink()


class TensorBoard:
    """Writes one training's events into `folder`; use it as a context manager.

    Args:
        folder: TensorBoard shows its name as the run's.
        rules: the game.
        settings: the learner, preset and config, shown in the tab HPARAMS.
        at: the step to go on from; later events of an interrupted run are dropped.
    """

    def __init__(self, folder: Path, rules: Rules, settings: dict[str, Any], at: int = 0) -> None:
        _begin_after(folder)
        self.rules, self.settings = rules, settings
        with _uninterrupted():
            self.writer = SummaryWriter(str(folder), purge_step=at + 1 if at else None)
            add: Any = self.writer.add_custom_scalars
            add(LAYOUT)
            self._write(
                *_hparams(self._compared(), dict.fromkeys(TAGS, 0.0))[:2]
            )  # so that the tab has the run from its beginning

    def __enter__(self) -> "TensorBoard":
        return self

    @_uninterrupted()
    def __exit__(self, *_: object) -> None:
        self.writer.close()

    @_uninterrupted()
    def flush(self) -> None:
        """Write everything so far to the disk."""
        self.writer.flush()

    @_uninterrupted()
    def curves(self, step: int, numbers: dict[str, float]) -> None:
        """One point for each tag."""
        for tag, number in numbers.items():
            self.writer.add_scalar(tag, number, step)

    def scenes(self, step: int, policy: Policy) -> None:
        """The policy's probabilities on a few named boards, yellow and in per cent."""
        scenes = SCENES.get(str(self.rules), {"opening": "_" * self.rules.cells})
        for name, text in scenes.items():
            board = self.rules.parse(text)
            picture = policy_picture(self.rules, board, policy(board[None])[0])
            with _uninterrupted():
                self.writer.add_image(f"policy/{name}", picture, step, dataformats="HWC")

    @_uninterrupted()
    def summary(self, step: int, certificate: Any) -> None:
        """The certificate as text, and that the training is done."""
        if certificate is not None:
            text = json.dumps(asdict(certificate), indent=2)
            self.writer.add_text("certificate", f"```\n{text}\n```", step)
        self._write(_hparams(self._compared(), dict.fromkeys(TAGS, 0.0))[2])

    def _compared(self) -> dict[str, Any]:
        """The settings for the tab HPARAMS, which shows the first few in alphabetical order."""
        return {
            key if key in FIRST else f"setting {key}": _plain(value)
            for key, value in self.settings.items()
        }

    def _write(self, *summaries: Any) -> None:
        untyped: Any = self.writer
        for summary in summaries:
            untyped._get_file_writer().add_summary(summary)


_hparams: Any = hparams  # torch leaves it untyped


def _plain(value: Any) -> bool | float | str:
    """The value as one of the kinds that HPARAMS can show."""
    return value if isinstance(value, bool | int | float | str) else str(np.array(value).tolist())
