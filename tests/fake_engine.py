"""Fake engines of the Gomocup protocol for tests, which play the first empty cell.

    python fake_engine.py SKIN [LOG]

A skin says in what the engine differs from a sound one. Lines that it reads go to the file LOG.
"""

import os
import signal
import sys
import time

FOREVER = 1000  # seconds


class Engine:
    """Valid engine; `ends` and `remarks` vary its output."""

    ends, remarks = "\n", ()

    def __init__(self, log):
        self.log, self.size, self.taken, self.asked = log, (0, 0), {}, 0

    def _say(self, text):
        sys.stdout.write(text + self.ends)
        sys.stdout.flush()

    def _run(self):
        while line := sys.stdin.readline():
            with open(self.log, "a") as log:
                log.write(line)
            command, _, argument = line.strip().partition(" ")
            handler = getattr(self, f"_{command.lower()}", None)
            if handler is None:
                self._say("UNKNOWN command")
            elif handler(argument) == "over":
                return

    def _start(self, argument):
        self.size, self.taken = (int(argument), int(argument)), {}
        self._say("OK")

    def _rectstart(self, argument):
        columns, rows = argument.split(",")
        self.size, self.taken = (int(columns), int(rows)), {}
        self._say("OK")

    def _info(self, argument):
        pass

    def _begin(self, argument):
        assert not self.taken
        self._move()

    def _turn(self, argument):
        column, row = map(int, argument.split(","))
        assert (column, row) not in self.taken
        self.taken[column, row] = 2
        self._move()

    def _board(self, argument):
        assert not self.taken, "the manager sends START first"
        while (line := sys.stdin.readline().strip()) != "DONE":
            with open(self.log, "a") as log:
                log.write(f"{line}\n")
            column, row, side = map(int, line.split(","))
            assert side in (1, 2)
            assert (column, row) not in self.taken
            self.taken[column, row] = side
        self._move()

    def _move(self):
        self.asked += 1
        for remark in self.remarks:
            self._say(remark)
        columns, rows = self.size
        cells = ((column, row) for row in range(rows) for column in range(columns))
        column, row = next(cell for cell in cells if cell not in self.taken)
        self.taken[column, row] = 1
        self._play(column, row)

    def _play(self, column, row):
        self._say(f"{column},{row}")

    def _end(self, argument):
        return "over"


def differing(**methods):
    """Return a valid engine with some methods replaced by functions or fixed texts."""

    def method(what):
        return what if callable(what) else lambda self, *_: self._say(what)

    plain = {"ends", "remarks"}
    made = {
        k if k in plain else f"_{k}": v if k in plain else method(v) for k, v in methods.items()
    }
    return type("Skin", (Engine,), made)


def hang(engine, *_):
    time.sleep(FOREVER)


def crash(engine, *_):
    print("oh no", file=sys.stderr)
    sys.exit(3)


def flood(text):
    def pour(engine, *_):
        while True:
            sys.stdout.write(text)

    return pour


def close_output(engine, *_):
    os.close(1)
    time.sleep(FOREVER)


class OnThirdBoard(Engine):
    """Engine that crashes on its third board."""

    def _play(self, column, row):
        if self.asked == 3:
            crash(self)
        super()._play(column, row)


REMARKS = ("MESSAGE depth 3", "message 7,7", "DEBUG", "SUGGEST 0,0", "UNKNOWN what", "ERROR 12", "")
SOUND = {
    "well-behaved": Engine,
    "CR LF": differing(ends="\r\n"),
    "remarks": differing(remarks=REMARKS * 100),
    "refuses INFO": differing(info="UNKNOWN info\nunknown: info\nERROR: info"),
    "spaces": differing(play=lambda engine, *cell: engine._say("  {} , {}  ".format(*cell))),
}
# Each with the verdict that it gets, and whether it is found out by a time limit.
FAILING = {
    "hangs at START": (differing(start=hang), "did not answer within 0.5 s", True),
    "hangs": (differing(play=hang), "did not answer within 0.5 s", True),
    "crashes in mid-game": (OnThirdBoard, "ended with exit status 3, saying 'oh no'", False),
    "crashes after a remark": (
        differing(play=lambda engine, *_: (engine._say("MESSAGE bye"), crash(engine))),
        "saying 'oh no'",
        False,
    ),
    "is killed": (
        differing(play=lambda engine, *_: os.kill(os.getpid(), signal.SIGKILL)),
        "was killed by signal 9, Killed",
        False,
    ),
    "refuses START": (differing(start="ERROR size"), "answered 'START 5' with 'ERROR size'", False),
    "rubbish at START": (differing(start="hello"), "answered 'START 5' with 'hello'", False),
    "a taken cell": (differing(play="0,0"), "plays 0,0, which is taken", False),
    "off the board": (differing(play="5,0"), "plays 5,0, off the board", False),
    "moves before it is asked": (differing(start="OK\n0,0\n1,1"), "before it was queried", False),
    "escapes": (differing(play="\033[2J"), "answered '\\x1b[2J', not a column", False),
    "answers twice": (
        differing(play=lambda engine, *cell: engine._say("{0},{1}\n{0},{1}".format(*cell))),
        "answered 'START 5' with '0,0', not with 'OK'",
        False,
    ),
    "a flood of rubbish": (differing(move=flood("x")), "65536 bytes without an end of", False),
    "endless remarks": (differing(move=flood("MESSAGE hi\n")), "wrote 10,000 lines", False),
    "closes its output": (differing(play=close_output), "closed its output", True),
}
SKINS = SOUND | {name: row[0] for name, row in FAILING.items()}


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")
    log = sys.argv[2] if len(sys.argv) > 2 else os.devnull
    SKINS[sys.argv[1]](log)._run()
