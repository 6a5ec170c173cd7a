"""The process of a `python` player: it imports a user's file and queries the bot in it.

It is run as a script, with a line of JSON for each message. First it is sent the file, the options
and the probe boards, and returns the form of the bot, of those in `bot_forms.json`, or an error;
then it is sent boards, and returns cells. It needs the standard library only.
"""

import builtins
import contextlib
import importlib
import importlib.util
import inspect
import json
import os
import random
import signal
import sys
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

TABLE: dict[str, Any] = json.loads(Path(__file__).with_name("bot_forms.json").read_text())
SHAPES, STONES, ARGUMENTS, ANSWERS = (
    {row["key"]: row for row in TABLE[part] if row.get("only", "python") == "python"}
    for part in ("shapes", "stones", "arguments", "answers")
)
OF_ANY_SIZE = ("list", "rows", "array", "grid")  # the other shapes are of 3,3,3
REPEATS = 40  # answers to a board where the bot draws random numbers
PATIENCE, IMPATIENCE, MEDIUM = 1.0, 0.02, 10.0  # seconds for an answer while forms are tried
LONGEST = 160  # characters of a foreign text in a message
SLOW = 3.0  # seconds for the probe boards; all others are then not queried twice
RECURSION = 20_000  # calls: the highest limit that a bot may set
QUIET = (  # of a file that reads its input when it is imported
    "it calls input(), and nobody answers: put the game under `if __name__ == '__main__':`"
)


class LateError(BaseException):
    """No answer in time; no `Exception`, which a bot may catch."""


class Form(NamedTuple):
    """How a bot is called and how its answer is read, by keys of the table."""

    shape: str
    stones: str
    empty: str
    arguments: str
    answer: str

    def __str__(self) -> str:
        return f"{self.shape}/{self.stones}-{self.empty}/{self.arguments}/{self.answer}"

    @classmethod
    def of(cls, text: str) -> "Form":
        """Parse a form such as rows/XO-null/board/pair.

        Args:
            text: its parts, separated by "/".

        Raises:
            ValueError: for a part that is not in the table.
        """
        parts = text.split("/")
        if len(parts) != 4:
            raise ValueError(f"a form is written like rows/XO-null/board/pair, not {text}")
        stones, _, empty = parts[1].rpartition("-")
        form = cls(parts[0], stones, empty, *parts[2:])
        known: list[tuple[str, Sequence[str]]] = [
            (form.shape, [*SHAPES]),
            (form.stones, [*STONES]),
            (form.empty, STONES.get(stones, {}).get("empties", ())),
            (form.arguments, [*ARGUMENTS]),
            (form.answer, [*ANSWERS]),
        ]
        for part, keys in known:
            if part not in keys:
                raise ValueError(f"{text}: {part!r} is unknown; known are {', '.join(keys)}")
        if not form.tells_side_once:
            raise ValueError(f"{text}: {stones} is a view of the side to move, which has no mark")
        return form

    @property
    def tells_side_once(self) -> bool:
        """Whether the side to move follows from the board's view or from an argument, not both.

        A bot that is told its mark on a board where it looks different would be another bot.
        """
        told = {"mark", "marks", "turn"} & set(self.arguments.split("-"))
        return "X" in STONES[self.stones] or not told

    def described(self, m: int, n: int) -> str:
        """Return the form in words."""
        row, shape = STONES[self.stones], SHAPES[self.shape]["text"]
        if (m, n) != (3, 3):
            sizes = {"list": f"{m * n} cells", "rows": f"{m} rows", "array": f"an array of {m * n}"}
            shape = sizes.get(self.shape, f"an array of {m} x {n}")
        stones = [repr(row[one]) for one in ("X", "O", "mine", "theirs") if one in row]
        if "mine" in row:
            stones = [f"{stones[0]} (of the side to move)", stones[1]]
        empty = TABLE["empties"][self.empty]
        shown = repr(self.empty_at(0)) + ", …" * isinstance(empty, dict)
        called, answers = ARGUMENTS[self.arguments]["text"], ANSWERS[self.answer]["text"]
        return f"{shape} of {', '.join([*stones, shown])}; {called}; answers {answers}"

    def empty_at(self, cell: int) -> Any:
        """Return what stands in an empty cell."""
        empty = TABLE["empties"][self.empty]
        if not isinstance(empty, dict):
            return empty
        number = cell + empty["from"]
        return str(number) if empty.get("as") == "text" else number

    def marks(self, board: str) -> tuple[Any, Any]:
        """Return the marks of the side to move and of the other side."""
        row, side = STONES[self.stones], side_of(board)
        return (row["mine"], row["theirs"]) if "mine" in row else (row[side], row[OTHER[side]])

    def cells(self, board: str) -> list[Any]:
        """Return the cells of a board in this form, row by row."""
        side, (mine, theirs) = side_of(board), self.marks(board)
        marks = {side: mine, OTHER[side]: theirs}
        return [marks[c] if c in marks else self.empty_at(i) for i, c in enumerate(board)]

    def shaped(self, board: str, n: int) -> Any:
        """Return a new board of `n` columns in this form; None if it has no such board."""
        cells = self.cells(board)
        if self.shape in ("array", "grid"):
            mixed = len({type(cell) for cell in cells}) > 1
            array = sys.modules["numpy"].array(cells, dtype=object if mixed else None)
            return array if self.shape == "array" else array.reshape(-1, n)
        if self.shape == "text":
            single = all(isinstance(cell, str) and len(cell) == 1 for cell in cells)
            return "".join(cells) if single else None
        if self.shape == "rows":
            return [cells[at : at + n] for at in range(0, len(cells), n)]
        first = {"list1": 1, "dict1": 1}.get(self.shape, 0)
        if self.shape.startswith("dict"):
            return dict(enumerate(cells, first))
        return [self.empty_at(0)] * first + cells

    def flat(self, board: Any) -> list[Any]:
        """Return the cells of a bot's board in this form."""
        board = plain(board)
        if self.shape in ("rows", "grid"):
            return [cell for row in board for cell in row]
        if self.shape.startswith("dict"):
            return [board[key] for key in sorted(board)]
        return list(board)[self.shape == "list1" :]


