"""Loggers of a run's curves, images and certificate; drawings of boards."""

import contextlib
import csv
import io
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from learners.training.run import LOGGERS, USUAL_LOG
from tttenv.certificates import metric_table
from tttenv.certificates.certificate import Certificate
from tttenv.certificates.phrases import share
from tttenv.certificates.verdict import certificate_table
from tttenv.drawing.render import picture, said
from tttenv.drawing.tiles import LIGHT, Colour, Picture
from tttenv.game.rules import Rules
from tttenv.game.types import Boards
from tttenv.policy import Player
from tttenv.utils.files import write
from tttenv.utils.untrusted import first_line, shown

EVENTS = "events.out.tfevents."  # how the names of TensorBoard's files begin
FILES = (  # in the checkpoint's folder
    f"{EVENTS}*",
    *("csv/curves.csv", "csv/.curves.csv.*", "csv/certificate.md", "csv/policy-*.png"),
)

# Boards whose heat maps are shown, by rules; other rules show the empty board only.
SCENES = {
    "3,3,3": {
        "opening": "_________",
        "reply_to_corner": "X________",
        "reply_to_centre": "____X____",
        "fork_trap": "X___O___X",
    }
}

# Regular expressions of tags that are no metrics of a player, and their descriptions; \1 is what
# the first group matched.
DESCRIPTIONS = {
    r"time/seconds": "Processor time since the first step, without measuring the first player.",
    r"time/moves": "Moves learned from so far. See docs/reference/learners.md.",
    r"time/moves_per_second": "Moves learned from per processor second, without certificates.",
    r"time/share_(\w+)": r"Fraction of the processor time spent on \1.",
    r"(\w+)/seconds": r"Processor time to the first certificate that says \1.",
    r"(\w+)/steps": r"Steps to the first certificate that says \1.",
    r"(\w+)/in_a_row": r"Certificates in a row, up to this one, that say \1.",
    r"train/(\w+)": r"\1, as the learner itself says it: the mean over the steps since the last"
    " point. See docs/reference/learners.md.",
}


class Logger:
    """Destination for the measurements of a training run; the methods here do nothing.

    Args:
        folder: the checkpoint's folder.
        rules: the game.
        settings: the learner, preset, rules and the fields of the learner's config, by name.
        at: the step to continue from; later points of an interrupted run are dropped if possible,
            or logged again.
    """

    errors: tuple[type[Exception], ...] = ()  # of its library, which end the run in one line

    def __init__(
        self, folder: Path, rules: Rules, settings: Mapping[str, Any], at: int
    ) -> None: ...

    def curves(self, step: int, numbers: Mapping[str, float]) -> None:
        """Log one point per tag, such as `exact/worst_case_X`."""

    def pictures(self, step: int, pictures: Mapping[str, Picture]) -> None:
        """Log images (height, width, 3) of uint8 by name, such as `policy/opening`."""

    def flush(self) -> None:
        """Write everything to disk; called before a checkpoint is saved."""

    def summary(self, step: int, certificate: Certificate | None) -> None:
        """Log the last certificate."""

    def close(self, finished: bool) -> None:
        """Close the logger after a run that finished or failed."""


class CSVLog(Logger):
    """Logger that writes a training run to the folder `csv`.

    `curves.csv` has one row per point: step, tag and value. Image files are named after tag and
    step.
    """

    def __init__(self, folder: Path, rules: Rules, settings: Mapping[str, Any], at: int) -> None:
        self.folder = folder / "csv"
        file = self.folder / "curves.csv"
        old = file.read_text(encoding="utf-8") if at and file.exists() else ""
        lines = old[: old.rfind("\n") + 1].splitlines()[1:]  # the last one may be cut off
        kept = [f"{line}\n" for line in lines if int(line.partition(",")[0]) <= at]
        write(file, "".join(["step,tag,value\n", *kept]))
        self.stream = file.open("a", encoding="utf-8", newline="")

    def curves(self, step: int, numbers: Mapping[str, float]) -> None:
        """Write one row per tag."""
        rows = ((step, tag, repr(float(number))) for tag, number in numbers.items())
        csv.writer(self.stream, lineterminator="\n").writerows(rows)

    def pictures(self, step: int, pictures: Mapping[str, Picture]) -> None:
        """Write each image as a PNG file, such as `policy-opening-00000050.png`."""
        for name, drawn in pictures.items():
            data = io.BytesIO()
            Image.fromarray(drawn).save(data, "PNG")
            write(self.folder / f"{name.replace('/', '-')}-{step:08}.png", data.getvalue())

    def flush(self) -> None:
        """Write everything to disk."""
        self.stream.flush()
        os.fsync(self.stream.fileno())

    def summary(self, step: int, certificate: Certificate | None) -> None:
        """Write the certificate."""
        if certificate is not None:
            write(self.folder / "certificate.md", f"{certificate_table(certificate)}\n")

    def close(self, finished: bool) -> None:
        """Close the curves file."""
        self.stream.close()


