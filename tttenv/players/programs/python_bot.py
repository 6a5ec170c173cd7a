"""Player backed by a Python file of the user, as it is: `python:path=bot.py`, or just `bot.py`.

The file is imported in a process of its own, as `external` runs programs, with your permissions and
only if a spec names it. How its function is called and how its answer is read follows from its
answers to some fifty boards: of the forms in `bot_forms.json` in which all of them are legal, the
one in which it most often keeps the value. The form is logged, and no form means no player.

It is queried anew each time, so a clock or a memory is found where an exact result queries twice.
`random` and `numpy.random` are seeded from the board; a bot that uses them is queried 40 times, and
plays its answers as often as they came. An answer that is no legal move loses the game.
"""

import json
import logging
import os
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from tttenv.exact import positions, solve
from tttenv.game.rules import Rules
from tttenv.game.types import Boards, Mask
from tttenv.players import player
from tttenv.players.programs.bot_forms import Form, side_of
from tttenv.players.programs.bot_process import REPEATS
from tttenv.players.programs.program_player import Program, ProgramError, ProgramPlayer
from tttenv.policy import sample, uniform
from tttenv.utils.arrays import at_least

PROCESS = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parents[1])!r})
from programs.bot_process import main
main()
"""
LONGEST = 4000  # bytes of an answer
FINDING = 600.0  # seconds to import the file and to find the form of its bot
GRACE = 5.0  # seconds that a process may answer later than its bot has to
GAMES = 1000  # random games that the probe boards are from
SOLVED = 9  # cells of the largest board whose probes know all moves that keep the value
CRITICAL = 24  # probe boards with a move to find
_logger = logging.getLogger("tttenv")
_logged: set[str] = set()


def started() -> Program:
    """Start a process for a user's file, which is named in the first message to it."""
    return Program(shlex.join([sys.executable, "-B", "-P", "-c", PROCESS]), LONGEST)


def exchange(program: Program, limit: float, **message: Any) -> dict[str, Any]:
    """Send a message to a process, and return its reply.

    Args:
        program: the process of `started`.
        limit: the seconds that the bot may take.
        message: its entries, as JSON.

    Raises:
        ProgramError: if the process fails, or replies something else.
    """
    program.write(f"{json.dumps(message)}\n", limit + GRACE)
    line = program.read_line()
    try:
        return dict(json.loads(line))
    except (ValueError, TypeError):
        raise ProgramError(f"answered {line[:60]!r}") from None


class PythonBot(ProgramPlayer):
    """A player backed by a function of a Python file; see the module."""

    cached = False  # which would hide a memory

    def __init__(self, rules: Rules, path: str, function: str, form: str, timeout: float) -> None:
        super().__init__(rules, path, started, forfeits=True)
        self.timeout = timeout
        self.wanted = {"function": function, "form": form}
        self.found: dict[str, Any] = {}
        self.drawn: set[str] = set()  # boards on which it drew random numbers
        self.illegal: dict[str, str] = {}  # what happened instead of a legal answer, by board
        self.query(None)

    def handshake(self, program: Program) -> None:
        """Import the file in the process, and find the bot's form, which is logged once.

        Raises:
            ProgramError: if the import fails, or no form is found.
        """
        found = exchange(
            program,
            FINDING,
            path=os.path.abspath(self.command),
            n=self.rules.n,
            seconds=self.timeout,
            probes=probe_boards(self.rules),
            **self.wanted,
        )
        if "error" in found:
            raise ProgramError(f"is not understood: {found['error']}")
        if not found.keys() >= {"function", "form", "words", "seats", "slow"}:
            raise ProgramError("answers in the place of the process that asks it")
        if self.found:  # it was restarted
            return
        self.found = found
        self.wanted = {key: found[key] for key in self.wanted}
        note = f"{self.command}, {found['function']} is read as: {found['words']}"
        self.traits = replace(self.traits, searches=found["slow"])
        if len(found["seats"]) == 1:
            self.traits = replace(self.traits, seat=found["seats"])
            note += f"; it plays {found['seats']} only"
        if note not in _logged:
            _logged.add(note)
            _logger.warning("%s (form=%s)", note, found["form"])

    def ask(self, program: Program, board: Boards) -> list[int]:
        """Return the cells that the bot plays equally often on a board (cells,), [] to forfeit.

        Raises:
            ProgramError: if the process fails, or the bot's answer depends on more than the board.
        """
        text = self.rules.format(board)
        seconds = REPEATS * self.timeout
        found = exchange(program, seconds, board=text)
        if "varies" in found:
            raise ProgramError(str(found["varies"]))
        cells: list[int] = found.get("cells", [])
        if not set(cells) <= set(np.flatnonzero(board == 0).tolist()):
            raise ProgramError(f"answered {str(cells)[:60]}")
        if len(cells) > 1:
            self.drawn.add(text)
        if not cells:
            self.illegal[text] = str(found.get("error"))
        return cells

    def particulars(self) -> dict[str, Any]:
        """Return the bot's function and form."""
        return {key: self.found[key] for key in ("function", "form", "words", "seats")}

    def summary(self) -> str:
        """Say whether random numbers were drawn, and where there was no legal answer."""
        notes = []
        if self.drawn:
            notes.append(f"draws random numbers: judged by {REPEATS} answers to each board")
        seats = self.found["seats"]
        boards = [one for one in self.illegal if side_of(one) in seats]
        if boards:
            count = f"{len(boards):,} board{'s' * (len(boards) != 1)}"
            notes.append(f"no legal answer on {count}: {self.illegal[boards[0]]}")
        return "; ".join(notes)