OTHER = {"X": "O", "O": "X"}


def side_of(board: str) -> str:
    """Return the side to move on a board, written as text of X, O and _."""
    return "X" if board.count("X") == board.count("O") else "O"


def plain(value: Any) -> Any:
    """Return an array or a number of numpy as lists and numbers of Python."""
    return value.tolist() if hasattr(value, "tolist") else value


def whole(value: Any) -> int:
    """Return a whole number, or raise ValueError."""
    value = plain(value)
    if isinstance(value, str) and value.strip().isdecimal():
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError
    return value


def _named(value: Any, names: Sequence[str]) -> Any:
    """Return the entry or the attribute of a value with the first of the names that it has."""
    if isinstance(value, dict):
        return next(value[name] for name in names if name in value)
    if isinstance(value, (str, list, tuple)):
        raise ValueError
    return next(getattr(value, name) for name in names if hasattr(value, name))


def _unscored(value: Any, place: str) -> Any:
    """Return the cell or the pair that stands beside a score, which is first or last."""
    parts = list(plain(value))
    score = parts.pop(0 if place == "first" else -1)
    if not isinstance(score, (int, float)):
        raise ValueError
    return parts[0] if len(parts) == 1 else parts


def cell_of(value: Any, row: dict[str, Any], n: int) -> int:
    """Return the cell that an answer names, by its row of the table; raise any error if none."""
    first: int = row.get("from", 0)
    if "rows" in row:
        value = _named(value, row["rows"]), _named(value, row["columns"])
    elif "names" in row:
        value = _named(value, row["names"])
    if "score" in row:
        value = _unscored(value, row["score"])
    if row["of"] == "cell":
        return whole(value) - first
    if row["of"] == "name":  # the number of the row and the letter of the column
        value = int(value[1:]) - 1, "abcdefghijklmnopqrstuvwxyz".index(value[0].lower())
    line, column = (whole(part) - first for part in plain(value))
    if not (line >= 0 and 0 <= column < n):
        raise ValueError
    return line * n + column


class Reply(NamedTuple):
    """What a call returned and the board that it was given, or what happened instead."""

    value: Any = None
    given: Any = None
    failure: str = ""

    @property
    def refused(self) -> bool:
        """Whether the call raised an error or returned None, and perhaps played on its board."""
        return self.value is None

    @property
    def told(self) -> str:
        """What happened in words."""
        return self.failure or f"it returned {short(self.value)}"


