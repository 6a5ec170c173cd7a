"""Invalid lines for engines of the Gomocup protocol, mixed with some valid ones.

`python tests/hostile_lines.py COUNT [SEED]` sends so many to an engine of ours and prints figures.
"""

import contextlib
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[1]
SIZES = (0, 1, 4, 5, 6, 7, 15, 19, 20, 9999)
WORDS = (
    *(
        "START",
        "RECTSTART",
        "RESTART",
        "BEGIN",
        "TURN",
        "BOARD",
        "DONE",
        "TAKEBACK",
        "INFO",
        "ABOUT",
    ),
    *(
        "SWAP2BOARD",
        "PLAY",
        "start",
        "Begin",
        "TURN7,7",
        "OK",
        "MESSAGE",
        "UNKNOWN",
        "ERROR",
        "quit",
    ),
)
KEYS = (
    "timeout_turn",
    "time_left",
    "timeout_match",
    "max_memory",
    "rule",
    "folder",
    "evaluate",
    "x",
)
VALUES = (
    "0",
    "1",
    "-1",
    "4",
    "1000",
    "2147483647",
    "9" * 15,
    "9" * 400,
    "1e9",
    "nan",
    "",
    "/tmp",
    "\0",
)
ODD = (
    *(
        b"",
        b" ",
        b"\t\t",
        b"\0",
        b"\xff\xfe",
        b"\x1b[2J",
        b"\r",
        b"," * 50,
        b"-1,-1",
        b"7,7,1",
        b"7,7",
    ),
    *(
        b"\xd9\xa7,\xd9\xa7",
        b"TURN \xef\xbc\x97,\xef\xbc\x97",
        b"TURN 1e1,2",
        b"TURN 0x1,2",
        b"TURN 1.0,2",
        b"TURN +1,2",
    ),
    *(
        b"BEGIN BEGIN",
        b"TURN 7,7,1",
        b"TURN 7 7",
        b"START 15 15",
        b"START -5",
        b"RECTSTART 5",
        b"%s%n",
    ),
    *(
        b"x" * 1000,
        b"TURN " + b"7" * 5000 + b",7",
        b"INFO " + b"y" * 3000,
        b"../../etc/passwd",
        b"'\"`$(",
    ),
)


def hostile_line(dice: random.Random) -> bytes:
    """Return a line with its end; it is never END."""
    return _words(dice) + dice.choice((b"\n", b"\n", b"\r\n", b" \n"))


def _words(dice: random.Random) -> bytes:
    kind = dice.random()
    if kind < 0.45:  # moves and stones that may well be legal
        pair = f"{dice.randrange(8)},{dice.randrange(8)}"
        command = dice.choice(("TURN ", "TURN ", "TURN ", "TAKEBACK ", ""))
        return f"{command}{pair}{'' if command else dice.choice((',1', ',2'))}".encode()
    if kind < 0.75:
        return dice.choice(
            ("BEGIN", "RESTART", "BOARD", "DONE", "DONE", "ABOUT", "INFO rule 0")
        ).encode()
    if kind < 0.8:
        size = dice.choice(SIZES)
        command = dice.choice(
            (f"START {size}", f"RECTSTART {size},{dice.choice(SIZES)}", "START 7")
        )
        return command.encode()
    if kind < 0.87:
        return f"INFO {dice.choice(KEYS)} {dice.choice(VALUES)}".encode()
    if kind < 0.92:
        return f"{dice.choice(WORDS)} {dice.choice(VALUES)}".encode()
    if kind < 0.97:
        return dice.choice(ODD)
    return dice.randbytes(dice.randrange(60)).replace(b"\n", b"")


ANSWER = re.compile(rb"(?:\d+,\d+|OK|(?:ERROR|UNKNOWN) [ -~]{1,200}|name=\"[ -~]{1,200}\")\n")
LAST = b"DONE\nTHE LAST LINE\n"
ANSWERED_LAST = b"UNKNOWN command 'THE'\n"


@dataclass
class Driven:
    """Results of an engine that was sent such lines."""

    answers: Counter = field(default_factory=Counter)  # by their first word; "move" for moves
    wrong: list = field(default_factory=list)  # answers that no manager understands, some of them
    seconds: float = 0.0
    megabytes: float = 0.0  # its memory at its highest
    status: int | None = None
    errors: bytes = b""


def drive(lines, spec="first"):
    """Send lines to `tttenv gomocup SPEC`, then END, and read all answers."""
    found, begin = Driven(), time.monotonic()
    command = [sys.executable, "-m", "tttenv", "gomocup", spec]
    with (
        tempfile.TemporaryFile() as errors,
        subprocess.Popen(
            command,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
        ) as engine,
    ):
        feeder = threading.Thread(target=_feed, args=(engine.stdin, lines))
        feeder.start()
        for answer in engine.stdout:
            if answer == ANSWERED_LAST:
                status = Path(f"/proc/{engine.pid}/status").read_text()
                found.megabytes = int(re.search(r"VmHWM:\s*(\d+) kB", status)[1]) / 1024
                feeder.join()
                engine.stdin.write(b"END\n")
                engine.stdin.flush()
            word = answer.split(b" ")[0].strip().decode("ascii", "replace")
            found.answers["move" if "," in word else word.partition("=")[0]] += 1
            if not ANSWER.fullmatch(answer) and len(found.wrong) < 10:
                found.wrong.append(answer[:200])
        feeder.join()
        found.status = engine.wait(20)
        errors.seek(0)
        found.errors = errors.read(10_000)
    found.seconds = time.monotonic() - begin
    return found


def _feed(stream, lines):
    with contextlib.suppress(BrokenPipeError):
        for line in lines:
            stream.write(line)
        stream.write(LAST)
        stream.flush()


if __name__ == "__main__":  # python tests/hostile_lines.py COUNT [SEED]
    count, seed = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    dice = random.Random(seed)
    print(drive(hostile_line(dice) for _ in range(count)))
