"""A player as an engine for Gomocup's managers, over standard input and output."""

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from io import FileIO
from typing import Any, BinaryIO

from tttenv.cli import console
from tttenv.players.hinting import hinting

PROG = "gomocup.py"
STDOUT, STDERR = 1, 2  # the numbers of their files
CHUNK = 65_536  # bytes of a line that is too long, read at once to be dropped


@dataclass(frozen=True)
class Arguments:
    """Let a manager of the Gomocup protocol, such as Piskvork, use a player as an engine.

    A player is a name with options, like alphabeta:time=10, a trained player like selfplay, or the
    folder of a checkpoint; tttenv certify --help lists them. One with the option time= thinks no
    longer than that, and shorter where the manager's limits say so; others play as they always do.
    The rule is free style: five or more in a row win. Boards go up to 19 by 19.

    A manager wants one file whose name begins with pbrain-, such as this script:

      #!/bin/sh
      exec tttenv gomocup alphabeta:time=10
    """

    player: console.Player  # name[:option=value,...] or a checkpoint's folder
    k: int = 5  # how many in a row win; managers know only five
    seed: int = 0  # of the dice of players that mix moves


def main(args: list[str], prog: str = PROG) -> None:
    """Answer a manager's lines until it says END or closes its side.

    Args:
        args: what was typed after the command's name.
        prog: the command's name, for its help and messages.
    """
    given = console.parse(Arguments, prog, args)
    console.check_seed(given.seed)
    from tttenv.cli.gomocup_engine import LONGEST_LINE, Engine

    require_player(given)
    engine = Engine(given.player, given.k, given.seed)
    if sys.stdin is None:  # closed when we started
        return
    with answers_alone_on_standard_output() as output:
        for line in lines(sys.stdin.buffer, LONGEST_LINE):
            answer = engine.answer(line.decode("ascii", "replace"))
            if answer is not None:
                output.write(f"{answer}\n".encode("ascii"))
            if engine.over:
                return


def require_player(given: Arguments) -> None:
    """Make the player once, on a small board, so that a wrong one is refused before any game.

    Raises:
        ValueError: as `tttenv.player`, and for a checkpoint of another number in a row.
    """
    from tttenv import Rules, player
    from tttenv.players import is_path, rules_of

    size = max(3, given.k)
    smallest = Rules(size, size, given.k)
    with hinting(given.player):
        rules = rules_of(given.player) if is_path(given.player) else smallest
        player(given.player, rules)
    if rules.k != given.k:
        raise ValueError(f"{given.player} plays {rules}: --k {rules.k} says so to managers")


def lines(stream: BinaryIO, longest: int) -> Iterator[bytes]:
    """The lines of a stream; of a longer one than `longest` bytes the beginning, a byte longer."""
    while data := stream.readline(longest + 1):
        yield data
        while data and not data.endswith(b"\n"):
            data = stream.readline(CHUNK)


def answers_alone_on_standard_output() -> FileIO:
    """A file for the answers; whatever else writes to standard output writes to standard error."""
    if sys.stdout is not None:
        sys.stdout.flush()
    answers: Any = os.fdopen(os.dup(STDOUT), "wb", buffering=0)
    try:
        os.dup2(STDERR, STDOUT)
    except OSError:  # it is closed
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, STDOUT)
        os.close(nowhere)
    found: FileIO = answers
    return found
