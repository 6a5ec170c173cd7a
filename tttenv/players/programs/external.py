"""Player backed by a program in any language, over standard input and output.

    external:command=./bot
    external:command=(python3 bot.py --level 2),timeout=10

For each query one line is written to the program, which answers with one line:

    move 3 3 3 OOX_X_X__ O        m, n and k, the board row by row, and the side to move
    5                             the cell it plays, numbered row by row from 0

At the end it gets `quit` and the end of input. It must flush its output after every line; its
standard error is shown if it fails. A complete bot, which plays the first empty cell:

    #!/bin/sh
    while read -r word m n k board side; do
        [ "$word" = move ] || exit 0
        before=${board%%_*}
        echo ${#before}
    done

It is queried on each board once and the answer is cached, so it is a pure player and can be
certified even if it uses random numbers. After four million boards the player raises an error,
since it might otherwise answer a board in two ways.

A program that hangs, ends, or answers anything but legal moves is killed, and the error names the
board; with `forfeits=true` an answer that is no legal move loses the game instead. An answer may be
up to 64 bytes long. The program runs with your permissions, without a shell, and only if a spec
names it. When the process that queries it ends, for whatever reason, the program
and its process group are killed; if forked copies of that process live on, with the last of them.
"""

import re
from functools import partial

from tttenv.game.rules import Rules
from tttenv.game.types import Boards
from tttenv.players.programs.program_player import Program, ProgramError, ProgramPlayer
from tttenv.utils.arrays import at_least

LONGEST = 64  # bytes of an answer
_CELL = re.compile(r"[+-]?[0-9]{1,9}")


class External(ProgramPlayer):
    """A player backed by a program that speaks the protocol of the module's docstring."""

    def __init__(self, rules: Rules, command: str, timeout: float, forfeits: bool) -> None:
        super().__init__(rules, command, partial(Program, command, LONGEST), forfeits)
        self.timeout = timeout

    def ask(self, program: Program, board: Boards) -> list[int]:
        """Return the program's cell on a board (cells,), [] to forfeit.

        Raises:
            ProgramError: if it fails, writes before it is queried or, unless it may forfeit,
                answers with no legal move.
        """
        rules, side = self.rules, "XO"[int(self.rules.seat(board))]
        for line in program.available_lines():
            raise ProgramError(f"wrote {line[:60]!r} before it was queried")
        question = f"move {rules.m} {rules.n} {rules.k} {rules.format(board)} {side}"
        program.write(f"{question}\n", self.timeout)
        line = program.read_line()
        try:
            return [_read(line, board)]
        except ProgramError:
            if not self.traits.forfeits:
                raise
            return []


def _read(line: str, board: Boards) -> int:
    """Parse the cell that is played on a board (cells,) from a line of output."""
    if not _CELL.fullmatch(line):
        raise ProgramError(f"answered {line[:60]!r}, not the number of a cell")
    cell = int(line)
    if not 0 <= cell < len(board):
        raise ProgramError(f"plays cell {cell}, off the board")
    if board[cell] != 0:
        raise ProgramError(f"plays cell {cell}, which is taken")
    return cell


def external(
    rules: Rules, command: str = "", timeout: float = 5.0, forfeits: bool = False
) -> ProgramPlayer:
    """Return a player that queries another program.

    Args:
        rules: the game.
        command: the program and its arguments, split as a shell would.
        timeout: maximum seconds per move.
        forfeits: an answer that is no legal move loses the game, instead of raising an error.

    Raises:
        ValueError: for limits out of range; when queried, if the program fails.
    """
    if not command.strip():
        raise ValueError("external needs the command of a program: external:command=./bot")
    at_least(0.001, timeout=timeout)
    return External(rules, command, timeout, forfeits)
