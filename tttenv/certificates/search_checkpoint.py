"""Files of unfinished certificates, from which long searches are resumed.

Unlike a proof, a certificate is not checked in the end: one that is resumed from a file is as
trustworthy as the file.
"""

import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

from tttenv.certificates.reachability import SearchState, SeatResults
from tttenv.exact.evaluation import SEATS
from tttenv.game.rules import Rules

KIND = "unfinished certificate of reachable positions, 2"
EVERY = 60.0  # seconds between saves
SHARE = 0.02  # maximum share of the time spent on saving; large files are saved less often
SHORT = 10.0  # seconds of search that are not worth a file
About: TypeAlias = Callable[[], Mapping[str, Any]]  # JSON-serializable values


class SearchCheckpoint:
    """A file that an unfinished certificate is saved to, about once a minute.

    It is deleted when the certificate is complete. Searches of less than a minute write nothing
    unless `save` is called, nor does a best-first attack.

    Args:
        file: the file.
        rules: the game.
        positions: the limit of positions per seat.
        about: returns whatever else the certificate depends on, such as a digest of the player's
            weights; called before the file is written or read. Keys complete the sentence "it was
            saved with another ...".
    """

    def __init__(self, file: Path, rules: Rules, positions: int, about: About) -> None:
        self.file, self._about = file, about
        self._fixed = {"game": str(rules), "limit of positions": positions}
        self.finished: dict[str, SeatResults] = {}  # by seat, in order
        self.state: SearchState | None = None  # of the next seat; None before its first query
        self._due: float | None = None  # on the monotonic clock

    @cached_property
    def about(self) -> dict[str, Any]:
        """Everything that the certificate depends on, JSON-serializable."""
        return {**self._fixed, **self._about()}

    @property
    def seat(self) -> str:
        """The seat in progress, or the last one."""
        return SEATS[: len(self.finished) + 1][-1]

    @property
    def asked(self) -> int:
        """Positions queried in both seats."""
        found = sum(results.positions for results in self.finished.values())
        return found + (self.state.asked if self.state else 0)

    def keep(self, state: SearchState) -> None:
        """Keep the state of the search, and save it if the last save is a minute ago."""
        self.state, now = state, time.monotonic()
        self._due = now + EVERY if self._due is None else self._due
        if now >= self._due:
            self._try_to_write()

    def finish(self, results: SeatResults) -> None:
        """Record the results of the seat in progress; after the last one, delete the file."""
        self.finished[self.seat], self.state = results, None
        if len(self.finished) == len(SEATS):
            self.file.unlink(missing_ok=True)
        elif self.file.exists():
            self._try_to_write()

    def save(self) -> bool:
        """Save an interrupted search unless it took only seconds; return whether it is saved."""
        long = self.state is not None and self.state.seconds >= SHORT
        if len(self.finished) == len(SEATS) or not (long or self.file.exists()):
            return False
        self._write()
        return True

    def _try_to_write(self) -> None:
        """Write the file; if that fails, warn and continue the search."""
        try:
            self._write()
        except OSError as error:
            warnings.warn(f"the unfinished certificate is not saved: {error}", stacklevel=2)
            self._due = time.monotonic() + EVERY

    def _write(self) -> None:
        from tttenv.utils import state_file  # which a short search does not need

        began = time.monotonic()
        content = {
            "about": self.about,
            "finished": {seat: asdict(results) for seat, results in self.finished.items()},
            "state": self.state and vars(self.state),
        }
        state_file.write(self.file, KIND, content)
        now = time.monotonic()
        self._due = now + max(EVERY, (now - began) / SHARE)

    def load(self) -> None:
        """Read the file, to continue from it, unless it was saved with another `about`."""
        from tttenv.utils import state_file

        content = state_file.read(self.file, KIND)
        for name, now in self.about.items():
            if content["about"].get(name) != now:
                raise ValueError(
                    f"{self.file} was saved with another {name}: continue with the same one, or"
                    " delete the file"
                )
        found = content["finished"].items()
        self.finished = {seat: SeatResults(**results) for seat, results in found}
        self.state = content["state"] and SearchState(**content["state"])