def read(reply: Reply, form: Form, board: str, n: int) -> int | None:
    """Return the legal cell that a reply plays in a form, or None."""
    try:
        if form.answer == "played":
            return _played(reply, form, board)
        cell = cell_of(reply.value, ANSWERS[form.answer], n)
        return cell if 0 <= cell < len(board) and board[cell] == "_" else None
    except Exception:  # whatever the value does that a bot returned
        return None


def _played(reply: Reply, form: Form, board: str) -> int | None:
    """Return the cell of the stone that the bot has put on its board or returned on another."""
    before, mine = form.cells(board), form.marks(board)[0]
    for after in (reply.value, reply.given):
        with contextlib.suppress(Exception):
            cells = form.flat(after)
            new = [i for i, (a, b) in enumerate(zip(before, cells, strict=True)) if a != b]
            if len(new) == 1 and board[new[0]] == "_" and cells[new[0]] == mine:
                return new[0]
    return None


class Bot:
    """The functions of a user's file, called on boards of `n` columns."""

    def __init__(self, module: Any, n: int) -> None:
        self.module, self.n = module, n

    def candidates(self, wanted: str) -> Iterator[tuple[str, Callable[..., Any]]]:
        """Yield functions that may choose a move, with their names, the likeliest first."""
        space = vars(self.module)
        own = {k: v for k, v in space.items() if _home(v) == self.module.__name__}
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

    def called(self, trial: "Trial", board: str, reply: Reply | None) -> str:
        """Say how the bot was called and what it did."""
        given, arguments = self.arguments(trial, board)
        how = f"called as {trial.name}({', '.join(map(repr, arguments))})"
        if not arguments:
            how = f"{trial.name}() called with {self.variable()} = {given!r}"
        return f"{short(how, plainly=True)}, {reply.told if reply else 'there is no such board'}"

    def call(self, trial: "Trial", board: str, seconds: float, repeat: int = 0) -> Reply | None:
        """Call a function on a new board in a form; None if there is no such board."""
        given, arguments = self.arguments(trial, board)
        if given is None:
            return None
        variable = self.variable() if trial.form.arguments == "global" else None
        if variable:
            setattr(self.module, variable, given)
        seed(board, repeat)
        try:
            with limited(seconds):
                value = trial.function(*arguments)
        except LateError:
            return Reply(failure=f"it did not answer within {seconds:g} s")
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # including SystemExit
            why = short(f"{type(error).__name__}: {error}", plainly=True)
            return Reply(failure=f"it raised {why}")
        if variable:
            given = getattr(self.module, variable)
        if inspect.iscoroutine(value):
            value.close()
        return Reply(value, given)


def _home(value: Any) -> Any:
    return getattr(value, "__module__", None)