def probe_boards(rules: Rules) -> list[tuple[str, list[int]]]:
    """Return boards on which forms are tried, the fullest first, with moves that keep their value.

    Beyond 9 cells these are wins and blocks in one. The boards are from random games; there is one
    for each cell that may be the last empty one.
    """
    rng, boards = np.random.default_rng(0), rules.start(GAMES)
    by_stones: list[Boards] = []
    while len(boards):
        by_stones.append(np.unique(boards, axis=0))
        boards = rules.play(boards, sample(uniform(boards), rng.random(len(boards))))
        boards = boards[~rules.over(boards)]
    chosen: list[Boards] = []
    for stones, some in reversed([*enumerate(by_stones)]):
        left, some = rules.cells - stones, rng.permutation(some)
        if left < 3:
            _, first = np.unique((some == 0).argmax(axis=1), return_index=True)
            chosen.append(some[first])
        elif stones < 3:
            chosen.append(some[: 1 + stones])
        else:
            few = _keeping(rules, some).sum(axis=1)
            least = np.argsort(few, kind="stable")
            chosen.append(some[least[: -(-CRITICAL // max(rules.cells - 5, 1))]])
    found = np.concatenate(chosen)
    kept = [np.flatnonzero(row).tolist() for row in _keeping(rules, found)]
    return list(zip(map(rules.format, found), kept, strict=True))


def _keeping(rules: Rules, boards: Boards) -> Mask:
    """Return the moves (batch, cells) that keep a board's value, or those of `tactical`."""
    if rules.cells > SOLVED:
        return np.asarray(player("tactical", rules)(boards) > 0)
    return solve(rules).optimal[positions(rules).index(boards)]


def python(
    rules: Rules, path: str = "", function: str = "", form: str = "", timeout: float = 120.0
) -> ProgramPlayer:
    """Return a player that calls a function of a Python file.

    Args:
        rules: the game.
        path: the file.
        function: the function that chooses a move, or Class.method; if omitted, it is looked for.
        form: how it is called and answers, such as rows/XO-null/board/pair; if omitted, it is
            found by the bot's answers.
        timeout: maximum seconds for a move, and for the import.

    Raises:
        ValueError: for a missing file, limits out of range, a file that fails when it is imported,
            or a bot that answers in no known form.
    """
    if not path:
        raise ValueError("python needs your file: python:path=bot.py")
    if not Path(path).is_file():
        raise ValueError(f"there is no file {path}")
    at_least(0.001, timeout=timeout)
    if form:
        Form.of(form)
    return PythonBot(rules, path, function, form, timeout)
