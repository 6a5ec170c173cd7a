"""Player backed by a program in any language, over standard input and output.

    external:command=./bot
    external:command=(python3 bot.py --level 2),timeout=10

For each query one line is written to the program, which answers with one line:

    move 3 3 3 OOX_X_X__ O        m, n and k, the board row by row, and the side to move
    5                             the cell it plays, numbered row by row from 0
    4:0.5 5:0.5                   or the cells it may play, each with its probability

At the end it gets `quit` and the end of input. It must flush its output after every line; its
standard error is shown if it fails. A complete bot, which plays the first empty cell:

    #!/bin/sh
    while read -r word m n k board side; do
        [ "$word" = move ] || exit 0
        before=${board%%_*}
        echo ${#before}
    done

It is queried on each board once and the answer is cached, so it is a pure player and can be
certified even if it uses random numbers. If the cache would exceed a gigabyte, some six million
boards, the player raises an error, since it might otherwise answer a board in two ways.

A program that hangs, ends, or answers anything but legal moves is killed, and the error names the
board; with `forfeits=true` an answer without legal moves loses the game instead. An answer may be
up to 64 bytes long per cell of the board. The program runs with your permissions, without a shell,
and only if a spec names it. When the process that queries it ends, for whatever reason, the program
and its process group are killed; if forked copies of that process live on, with the last of them.
"""

import re

import numpy as np
from numpy.typing import NDArray

from tttenv.game.rules import Rules
from tttenv.game.types import Boards
from tttenv.players.programs.program_player import Program, ProgramError, ProgramPlayer
from tttenv.players.search.search_result import at_least

BYTES_A_CELL = 64  # of an answer: "360:0.12345678901234567 " has 24
ALLOWED = 1.0 + 1e-4  # maximum sum of probabilities
_WORD = re.compile(r"([+-]?[0-9]{1,9})(?::([0-9.eE+-]{1,40}))?")  # a cell, and its probability


class External(ProgramPlayer):
    """A player backed by a program that speaks the protocol of the module's docstring."""

    def __init__(self, rules: Rules, command: str, timeout: float, forfeits: bool) -> None:
        super().__init__(rules, command, forfeits)
        self.timeout = timeout

    def launch(self) -> Program:
        """Start the program."""
        return Program(self.command, BYTES_A_CELL * self.rules.cells)

    def ask(self, program: Program, board: Boards) -> NDArray[np.float64]:
        """Return the program's probabilities (cells,) on a board (cells,); zeros if it forfeits."""
        rules, side = self.rules, "XO"[int(self.rules.seat(board))]
        for line in program.available_lines():
            raise ProgramError(f"wrote {line[:60]!r} before it was queried")
        question = f"move {rules.m} {rules.n} {rules.k} {rules.format(board)} {side}"
        program.write(f"{question}\n", self.timeout)
        line = program.read_line()
        try:
            return read(line, board)
        except ProgramError:
            if not self.traits.forfeits:
                raise
            return np.zeros(len(board))


def read(line: str, board: Boards) -> NDArray[np.float64]:
    """Parse the probabilities (cells,) for a board (cells,) from a line of output."""
    words = line.split()
    probs: NDArray[np.float64] = np.zeros(board.shape)
    for word in words:
        found = _WORD.fullmatch(word)
        if not found or not (found[2] or len(words) == 1):
            raise _rubbish(line)
        try:
            cell, probability = int(found[1]), float(found[2] or 1)
        except ValueError:
            raise _rubbish(line) from None
        if not 0 <= probability <= ALLOWED:
            raise _rubbish(line)
        if not 0 <= cell < len(board):
            raise ProgramError(f"plays cell {cell}, off the board")
        if board[cell] != 0 and probability > 0:
            raise ProgramError(f"plays cell {cell}, which is taken")
        probs[cell] += probability
    if not abs(probs.sum() - 1) <= 1e-4:
        raise _rubbish(line, f"; its probabilities sum to {probs.sum():g}" if words else "")
    probs /= probs.sum()
    return probs


def _rubbish(line: str, why: str = "") -> ProgramError:
    return ProgramError(f"answered {line[:60]!r}, not a cell or cells as in '4:0.5 5:0.5'{why}")


def external(
    rules: Rules, command: str = "", timeout: float = 5.0, forfeits: bool = False
) -> ProgramPlayer:
    """Return a player that queries another program.

    Args:
        rules: the game.
        command: the program and its arguments, split as a shell would.
        timeout: maximum seconds per move.
        forfeits: an answer without legal moves loses the game, instead of raising an error.

    Raises:
        ValueError: for limits out of range; when queried, if the program fails.
    """
    if not command.strip():
        raise ValueError("external needs the command of a program: external:command=./bot")
    at_least(0.001, timeout=timeout)
    return External(rules, command, timeout, forfeits)
