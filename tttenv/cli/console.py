"""Code shared by all commands: argument parsing, one-line errors, help and progress bars."""

import contextlib
import errno
import inspect
import io
import logging
import os
import re
import shutil
import signal
import sys
import textwrap
import threading
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from threading import Timer
from types import FrameType
from typing import TYPE_CHECKING, Any, TypeVar

import tyro

from tttenv.cli.text_tables import room, wrapped
from tttenv.utils import optional_dependencies
from tttenv.utils.registry import near
from tttenv.utils.untrusted import shown

if TYPE_CHECKING:
    from tttenv.game.rules import Rules
    from tttenv.policy import Player

_T = TypeVar("_T")
LONGEST = 2000  # maximum characters of an error message
WIDE = 120  # characters of a line without a terminal
BESIDE = 14  # characters of a stage's line beside its words: the time is never cut
SPOKEN_EVERY = 20.0  # seconds between lines of progress without a terminal
WRONG_ARGUMENTS = 2  # the exit status of the parser
PIPE_CLOSED = 141  # the exit status of a program that SIGPIPE ends
UNSAFE = re.compile(r"^\W?frozen importlib|\bllvmlite\b")  # files of code to end only after it
ADVICE = " (?:Argument helptext:|Perhaps you meant:|Arguments similar to|For full helptext)"
WORD = r"'(\w+)'"
ERRORS = {  # how the parser reports an error, and in plain words
    r"Missing from .*?: (\S+) .*": r"\1 is required",
    r"Error parsing (.*): invalid literal .* base 10: (.*)": r"\1: \2 is not an integer",
    r"Error parsing (.*): could not convert string to float: (.*)": r"\1: \2 is not a number",
}
RETRY = 0.05  # seconds until a signal that arrives in such code is repeated


def run(script: Callable[[list[str]], None], prog: str, args: Sequence[str] | None = None) -> None:
    """Run a command; invalid input exits with one line and status 2, an interrupt with 130.

    If the reader of its output leaves before it has ended, it stops with status 141, as by SIGPIPE.
    A standard stream that is closed from the start is replaced by the null device. SIGTERM exits
    with status 143; SIGHUP (the terminal closes) with 129, unless it is ignored, as under nohup.
    A signal during an import acts after it.

    Args:
        script: the command, a function of its arguments.
        prog: its name in messages.
        args: the arguments; if omitted, those of the process.

    Raises:
        SystemExit: with these statuses.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed: another file would get its number
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode, encoding="utf-8"))
    warnings.showwarning = lambda message, *_, **__: print(
        f"{prog}: {visible(str(message))}", file=sys.stderr
    )
    signal.signal(signal.SIGTERM, _after_imports(lambda *_: sys.exit(143)))
    hangup = getattr(signal, "SIGHUP", None)  # not on all systems
    if hangup is not None and signal.getsignal(hangup) is not signal.SIG_IGN:
        signal.signal(hangup, _after_imports(lambda *_: sys.exit(129)))
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not if ignored
        signal.signal(signal.SIGINT, _after_imports(signal.default_int_handler))
    _show_log()
    try:
        script(sys.argv[1:] if args is None else list(args))
        _flush()
    except KeyboardInterrupt as interrupt:
        why = f": {visible(str(interrupt))}" if str(interrupt) else ""
        _complain(f"\n{prog}: interrupted{why}")
        sys.exit(130)
    except BrokenPipeError:
        sys.stdout = None
        sys.exit(PIPE_CLOSED)
    except OSError as error:
        fail(prog, failure(error))
    except ImportError as error:
        if (sentence := optional_dependencies.to_install(error)) is None:
            raise
        fail(prog, sentence)
    except ValueError as error:
        fail(prog, str(error))
    except (MemoryError, RuntimeError) as error:
        if not isinstance(error, MemoryError) and "allocate memory" not in str(error):  # torch's
            raise
        fail(prog, f"not enough memory: {error}" if str(error) else "not enough memory")


def _after_imports(
    act: Callable[[int, FrameType | None], object],
) -> Callable[[int, FrameType | None], None]:
    """Return a signal handler that acts after an import or a call of LLVM that is in progress.

    An exception raised in their middle may be lost in compiled code, or abort the process.
    """

    def handler(number: int, frame: FrameType | None) -> None:
        part = frame
        while part is not None and part.f_code is not run.__code__:
            if UNSAFE.search(part.f_code.co_filename):
                again = Timer(RETRY, os.kill, (os.getpid(), number))
                again.daemon = True
                again.start()
                return
            part = part.f_back
        act(number, frame)

    return handler


def _show_log() -> None:
    """Print records to standard error if it is a terminal, above any progress bar."""
    last = logging.lastResort  # follows `sys.stderr`
    if last is not None and sys.stderr.isatty():
        last.setLevel(logging.INFO)
        logging.getLogger("tttenv").setLevel(logging.INFO)


def _flush() -> None:
    """Flush standard output, whose reader may have left."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        sys.stdout = None
    except OSError as error:
        sys.stdout = None  # otherwise Python tries again at exit and reports the error
        raise ValueError(f"cannot write the output: {error.strerror}") from None


