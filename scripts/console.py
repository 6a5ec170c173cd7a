"""What all scripts share: arguments, one-line errors, tables and progress bars."""

import contextlib
import io
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import tyro

from tttenv.untrusted import shown

_T = TypeVar("_T")
LONGEST = 2000  # characters of a complaint
SHIPPED = Path(os.path.relpath(Path(__file__).resolve().parents[1] / "checkpoints"))

# One thread also for NumPy's linear algebra, here and in workers: torch's are set by --threads.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def run(script: Callable[[list[str]], None], prog: str) -> None:
    """Run a script: wrong input ends it with one line and status 2, an interrupt with 130.

    Who asks it to end (SIGTERM) sees it end with 143 and all that it started with it.
    """
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        script(sys.argv[1:])
        sys.stdout.flush()
    except KeyboardInterrupt:
        print(f"\n{prog}: interrupted", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:  # whoever read our output has had enough
        sys.stdout = None
        sys.exit(0)
    except (ValueError, OSError) as error:
        fail(prog, str(error))


def fail(prog: str, message: str) -> None:
    """Say what was wrong in one line, control characters visible, and end with status 2."""
    print(f"{prog}: {shown(' '.join(message.split()), LONGEST)}", file=sys.stderr)
    sys.exit(2)


def parse(kind: type[_T] | Callable[..., _T], prog: str, args: Sequence[str], **more: Any) -> _T:
    """Read the arguments as a dataclass; its comments are the help. Errors are one line."""
    complaint = io.StringIO()
    try:
        with contextlib.redirect_stderr(complaint):
            return tyro.cli(kind, prog=prog, args=args, **more)
    except SystemExit as end:
        if end.code:
            fail(prog, f"{_gist(complaint.getvalue())} (see {prog} --help)")
        raise


def _gist(box: str) -> str:
    """The sentences of a boxed message, up to its first rule."""
    lines = []
    for line in box.splitlines()[1:]:
        text = line.strip("│╭╮╰╯ ")
        if text and not text.strip("─"):
            break
        lines.append(text.strip("─ "))
    return " ".join(lines).strip() or box.strip()


def check_seed(seed: int) -> None:
    """Let a seed pass.

    Raises:
        ValueError: if it is negative.
    """
    if seed < 0:
        raise ValueError(f"a seed is a whole number from 0 on, not {seed}")


@contextlib.contextmanager
def hinting(spec: str) -> Iterator[None]:
    """Make a player in this block: the name of a shipped one alone is answered by its folder."""
    try:
        yield
    except ValueError as error:
        if (SHIPPED / spec / "card.json").is_file():
            raise ValueError(f"{error}; the shipped one is {SHIPPED / spec}") from None
        raise


def check_folder(folder: Path | None) -> None:
    """Let a folder pass that is there or can be made.

    Raises:
        ValueError: if a file stands in its place, or in that of a folder above it.
    """
    for part in [folder, *folder.parents] if folder else []:
        if part.exists():
            if not part.is_dir():
                raise ValueError(f"{part} is a file, where a folder is wanted")
            return


def share(number: float) -> str:
    """A probability as per cent with two digits, cut towards the middle: 100.00 is exactly one."""
    per_cent = 100 * number
    if 0 < per_cent < 0.005 and number > 1e-12:
        return "<0.01"
    if 99.995 < per_cent < 100 and number < 1 - 1e-12:
        return ">99.99"
    return f"{per_cent:.2f}"


def odds(row: Sequence[float]) -> str:
    """Win, draw and loss in per cent."""
    return " / ".join(share(number) for number in row)


def value(number: float) -> str:
    """A value between -1 and 1 with its sign; zero without."""
    text = f"{number:+.4f}".rstrip("0").rstrip(".")
    if text not in ("+0", "-0"):
        return text
    return "0" if abs(number) < 1e-9 else f"{number:+.0e}"


def standing(numbers: dict[str, float]) -> str:
    """The exact worst cases and optimal-move share, or sampled values, in a few words."""
    if "exact/worst_case_X" in numbers:
        worst = [value(numbers[f"exact/worst_case_{seat}"]) for seat in "XO"]
        optimal = share(numbers["exact/optimal_moves"])
        return f"worst case X {worst[0]} O {worst[1]}  optimal moves {optimal} %"
    values = [value(numbers[f"sampled/value_vs_random_{seat}"]) for seat in "XO"]
    return f"vs random X {values[0]} O {values[1]}"


def bar(quiet: bool) -> Any:
    """A progress bar on the terminal's error output."""
    from rich.console import Console
    from rich.progress import Progress

    return Progress(console=Console(stderr=True), disable=quiet)


def sampled(numbers: dict[str, float]) -> str:
    """Sampled values with their margins, a line each."""
    lines = []
    for tag, number in numbers.items():
        if tag.startswith("sampled/value_vs_"):
            name, seat = tag.removeprefix("sampled/value_vs_").rsplit("_", 1)
            margin = numbers[tag.replace("value", "margin")]
            lines.append(f"  as {seat} against {name:<10} value {number:+.3f} +- {margin:.3f}")
    return "\n".join(lines)
