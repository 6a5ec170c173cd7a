"""Loggers of a run's curves, images and certificate, in a table by name."""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from learners.training.board_pictures import policy_picture
from tttenv.certificates.certificate import Certificate
from tttenv.drawing.tiles import Picture
from tttenv.game.rules import Rules
from tttenv.policy import Player
from tttenv.utils.registry import Row, Table
from tttenv.utils.untrusted import first_line, read_bytes, shown

# To add a logger: a file in this folder with a class that satisfies `Logger`, and its row here.
LOGGERS: Table[Any] = Table(
    "logger",
    {
        "tensorboard": Row(
            "learners.training.tensorboard:TensorBoard", "event files in the checkpoint's folder"
        ),
        "csv": Row(
            "learners.training.csv_log:CSVLog", "curves.csv, pictures and certificate.md in csv/"
        ),
        "wandb": Row(
            "learners.training.wandb_log:WandbLog", "a Weights & Biases run (extra wandb)"
        ),
        "mlflow": Row("learners.training.mlflow_log:MLflowLog", "an MLflow run (extra mlflow)"),
    },
)
USUAL = ("tensorboard",)
EVENTS = "events.out.tfevents."  # how the names of TensorBoard's files begin
FILES = (  # in the checkpoint's folder
    *(f"{EVENTS}*", "wandb-run.txt", "mlflow-run.txt"),
    *("csv/curves.csv", "csv/.curves.csv.*", "csv/certificate.md", "csv/policy-*.png"),
)
SECONDS, STEPS = "unbeatable/seconds", "unbeatable/steps"  # to the first unbeatable certificate

# Boards whose heat maps are shown, by rules; other rules show the empty board only.
SCENES = {
    "3,3,3": {
        "opening": "_________",
        "reply_to_corner": "X________",
        "reply_to_centre": "____X____",
        "fork_trap": "X___O___X",
    }
}


class Logger(Protocol):
    """Destination for the measurements of a training run.

    It is created with the checkpoint's folder, the rules, the settings by name (learner, preset,
    rules and the learner's config), and the step to continue from: later points of an interrupted
    run are dropped if possible, or logged again.
    """

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


class Loggers:
    """Any number of loggers as a single one, created by `opened`."""

    def __init__(self, rules: Rules, loggers: Sequence[Logger]) -> None:
        self.rules, self.loggers = rules, loggers

    def curves(self, step: int, numbers: Mapping[str, float]) -> None:
        """Log one point per tag to all loggers."""
        for logger in self.loggers:
            logger.curves(step, numbers)

    def unbeatable(self, step: int, seconds: float) -> None:
        """Log the step and seconds of the first unbeatable certificate."""
        self.curves(step, {SECONDS: seconds, STEPS: float(step)})

    def scenes(self, step: int, policy: Player) -> None:
        """Log heat maps of the policy's probabilities on a few named boards."""
        pictures = policy_pictures(self.rules, policy)
        for logger in self.loggers:
            logger.pictures(step, pictures)

    def flush(self) -> None:
        """Make all loggers write everything to disk."""
        for logger in self.loggers:
            logger.flush()

    def summary(self, step: int, certificate: Certificate | None) -> None:
        """Log the last certificate to all loggers."""
        for logger in self.loggers:
            logger.summary(step, certificate)


def check_name(folder: Path, names: Sequence[str] = USUAL) -> None:
    """Raise ValueError if TensorBoard is to write to a folder whose name is not UTF-8."""
    try:
        str(folder).encode()
    except UnicodeEncodeError:
        if "tensorboard" in names:
            told = f"TensorBoard cannot write to {shown(folder)}, whose name is not UTF-8"
            raise ValueError(f"{told}: choose another folder") from None


@contextlib.contextmanager
def opened(
    names: Sequence[str], folder: Path, rules: Rules, settings: Mapping[str, Any], at: int = 0
) -> Iterator[Loggers]:
    """Yield the loggers with the given names, and close them at the end.

    Raises:
        ModuleNotFoundError: if the library of a logger is not installed.
        ValueError: for an unknown name.
    """
    with contextlib.ExitStack() as stack:
        made: list[Logger] = []
        for kind in [LOGGERS.load(name) for name in names]:
            made.append(kind(folder, rules, settings, at))
            stack.push(_closing(made[-1]))
        yield Loggers(rules, made)


def _closing(logger: Logger) -> Callable[..., None]:
    """Return an exit callback for a `with` block that closes a logger."""

    def close(failure: type[BaseException] | None, *_: object) -> None:
        logger.close(finished=failure is None)

    return close


def chosen(given: Sequence[str]) -> tuple[str, ...]:
    """Return the names of loggers in a command's options, each of which may list several.

    Raises:
        ModuleNotFoundError: if the library of one is not installed.
        ValueError: for an unknown name.
    """
    names = [name.strip() for text in given for name in text.split(",")]
    found = tuple(dict.fromkeys(names)) or USUAL
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


def run_of(file: Path) -> str | None:
    """Read the identifier of an interrupted run from a file in the checkpoint's folder."""
    try:
        text = read_bytes(file, 200).decode("ascii").strip()
    except (FileNotFoundError, ValueError):
        return None
    return text if text.isalnum() else None


@contextlib.contextmanager
def in_one_line(library: str, errors: type[Exception]) -> Iterator[None]:
    """Turn a library's errors in this block into one-line ValueErrors."""
    try:
        yield
    except errors as error:
        raise ValueError(f"{library}: {shown(first_line(error))}") from None


def policy_pictures(rules: Rules, policy: Player) -> dict[str, Picture]:
    """Draw heat maps of a policy's probabilities on a few named boards."""
    scenes = SCENES.get(str(rules), {"opening": "_" * rules.cells})
    boards = {name: rules.parse(text) for name, text in scenes.items()}
    return {
        f"policy/{name}": policy_picture(rules, board, policy(board[None])[0])
        for name, board in boards.items()
    }