def _complain(text: str) -> None:
    """Print to standard error, if it still has a reader."""
    try:
        print(text, file=sys.stderr, flush=True)
    except BrokenPipeError:
        sys.stderr = None  # otherwise Python tries again at exit


def failure(error: OSError) -> str:
    """Describe an operating system error, with the file that it concerns."""
    if not error.strerror:
        return str(error)
    given = (error.filename, error.filename2)
    names = [os.fsdecode(name) for name in given if isinstance(name, str | bytes)]
    writing = error.errno in (errno.ENOSPC, errno.EROFS, errno.EDQUOT, errno.EFBIG)
    if len(names) == 2:
        return f"cannot move {names[0]} to {names[1]}: {error.strerror}"
    tried = " ".join(["cannot", "write" if writing else "open", *names])
    return f"{tried}: {error.strerror}" if names or writing else error.strerror


def fail(prog: str, message: str) -> None:
    """Print an error on one line, wrapped on a narrower terminal, and exit with status 2."""
    _complain("\n".join(wrapped(f"{prog}: {visible(message)}", room(sys.stderr), "  ")))
    sys.exit(2)


def visible(message: str) -> str:
    """Return a message as a single line of bounded length, with control characters escaped."""
    return shown(" ".join(message.split()), LONGEST)


def parse(
    kind: type[_T],
    prog: str,
    args: Sequence[str],
    description: str | None = None,
    examples: str = "",
    see: str = "",
) -> _T:
    """Parse arguments into a dataclass, whose docstring and field comments are the help.

    Args:
        kind: the dataclass; its fields without defaults are required.
        prog: the command's name in help and errors.
        args: the arguments after it.
        description: the text of the help; if omitted, the docstring of `kind`.
        examples: command lines, one a line, that end the help.
        see: the command whose help an error names; if omitted, `prog`.

    Returns:
        The arguments, of type `kind`.

    Raises:
        SystemExit: with status 2 after an error of one line, with status 0 after the help.
        ValueError: for a negative `seed`.
    """
    about = (inspect.getdoc(kind) or "") if description is None else description
    about = re.sub(r"(?m)^(\S.*)\n(?=\S)", r"\1 ", about)  # a paragraph is one line
    encoding = (getattr(sys.stdout, "encoding", None) or "utf-8").lower()  # "utf-8" has boxes
    page, report = io.TextIOWrapper(io.BytesIO(), encoding=encoding), io.StringIO()
    try:
        with contextlib.redirect_stderr(report), contextlib.redirect_stdout(page):
            found = tyro.cli(kind, prog=prog, args=args, description=about)
    except SystemExit as end:
        if end.code not in (0, None, WRONG_ARGUMENTS):  # exit requested by a signal
            raise
        if end.code:
            gist = _gist(report.getvalue())
            if gist.endswith(" is required") and examples:
                gist += f", as in: {examples.strip().splitlines()[0]}"
            fail(prog, f"{gist}{_hint(kind, gist)} (see {see or prog} --help)")
        page.seek(0)
        print(filled(page.read()), end="")
        if examples:
            print(f"examples:\n{textwrap.indent(examples.strip(), '  ')}")
        raise
    if (seed := getattr(found, "seed", 0)) < 0:
        raise ValueError(f"a seed must be a non-negative integer, not {seed}")
    return found


def _gist(report: str) -> str:
    """Return the parser's report of an error as one sentence, without its title and advice."""
    report = re.sub("[│╰╯─]|-{4,}", " ", report.partition("\n")[2])
    sentence = re.split(ADVICE, " ".join(report.split()))[0]
    sentence, offered, choices = sentence.partition(". Expected one of ")
    if offered:  # in no order, and with 'None' for an option that may be left out
        return f"{sentence}; known are {', '.join(sorted({*re.findall(WORD, choices)} - {'None'}))}"
    for pattern, plainly in ERRORS.items():
        sentence = re.sub(pattern, plainly, sentence)
    return sentence


def _hint(kind: type, gist: str) -> str:
    """Return a hint for the first unknown option in an error, or ""."""
    unknown = re.search(r" (--[^\s,]+)", gist)
    if unknown is None or not gist.startswith("Unrecognized options: "):
        return ""
    if unknown[1] in ("--against", "--opponent", "--versus", "--vs"):
        return "; two players against each other: tttenv match A B"
    page = io.StringIO()
    with contextlib.redirect_stdout(page), contextlib.suppress(SystemExit):
        tyro.cli(kind, args=["--help"])
    found = near(unknown[1], re.findall(r"--[a-z][\w-]*", page.getvalue()))
    return f"; did you mean {found}?" if found else ""


def filled(text: str) -> str:
    """Wrap the lines of a help text that exceed the terminal's width; boxes never do."""
    width, lines = shutil.get_terminal_size().columns, []
    for line in text.split("\n"):
        indent = " " * (len(line) - len(line.lstrip()))
        hang = indent + "  " if indent or line.startswith("usage:") else ""
        lines += wrapped(line, None if "│" in line else width, hang)
    return "\n".join(lines)


