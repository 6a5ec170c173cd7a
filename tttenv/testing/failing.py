"""A subject that raises, or answers what cannot be read: a finding about it, not an end of ours."""

import sysconfig
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import tttenv

HOME = Path(tttenv.__file__).parents[1]
OURS = [HOME / "tttenv", HOME / "learners", HOME / "scripts"]
FAILURES = Exception, SystemExit  # what the code of others may raise; not Ctrl-C
FOREIGN = [Path(sysconfig.get_path(name)) for name in ("stdlib", "purelib", "platlib")]


class SubjectError(Exception):
    """Why a subject cannot be asked further, and what to change; caused by what it raised."""

    def __init__(self, told: str, change: str) -> None:
        super().__init__(told)
        self.told, self.change = told, change


@contextmanager
def failing(when: str, change: str) -> Iterator[None]:
    """What a subject raises within is a `SubjectError`: it "fails when `when`"."""
    try:
        yield
    except FAILURES as error:
        raise SubjectError(f"fails when {when} with {said(error)}", change) from error


def said(error: BaseException) -> str:
    """What kind of error it is, its message and the line of the user's that it is from, in one."""
    message = " ".join(str(error).split())
    return type(error).__name__ + (f": {message}" if message else "") + _place(error)


def is_of_others(error: BaseException) -> bool:
    """Whether code that is neither ours nor a library's raised it, or called the library that did.

    So a mistake of ours is not taken for one of the subject's.
    """
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        file = Path(frame.filename)
        if file.exists() and not _is_in(file, FOREIGN):
            return not _is_in(file, OURS)
    return False


def _place(error: BaseException) -> str:
    """The innermost line that is neither ours nor a library's; a syntax error tells its own."""
    if isinstance(error, SyntaxError):
        return ""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        file = Path(frame.filename)
        if file.exists() and not _is_in(file, [*OURS, *FOREIGN]):
            return f", in {file.name} line {frame.lineno}"
    return ""


def _is_in(file: Path, folders: list[Path]) -> bool:
    return any(file.is_relative_to(folder) for folder in folders)