def short(value: Any, plainly: bool = False) -> str:
    """Return the `repr` of a value, or `plainly` a text, on one line of bounded length."""
    try:
        text = " ".join((value if plainly else repr(value)).split())
    except Exception:  # of a foreign `__repr__`
        text = f"a {type(value).__name__}"
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


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

    def judge(self, reply: Reply | None, board: str, good: Sequence[int], n: int) -> None:
        """Take account of a reply to a probe board."""
        side = side_of(board)
        cell = None if reply is None else read(reply, self.form, board, n)
        if cell is not None:
            self.legal, self.kept = self.legal + 1, self.kept + (cell in good)
            self.played += side
        elif reply is None or not reply.refused or side in self.played:
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
        """Return the best trial, or raise ValueError if the bot answers in no form."""
        self.patience = min(self.patience, self.seconds)
        trials: list[Trial] = []
        for name, function in self.bot.candidates(self.wanted):
            if self.form:
                trials += self.as_named(name, function)
                continue
            for call in self.calls(function):
                same = [Trial(name, function, Form(*call, answer)) for answer in ANSWERS]
                trials += self.survivors(same)
        trials.sort(key=lambda trial: (len(trial.seats), trial.kept), reverse=True)
        for trial in trials:
            others = OTHER.keys() - set(trial.seats)
            if self.form or (
                self.survivors([trial], light=True)
                and all(self.refuses(trial, seat) for seat in others)
            ):
                return trial
        raise ValueError(self.refusal())

    def as_named(self, name: str, function: Callable[..., Any]) -> list[Trial]:
        """Return the trial of a function in the form that the user has named, if it fits."""
        form = Form.of(self.form)
        if form[:4] not in self.calls(function):
            return []
        trial = Trial(name, function, form)
        trial.seats = "".join(seat for seat in OTHER if not self.refuses(trial, seat))
        return [trial] if trial.seats else []

    def refuses(self, trial: Trial, seat: str) -> bool:
        """Return whether a bot answers no board of a seat, which it then does not play."""
        boards = (board for board, _ in self.probes if side_of(board) == seat)
        for board in boards:
            reply = self.bot.call(trial, board, self.seconds)
            self.first = self.first or self.bot.called(trial, board, reply)
            if reply is None or not reply.refused:
                return False
        return True

    def calls(self, function: Callable[..., Any]) -> Iterator[tuple[str, str, str, str]]:
        """Yield shapes, stones, empty cells and arguments that a function may take."""
        least, most = 0, 3
        with contextlib.suppress(TypeError, ValueError):
            parameters = [
                one
                for one in inspect.signature(function).parameters.values()
                if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)
            ]
            least, most = sum(one.default is one.empty for one in parameters), len(parameters)
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
                    if Form(*call, "cell").tells_side_once:
                        yield call

    def survivors(self, trials: list[Trial], light: bool = False) -> list[Trial]:
        """Return the trials, of the same calls, whose answers are legal on all probe boards."""
        one, n = trials[0], self.bot.n
        for board, good in self.probes:
            if light != (board.count("_") > len(board) - 3):
                continue
            full = board.count("_") < 3
            seconds = self.patience if full else self.seconds if light else MEDIUM
            if not any(side_of(board) in trial.seats for trial in trials):
                continue
            reply = self.bot.call(one, board, seconds)
            self.first = self.first or self.bot.called(one, board, reply)
            if full and reply and "did not answer" in reply.failure:
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

    def refusal(self) -> str:
        """Say what happened instead of an answer."""
        if not self.first:
            named = f"function {self.wanted}" if self.wanted else "function that takes a board"
            return f"it has no {named}; name one: function=NAME"
        count, form, told = self.nearest
        if count < 9:
            return self.first
        return f"{told}, after {count} legal answers; if it is read rightly, say {form}"


def _count(arguments: str) -> int:
    words = [] if arguments == "global" else arguments.split("-")
    return len(words) + words.count("marks")


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


def cells(bot: Bot, trial: Trial, board: str, seconds: float) -> dict[str, Any]:
    """Return the bot's cell on a board; several, equally likely, if it draws random numbers."""
    found: list[int] = []
    for repeat in range(REPEATS):
        if repeat == 0:
            seed(board)
            before = state()
        reply = bot.call(trial, board, seconds, repeat)
        cell = None if reply is None else read(reply, trial.form, board, bot.n)
        if cell is None:
            return {"error": bot.called(trial, board, reply)}
        found.append(cell)
        if repeat == 0 and state() == before:
            break
    return {"cells": found}


OF_COURSE = "rows/XO-null/board/pair"
COURSE = ("initial_state", "player", "actions", "result", "winner", "terminal", "utility")


def course(module: Any, board: str, right: dict[str, Any], seconds: float) -> dict[str, str]:
    """Return what is wrong about a position in the functions of a course's project, by name.

    These are the functions of project 0 of Harvard's CS50 AI: `COURSE` and `minimax`.

    Args:
        module: the file.
        board: the position, as text.
        right: its "player", "winner", "terminal" and "utility".
        seconds: the limit of each call.
    """
    space = vars(module)
    wrong: dict[str, str] = {}
    marks = {"_": space.get("EMPTY"), "X": space.get("X", "X"), "O": space.get("O", "O"), "": None}

    def rows(text: str) -> list[list[Any]]:
        return [[marks[c] for c in text[at : at + 3]] for at in (0, 3, 6)]

    def call(name: str, wanted: Any, *arguments: Any) -> None:
        before = repr(arguments)
        told = short(f"{name}({before[1:-1].rstrip(',')})", plainly=True)
        try:
            with limited(seconds):
                value = space[name](*arguments)
            good = value is None if wanted is None else value == wanted
            told += f" returned {short(value)}"
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            good, told = wanted is FAILS, f"{told} raised {short(repr(error), plainly=True)}"
        if good and repr(arguments) != before:
            good, told = False, f"{told} and changed the board that it was given"
        if not good:
            wrong.setdefault(name, f"{told}; right is {short(wanted)}")

    free = [divmod(cell, 3) for cell, mark in enumerate(board) if mark == "_"]
    taken = [divmod(cell, 3) for cell, mark in enumerate(board) if mark != "_"]
    call("winner", marks[right["winner"]], rows(board))
    call("terminal", right["terminal"], rows(board))
    if not taken:
        call("initial_state", rows(board))
    if right["terminal"]:
        call("utility", right["utility"], rows(board))
        call("minimax", None, rows(board))
        return wrong
    call("player", marks[right["player"]], rows(board))
    call("actions", set(free), rows(board))
    for i, j in free:
        after = rows(board)
        after[i][j] = marks[right["player"]]
        call("result", after, rows(board), (i, j))
    for cell in taken:
        call("result", FAILS, rows(board), cell)
    return wrong


