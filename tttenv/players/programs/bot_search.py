"""Calls of the functions in a user's file, and the search for the form in which its bot plays."""

import contextlib
import inspect
import random
import signal
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from .bot_clock import Clock
from .bot_forms import ANSWERS, ARGUMENTS, OTHER, SHAPES, STONES, TABLE, Form, Reply, read, side_of

OF_ANY_SIZE = ("list", "rows", "array", "grid")  # the other shapes are of 3,3,3
PATIENCE, IMPATIENCE, MEDIUM = 1.0, 0.02, 10.0  # seconds for an answer while forms are tried
LONGEST = 160  # characters of a foreign text in a message


class LateError(BaseException):
    """No answer in time; no `Exception`, which a bot may catch."""


class Bot:
    """The functions of a user's file, called on boards of `n` columns."""

    def __init__(self, module: Any, n: int, clock: Clock) -> None:
        self.module, self.n, self.clock = module, n, clock

    def candidates(self, wanted: str) -> Iterator[tuple[str, Callable[..., Any]]]:
        """Yield functions that may choose a move, with their names, the likeliest first."""
        space, home = vars(self.module), self.module.__name__
        own = {k: v for k, v in space.items() if getattr(v, "__module__", None) == home}
        classes = {k: v for k, v in own.items() if inspect.isclass(v)}
        made: dict[str, Any] = {}
        for name in [wanted] if wanted else TABLE["names"]:
            if callable(space.get(name)) and not inspect.isclass(space[name]):
                yield name, space[name]
            for title, kind in classes.items():
                method = name.removeprefix(f"{title}.")
                if not callable(getattr(kind, method, None)):
                    continue
                with contextlib.suppress(Exception):  # of a class that needs arguments
                    made[title] = made.get(title) or kind()
                    yield f"{title}.{method}", getattr(made[title], method)
        last = [k for k, v in own.items() if inspect.isfunction(v)][-1:]
        if last and not wanted and last[0] not in TABLE["names"]:
            yield last[0], own[last[0]]

    def variable(self) -> str | None:
        """Return the name of the file's variable that holds the board, if any."""
        names = ARGUMENTS["global"]["variables"]
        return next((name for name in names if name in vars(self.module)), None)

    def arguments(self, trial: "Trial", board: str) -> tuple[Any, list[Any]]:
        """Return a new board in a trial's form, and the arguments of its call."""
        form = trial.form
        given, (mine, theirs) = form.shaped(board, self.n), form.marks(board)
        known = {"board": given, "mark": mine, "turn": side_of(board) == "X"}
        known["depth"] = board.count("_")
        arguments = []
        for word in form.arguments.split("-") if form.arguments != "global" else ():
            arguments += [mine, theirs] if word == "marks" else [known[word]]
        return given, arguments

    def called(self, trial: "Trial", board: str, reply: Reply) -> str:
        """Say how the bot was called and what it did."""
        given, arguments = self.arguments(trial, board)
        how = f"called as {trial.name}({', '.join(map(repr, arguments))})"
        if not arguments:
            how = f"{trial.name}() called with {self.variable()} = {given!r}"
        return f"{short(how, plainly=True)}, {reply.failure or f'it returned {short(reply.value)}'}"

    def call(self, trial: "Trial", board: str, seconds: float, repeat: int = 0) -> Reply:
        """Call a function on a new board in a form."""
        given, arguments = self.arguments(trial, board)
        variable = self.variable() if trial.form.arguments == "global" else None
        if variable:
            setattr(self.module, variable, given)
        seed(board, repeat)
        before = state()
        self.clock.read = False
        try:
            with limited(seconds):
                value = trial.function(*arguments)
        except LateError:
            return Reply(failure=f"it did not answer within {seconds:g} s")
        except BaseException as error:  # including SystemExit
            why = short(f"{type(error).__name__}: {error}", plainly=True)
            return Reply(failure=f"it raised {why}")
        if variable:
            given = getattr(self.module, variable)
        if inspect.iscoroutine(value):
            value.close()
        return Reply(value, given, drew=state() != before, timed=self.clock.read)