def with_players(arguments: type) -> str:
    """Return a command's description followed by the available players."""
    from tttenv.players import FOREIGN, PLAYERS, bundled

    rows = PLAYERS.rows | FOREIGN.rows
    known = "\n".join(f"  {name:<12}{row.about}" for name, row in rows.items())
    trained = f"Trained players: {', '.join(bundled.names())}."
    return f"{inspect.getdoc(arguments)}\n\nPlayers by name:\n{known}\n\n{trained}"


def rules_for(rules: str | None, *players: str) -> "Rules":
    """Return the rules that an option gives, or those of the first checkpoint among the players.

    Raises:
        ValueError: for invalid rules, and for a missing or damaged checkpoint.
    """
    from tttenv.game.rules import Rules
    from tttenv.players import did_you_mean, is_path, rules_of

    named = next(filter(is_path, players), "random")
    with did_you_mean(named):
        return Rules.of(rules) if rules else rules_of(named)


def load_player(spec: str, rules: "Rules", quiet: bool = False) -> "Player":
    """Load a player of a game, showing a stage unless `quiet`.

    Raises:
        ValueError: for a spec that names no player of the game, with the closest name.
    """
    from tttenv.players import did_you_mean, player

    with stage(f"loading {spec}", quiet), did_you_mean(spec):
        return player(spec, rules)


def check_folder(folder: Path | None) -> None:
    """Raise ValueError if a folder is not writable and cannot be created, before any work."""
    for part in [folder, *folder.parents] if folder else []:
        if part.exists():
            if not part.is_dir():
                raise ValueError(f"{part} is a file, not a folder")
            if not os.access(part, os.W_OK):
                raise ValueError(f"cannot write {folder}: {os.strerror(errno.EACCES)}")
            return


def check_unfinished(file: Path, resume: bool, what: str) -> None:
    """Raise ValueError if a search is to be resumed and has no file, or has one and is not."""
    if resume and not file.exists():
        raise ValueError(f"there is no unfinished {what} in {file}")
    if file.exists() and not resume:
        raise ValueError(
            f"{file} is an unfinished {what}: continue with --resume, or delete the file"
        )


@contextlib.contextmanager
def saved_if_interrupted(save: Callable[[], str | None]) -> Iterator[None]:
    """Save unfinished work if SIGTERM or Ctrl-C ends the block.

    Args:
        save: saves the work, and returns a sentence on what is saved; None if nothing is.

    Raises:
        KeyboardInterrupt: with this sentence, if Ctrl-C ends the block.
        SystemExit: if SIGTERM does.
    """
    try:
        yield
    except SystemExit:
        save()
        raise
    except KeyboardInterrupt:
        if (saved := save()) is None:
            raise
        raise KeyboardInterrupt(f"{saved}: continue with --resume") from None


def bar(*columns: Any, quiet: bool = False, transient: bool = False) -> Any:
    """Return a `rich.progress.Progress` on standard error."""
    from rich.console import Console
    from rich.progress import Progress, RenderableColumn

    return Progress(
        *(columns or Progress.get_default_columns()),
        RenderableColumn(_Compiling()),
        console=Console(stderr=True, quiet=quiet),  # rich < 14.3 ends it with a blank line
        transient=transient,
        redirect_stdout=sys.stdout.isatty(),  # else redirected output would appear on the screen
        disable=quiet,
    )


class _Compiling:
    """Says in a progress bar what is being compiled."""

    def __rich__(self) -> str:
        compile_time = sys.modules.get("tttenv.utils.compile_time")  # loading it takes long
        watch = getattr(compile_time, "watch", None)  # another thread may still be loading it
        return f"[cyan]{watch.progress}" if watch and watch.progress else ""


@contextlib.contextmanager
def spoken(now: Callable[[], str], quiet: bool = False) -> Iterator[None]:
    """Print the progress `now()` from time to time in this block, unless there is a terminal."""
    ended = threading.Event()

    def speak() -> None:
        while not ended.wait(SPOKEN_EVERY):
            _complain(visible(now()))

    if quiet or sys.stderr.isatty():
        yield
        return
    thread = threading.Thread(target=speak, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


@contextlib.contextmanager
def stage(text: str, quiet: bool = False) -> Iterator[Callable[[str], None]]:
    """Show a stage and its time on a terminal during a block, then erase them.

    Without a terminal, the text is printed every 20 seconds.

    Args:
        text: what the block does.
        quiet: whether to show nothing, as with --json.

    Yields:
        A function that replaces the text.
    """
    if quiet or not sys.stderr.isatty():
        latest = deque([text], maxlen=1)
        with spoken(lambda: latest[0], quiet):
            yield latest.append
        return
    from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.table import Column

    left = Column(no_wrap=True, max_width=max(1, (room(sys.stderr) or WIDE) - BESIDE))
    words = TextColumn("{task.description}", markup=False, table_column=left)
    with bar(SpinnerColumn(), words, TimeElapsedColumn(), transient=True) as line:
        task = line.add_task(visible(text), total=None)
        yield lambda text: line.update(task, description=visible(text))