class _Fails:
    def __repr__(self) -> str:
        return "an exception"


FAILS = _Fails()


def load(path: Path, seconds: float) -> Any:
    """Import a user's file, whose folder comes first among the places of its imports."""
    sys.path[0], sys.argv = str(path.parent), [str(path)]
    source = path.read_bytes()
    if b"numpy" in source:
        with contextlib.suppress(ImportError):
            importlib.import_module("numpy.random")
    name = path.stem if path.stem not in sys.modules else f"{path.stem}_"
    found = importlib.util.spec_from_file_location(name, path)
    if found is None or found.loader is None:
        raise ValueError("it is no Python file")
    sys.modules[name] = module = importlib.util.module_from_spec(found)
    limit = sys.setrecursionlimit
    sys.setrecursionlimit = lambda most: limit(min(most, RECURSION))
    seed("")
    try:
        with limited(seconds):
            found.loader.exec_module(module)
    except LateError:
        raise ValueError(
            f"it was not imported within {seconds:g} s: put the game under"
            " `if __name__ == '__main__':`"
        ) from None
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # including SystemExit
        if str(error) == QUIET:
            raise ValueError(QUIET) from None
        line = getattr(error, "lineno", None)
        where = f" in line {line}" if line else ""
        why = short(f"{type(error).__name__}: {error}", plainly=True)
        raise ValueError(f"importing it raised {why}{where}") from None
    return module


def _refuse_input(*_: Any) -> str:
    raise EOFError(QUIET)


def introduced(given: dict[str, Any]) -> tuple[Any, Bot, Trial | None, dict[str, Any]]:
    """Import a file and find its bot; return both with the answer to the first message."""
    module = load(Path(given["path"]), given["seconds"])
    bot = Bot(module, given["n"])
    has = all(callable(vars(module).get(name)) for name in (*COURSE, "minimax"))
    if "course" in given:
        return module, bot, None, {"course": has}
    if has and vars(module).get("EMPTY") is None and not given["function"] + given["form"]:
        given |= {"function": "minimax", "form": OF_COURSE}
    probes = [(board, good) for board, good in given["probes"]]
    search = Search(bot, probes, given["seconds"], given["function"], given["form"])
    begun = time.monotonic()
    best = search.found()
    words = best.form.described(len(probes[0][0]) // bot.n, bot.n)
    told = {"function": best.name, "form": str(best.form), "words": words, "seats": best.seats}
    return module, bot, best, {**told, "slow": time.monotonic() - begun > SLOW}


def main() -> None:
    """Answer the messages on standard input, which the bot does not see."""
    requests, answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    builtins.input = _refuse_input
    given = json.loads(requests.readline())
    try:
        module, bot, best, told = introduced(given)
    except ValueError as error:
        module, bot, best, told = None, Bot(None, 1), None, {"error": str(error)}
    print(json.dumps(told), file=answers, flush=True)
    for line in requests:
        if line == "quit\n":
            return
        asked = json.loads(line)
        if best is None:
            reply: dict[str, Any] = course(module, asked["board"], asked, given["seconds"])
        else:
            reply = cells(bot, best, asked["board"], given["seconds"])
        print(json.dumps(reply), file=answers, flush=True)


if __name__ == "__main__":
    main()