def short(value: Any, plainly: bool = False) -> str:
    """Return the `repr` of a value, or `plainly` a text, on one line of bounded length."""
    try:
        with limited(PATIENCE):
            text = " ".join((value if plainly else repr(value)).split())
    except BaseException:  # of a foreign `__repr__`
        text = f"a {type(value).__name__}"
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def limited_read(reply: Reply, form: Form, board: str, n: int) -> int | None:
    """Return the legal cell that a reply plays in a form, or None, also if reading does not end."""
    try:
        with limited(PATIENCE):
            return read(reply, form, board, n)
    except LateError:
        return None


@contextlib.contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise LateError in a block that takes longer, again and again if it is caught."""
    ended = False

    def ring(*_: Any) -> None:
        if not ended:
            raise LateError

    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, 0.1)
    try:
        yield
    finally:
        ended = True
        signal.setitimer(signal.ITIMER_REAL, 0)


def state() -> Any:
    """Return the state of the generators that `seed` sets."""
    numpy = sys.modules.get("numpy.random")
    return random.getstate(), None if numpy is None else str(numpy.get_state(legacy=True)[2:])


def seed(board: str, repeat: int = 0) -> None:
    """Seed the global generators from the board, so that a bot that uses them is pure."""
    number = zlib.crc32(f"{board} {repeat}".encode())
    random.seed(number)
    if (numpy := sys.modules.get("numpy.random")) is not None:
        numpy.seed(number)


@dataclass
class Trial:
    """A function in one form, and how it did on the probe boards."""

    name: str
    function: Callable[..., Any]
    form: Form
    seats: str = "XO"  # in which all answers were legal so far
    legal: int = 0
    kept: int = 0  # boards on which the move keeps the value
    played: str = ""  # the sides of all legal answers

    def judge(self, reply: Reply, board: str, good: Sequence[int], n: int) -> None:
        """Take account of a reply to a probe board."""
        side = side_of(board)
        cell = limited_read(reply, self.form, board, n)
        if cell is not None:
            self.legal, self.kept = self.legal + 1, self.kept + (cell in good)
            self.played += side
        elif not reply.refused or side in self.played:
            self.seats = ""
        else:
            self.seats = self.seats.replace(side, "")


@dataclass
class Search:
    """The search for the form in which a file's bot plays best."""

    bot: Bot
    probes: list[tuple[str, list[int]]]  # boards with the cells that keep the value
    seconds: float  # for an answer on an almost empty board
    wanted: str = ""  # a function
    form: str = ""  # the form that the user has named
    patience: float = PATIENCE
    first: str = ""  # what happened at the first call
    nearest: tuple[int, str, str] = (0, "", "")  # most legal answers, how, and what ended them

    def found(self) -> Trial:
        """Return the best trial.

        Raises:
            ValueError: if the bot answers in no form.
        """
        self.patience = min(self.patience, self.seconds)
        if self.form:
            return self._named(Form.of(self.form))
        trials: list[Trial] = []
        for name, function in self.bot.candidates(self.wanted):
            for call in self._calls(function):
                same = [Trial(name, function, Form(*call, answer)) for answer in ANSWERS]
                trials += self._survivors(same)
        # A bot that declines the mark X or O means it: it is not asked under other marks.
        marked = [trial for trial in trials if "mark" in trial.form.arguments]
        declines = bool(marked) and marked[0].form.stones == "XO" and len(marked[0].seats) == 1

        def rank(trial: Trial) -> tuple[bool, int, int]:
            meant = declines and trial in marked and trial.form.stones == "XO"
            return meant, len(trial.seats), trial.kept

        trials.sort(key=rank, reverse=True)
        for trial in trials:
            others = OTHER.keys() - set(trial.seats)
            legal = self._survivors([trial], light=True)
            if legal and all(self._refuses(trial, seat) for seat in others):
                return trial
        raise ValueError(self._refusal())

    def _named(self, form: Form) -> Trial:
        """Return the first trial in a form that the user has named which answers at all."""
        for name, function in self.bot.candidates(self.wanted):
            if form[:4] in self._calls(function):
                trial = Trial(name, function, form)
                trial.seats = "".join(seat for seat in OTHER if not self._refuses(trial, seat))
                if trial.seats:
                    return trial
        raise ValueError(self._refusal())

    def ask(self, trial: Trial, board: str, seconds: float) -> Reply:
        """Call a bot on a probe board."""
        reply = self.bot.call(trial, board, seconds)
        self.first = self.first or self.bot.called(trial, board, reply)
        return reply

    def _refuses(self, trial: Trial, seat: str) -> bool:
        """Return whether a bot answers no board of a seat, which it then does not play."""
        boards = (board for board, _ in self.probes if side_of(board) == seat)
        return all(self.ask(trial, board, self.seconds).refused for board in boards)

    def _calls(self, function: Callable[..., Any]) -> Iterator[tuple[str, str, str, str]]:
        """Yield shapes, stones, empty cells and arguments that a function may take."""
        least, most = 0, 3
        with contextlib.suppress(TypeError, ValueError):
            wanted = [*inspect.signature(function).parameters.values()]
            plain = [one for one in wanted if one.kind < one.VAR_POSITIONAL]
            least = sum(one.default is one.empty for one in plain)
            if all(one.kind != one.VAR_POSITIONAL for one in wanted):  # as of a decorated function
                most = len(plain)
        counts = {key: _count(key) for key in ARGUMENTS}
        fits = [key for key, count in counts.items() if least <= count <= most]
        if not self.bot.variable():
            fits = [key for key in fits if key != "global"]
        fits.sort(key=lambda key: counts[key] != least)
        square = len(self.probes[0][0]) == 9 and self.bot.n == 3
        for shape, (stones, row) in product(SHAPES, STONES.items()):
            if shape in ("array", "grid") and "numpy" not in sys.modules:
                continue
            if square or shape in OF_ANY_SIZE:
                for call in product([shape], [stones], row["empties"], fits):
                    if not Form(*call, "cell").problem:
                        yield call

    def _survivors(self, trials: list[Trial], light: bool = False) -> list[Trial]:
        """Return the trials, of the same calls, whose answers are legal on all probe boards."""
        one, n = trials[0], self.bot.n
        for board, good in self.probes:
            if light != (board.count("_") > len(board) - 3):
                continue
            full = board.count("_") < 3
            seconds = self.patience if full else self.seconds if light else MEDIUM
            if not any(side_of(board) in trial.seats for trial in trials):
                continue
            reply = self.ask(one, board, seconds)
            if full and "did not answer" in reply.failure:
                self.patience = max(self.patience / 2, IMPATIENCE)
            for trial in trials:
                trial.judge(reply, board, good, n)
            most = max(trial.legal for trial in trials)
            trials = [trial for trial in trials if trial.seats]
            if not trials:
                if most > self.nearest[0]:
                    form = f"function={one.name},form={one.form}"
                    self.nearest = most, form, self.bot.called(one, board, reply)
                return []
        return trials

    def _refusal(self) -> str:
        """Say what happened instead of an answer."""
        if not self.first:
            named = f"function {self.wanted}" if self.wanted else "function that takes a board"
            named += f" as {self.form} says" if self.form else ""
            return f"it has no {named}; name one: function=NAME"
        count, form, call = self.nearest
        if count < 9:
            return self.first
        return f"{call}, after {count} legal answers; if it is read rightly, say {form}"


def _count(arguments: str) -> int:
    words = [] if arguments == "global" else arguments.split("-")
    return len(words) + words.count("marks")
