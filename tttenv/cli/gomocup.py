"""Run a player as a Gomocup engine, over standard input and output: `tttenv gomocup`."""

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from io import FileIO
from typing import Any, BinaryIO

from tttenv.cli import console
from tttenv.cli.options import Player
from tttenv.players import did_you_mean

PROG = "gomocup.py"
EXAMPLES = """
tttenv gomocup alphabeta:evaluator=patterns_15155
"""
STDOUT, STDERR = 1, 2  # file descriptors
CHUNK = 65_536  # bytes of an overlong line to read and discard at once


@dataclass(frozen=True)
class Arguments:
    """Run a player as an engine for a manager of the Gomocup protocol, such as Piskvork.

    A player is a name with options, like alphabeta:time=10, a trained player like selfplay, or the
    folder of a checkpoint; see tttenv certify --help for a list. A player with the option time=
    uses at most that, or less if the manager's limits are shorter; others ignore the limits.
    The rule is free style: five or more in a row win. Boards go up to 19 by 19.

    A manager expects one file whose name starts with pbrain-, such as this script:

      #!/bin/sh
      exec tttenv gomocup alphabeta:evaluator=patterns_15155,time=10
    """

    player: Player  # name[:option=value,...] or a checkpoint's folder
    k: int = 5  # stones in a row to win; managers only support five
    seed: int = 0  # random seed of players that sample their moves


def main(args: list[str], prog: str = PROG) -> None:
    """Reply to a manager's commands until END or the end of input."""
    given = console.parse(Arguments, prog, args, examples=EXAMPLES)
    console.check_seed(given.seed)
    from tttenv.cli.gomocup_engine import LONGEST_LINE, Engine

    require_player(given)
    engine = Engine(given.player, given.k, given.seed)
    with redirected_output() as output, suppress(BrokenPipeError):  # the manager may leave
        for line in lines(sys.stdin.buffer, LONGEST_LINE):
            answer = engine.answer(line.decode("ascii", "replace"))
            if answer is not None:
                output.write(f"{answer}\n".encode("ascii"))
            if engine.over:
                return


def require_player(given: Arguments) -> None:
    """Create the player on a small board, so that an invalid one fails before any game.

    Raises:
        ValueError: as `tttenv.player`, and for a checkpoint with another k.
    """
    from tttenv import Rules, player
    from tttenv.players import is_path, rules_of

    size = max(3, given.k)
    smallest = Rules(size, size, given.k)
    with did_you_mean(given.player):
        rules = rules_of(given.player) if is_path(given.player) else smallest
        player(given.player, rules)
    if rules.k != given.k:
        raise ValueError(
            f"{given.player} plays {rules}: announce it to managers with --k {rules.k}"
        )


def lines(stream: BinaryIO, longest: int) -> Iterator[bytes]:
    """Yield the lines of a stream, with overlong ones cut to `longest` + 1 bytes."""
    while data := stream.readline(longest + 1):
        yield data
        while data and not data.endswith(b"\n"):
            data = stream.readline(CHUNK)


def redirected_output() -> FileIO:
    """Return a file for replies; redirect other output to standard error."""
    sys.stdout.flush()
    answers: Any = os.fdopen(os.dup(STDOUT), "wb", buffering=0)
    os.dup2(STDERR, STDOUT)
    found: FileIO = answers
    return found
