"""Simulated user of a terminal: runs a script behind a pseudo-terminal, types, and reads."""

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
CTRL_C, CTRL_D = "\x03", "\x04"
TIME_LIMIT = 30  # seconds


def _take_the_terminal() -> None:
    """Set up the child's terminal, so that Ctrl-C ends it even if it was ignored before."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGINT, signal.default_int_handler)


class Typist:
    """Script on a terminal of its own; `expect` reads on, `type` sends a line."""

    def __init__(self, *arguments, colours=False):
        self.screen, inner = pty.openpty()
        more = {"PYTHONPATH": str(ROOT), "TERM": "xterm", "NO_COLOR": "1"}
        if colours:
            del more["NO_COLOR"]
        self.child = subprocess.Popen(
            [sys.executable, str(ROOT / "scripts" / "play.py"), *arguments],
            stdin=inner,
            stdout=inner,
            stderr=inner,
            env={**{k: v for k, v in os.environ.items() if k != "NO_COLOR"}, **more},
            start_new_session=True,
            preexec_fn=_take_the_terminal,
        )
        os.close(inner)
        self.shown, self.read = "", 0  # all output, and how much of it was expected so far

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.kill()
        self.child.wait()
        os.close(self.screen)

    def expect(self, pattern):
        """Wait for a pattern in new output, and return the match."""
        end = time.monotonic() + TIME_LIMIT
        while not (found := re.compile(pattern).search(self.shown, self.read)):
            assert self._listen(end), f"no {pattern!r} in {self.shown[self.read :]!r}"
        self.read = found.end()
        return found

    def type(self, *lines):
        """Type lines, each after a prompt for it."""
        for line in lines:
            self.expect(r"> $")
            os.write(self.screen, f"{line}\n".encode())

    def press(self, key):
        """Press a control key at the prompt, as soon as a person could."""
        self.expect(r"> $")
        time.sleep(0.3)
        os.write(self.screen, key.encode())

    def end(self, again=None):
        """Wait for the end, pressing the key `again` until then; return the exit status."""
        until = time.monotonic() + TIME_LIMIT
        while time.monotonic() < until:
            if self._listen(time.monotonic() + 3):
                continue
            with contextlib.suppress(subprocess.TimeoutExpired):
                return self.child.wait(3)
            if again:
                os.write(self.screen, again.encode())
        return self.child.wait(0)

    def _listen(self, end):
        ready, _, _ = select.select([self.screen], [], [], max(0, end - time.monotonic()))
        try:
            some = os.read(self.screen, 65536) if ready else b""
        except OSError:  # Linux: the other side is closed
            some = b""
        self.shown += some.decode().replace("\r\n", "\n")
        return bool(some)
