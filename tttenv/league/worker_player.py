"""Players evaluated by workers, in processes on this machine or on a Ray cluster.

A certificate queries its player on thousands of boards at a time; a player that searches each of
them takes nearly all of the time. Such a player is queried board by board, so its outputs, and
with them the certificate, are the same with any number of workers.
"""

from functools import lru_cache

import numpy as np

from tttenv.game.rules import Rules
from tttenv.game.types import Boards, Probs
from tttenv.parallel import Backend, Context, Task, run
from tttenv.players import player
from tttenv.players.digests import digests
from tttenv.policy import Player, Wrapped

MOST = 256  # maximum boards of a task
TASKS = 4  # per worker and query, so that all end at about the same time


class WorkerPlayer(Wrapped):
    """A player evaluated by workers, whose context has been entered, by its spec."""

    def __init__(self, backend: Backend, spec: str, player: Player) -> None:
        super().__init__(player, one_by_one=False, alone=True)
        self._backend, self._spec, self._files = backend, spec, digests(spec)

    def __call__(self, boards: Boards) -> Probs:
        """Return probabilities (batch, cells) for undecided boards (batch, cells)."""
        size = min(max(-(-len(boards) // (TASKS * self._backend.room())), 1), MOST)
        about, found = (self._spec, str(self.rules), tuple(self._files)), np.zeros(boards.shape)
        starts = range(0, len(boards), size)
        tasks = [Task(self._spec, answer, (*about, boards[at : at + size])) for at in starts]
        for outcome in run(tasks, self._backend):
            if outcome.error:
                raise ValueError(outcome.error)
            first = outcome.number * size
            found[first : first + size] = outcome.value
        return found


def worth_sharing(player: Player) -> bool:
    """Return whether workers speed up a player because it is queried board by board.

    A language model is not shared: its server answers many prompts at the same time.
    """
    traits = player.traits
    return not traits.costly and (traits.one_by_one or (traits.searches and traits.alone))


def answer(given: tuple[str, str, tuple[str, ...], Boards], context: Context) -> list[list[float]]:
    """Return the probabilities of a task's player for each of its boards."""
    spec, rules, files, boards = given
    if digests(spec) != [*files]:
        raise ValueError("its files have changed, or differ on the worker")
    known = _player(spec, rules, files)
    each = 1 if known.traits.one_by_one else max(len(boards), 1)
    found = [known(boards[at : at + each]) for at in range(0, len(boards), each)]
    probs: list[list[float]] = np.concatenate(found).tolist()  # which JSON keeps exactly
    return probs


@lru_cache(maxsize=1)
def _player(spec: str, rules: str, files: tuple[str, ...]) -> Player:
    """Return the player of a spec whose files have these digests."""
    return player(spec, Rules.of(rules))