class Loggers:
    """Any number of loggers as a single one, created by `opened`."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.loggers: list[Logger] = []

    def curves(self, step: int, numbers: Mapping[str, float]) -> None:
        """Log one point per tag to all loggers."""
        self.each(lambda logger: logger.curves(step, numbers))

    def checkpoint(self, step: int, policy: Player) -> None:
        """Log heat maps of the policy on a few named boards, and write everything to disk."""
        pictures = {}
        for name, text in SCENES.get(str(self.rules), {"opening": "_" * self.rules.cells}).items():
            board = self.rules.parse(text)
            shares = policy(board[None])[0]
            pictures[f"policy/{name}"] = policy_picture(self.rules, board, shares)
        self.each(lambda logger: logger.pictures(step, pictures))
        self.each(lambda logger: logger.flush())

    def close(self, failure: type[BaseException] | None, *_: object) -> None:
        """Close all loggers at the end of a `with` block."""
        self.each(lambda logger: logger.close(finished=failure is None))

    def each(self, act: Callable[[Logger], None]) -> None:
        """Call `act` with each logger, turning its library's errors into one-line errors."""
        for logger in self.loggers:
            with _in_one_line(type(logger)):
                act(logger)


@contextlib.contextmanager
def opened(
    names: Sequence[str], folder: Path, rules: Rules, settings: Mapping[str, Any], at: int = 0
) -> Iterator[Loggers]:
    """Yield the loggers with the given names, and close them at the end.

    Args:
        names: rows of `LOGGERS`.
        folder: the checkpoint's folder.
        rules: the game.
        settings: the learner, preset, rules and the fields of the learner's config, by name.
        at: the step to continue from.

    Raises:
        ValueError: for an unknown logger, or an error of its library, in one line.
    """
    loggers = Loggers(rules)
    with contextlib.ExitStack() as stack:
        stack.push(loggers.close)
        for kind in map(LOGGERS.load, names):
            with _in_one_line(kind):
                loggers.loggers.append(kind(folder, rules, settings, at))
        yield loggers


@contextlib.contextmanager
def _in_one_line(kind: type[Logger]) -> Iterator[None]:
    """Turn the errors of a logger's library in this block into one-line ValueErrors."""
    try:
        yield
    except kind.errors as error:
        library = kind.__module__.rpartition(".")[2].removesuffix("_log")
        raise ValueError(f"{library}: {shown(first_line(error))}") from None


def chosen(given: Sequence[str]) -> tuple[str, ...]:
    """Return the names of loggers in a command's options, each of which may list several.

    Raises:
        ValueError: for an unknown logger.
    """
    names = [name.strip() for text in given for name in text.split(",")]
    found = tuple(dict.fromkeys(names)) or USUAL_LOG
    for name in found:
        LOGGERS.load(name)
    return found


def remove_logs(folder: Path) -> None:
    """Remove the logs of a run that was killed before its first checkpoint; other files stay."""
    for pattern in FILES:
        for path in folder.glob(pattern):
            if path.is_file():
                path.unlink()
    with contextlib.suppress(OSError):  # it is not there, or not empty
        (folder / "csv").rmdir()


def description(tag: str) -> str:
    """Return the description of a tag, or an empty string for an unknown tag.

    TensorBoard shows it behind the (i) of a chart.
    """
    for pattern, text in DESCRIPTIONS.items():
        if found := re.fullmatch(pattern, tag):
            return found.expand(text)
    return metric_table.description(tag)


LARGE, SMALL, BOARD = 112, 40, 720  # pixels of a cell at most and at least, and of a board
ROOMY = 60  # pixels of a cell from which on every probability is written
READABLE = 9  # pixels of letters that can be read


def policy_picture(rules: Rules, board: Boards, shares: NDArray[np.float64]) -> Picture:
    """Draw a policy's probabilities (cells,) on a board (cells,), under the side to move."""
    cell = min(LARGE, max(SMALL, BOARD // max(rules.m, rules.n)))
    head, empty = cell // 3, np.flatnonzero(board == 0).tolist()
    heat = {one: LIGHT.heat(float(shares[one]) ** 0.5) for one in empty}  # as in the window
    drawn = Image.fromarray(picture(rules, board, cell, grounds=heat))
    whole = Image.new("RGB", (drawn.width, drawn.height + head), LIGHT.ground)
    whole.paste(drawn, (0, head))
    words = said(rules, board)
    ink = LIGHT.ink(words[0]) if words[0] in "XO" else LIGHT.words
    _write(whole, words, head * 2 // 3, ink, (drawn.width // 2, head // 2))
    for one in empty:
        row, column = divmod(one, rules.n)
        shown = shares[one] > (0 if cell >= ROOMY else 0.005)
        label = f"{share(float(shares[one]), 0)} %" if shown else ""
        at = column * cell + cell // 2, head + row * cell + cell // 2
        _write(whole, label, cell // 5, LIGHT.words, at)
    return np.array(whole)


def _write(drawn: Any, text: str, size: int, ink: Colour, at: tuple[int, int]) -> None:
    """Write text of `size` pixels around a position, or nothing if that is too small to read."""
    if text and size >= READABLE:
        ImageDraw.Draw(drawn).text(at, text, ink, ImageFont.load_default(size), "mm")
