"""Players whose boards are answered by workers: processes of this machine, or a Ray cluster."""

import platform
from functools import lru_cache
from typing import Any

import numpy as np

from tttenv.game.rules import Rules
from tttenv.game.types import Boards, Probs
from tttenv.parallel.tasks import Backend, Context, Work, answers
from tttenv.players import player as new_player
from tttenv.players.digests import digests
from tttenv.policy import Player, Wrapped

SEARCHED, EVALUATED = 4, 1024  # boards in a task of a player that searches, and of another one


class Answered(Wrapped):
    """A player whose boards workers answer, in blocks that do not depend on their number.

    Args:
        player: the player; it answers everything else itself.
        backend: the workers.
        work: a module-level function of `about` followed by boards (block, cells), and a `Context`;
            returns the player's probabilities (block, cells) as lists.
        about: from which it creates the player.
        block: boards in a task.
    """

    def __init__(
        self, player: Player, backend: Backend, work: Work, about: tuple[Any, ...], block: int
    ) -> None:
        super().__init__(player, one_by_one=False)
        self.backend, self.work, self.about, self.block = backend, work, about, block

    def __call__(self, boards: Boards) -> Probs:
        """Return move probabilities (batch, cells) for boards (batch, cells)."""
        blocks = [boards[at : at + self.block] for at in range(0, len(boards), self.block)]
        found = answers(self.work, [(*self.about, block) for block in blocks], self.backend)
        return np.array([row for rows in found for row in rows], float).reshape(boards.shape)


def answered(spec: str, player: Player, backend: Backend) -> Answered:
    """Return a named player whose boards workers answer, each by its own player of that name.

    Args:
        spec: the player's name with options, or its folder, which each worker reads.
        player: the player.
        backend: the workers.

    Raises:
        ValueError: for a player that counts its answers, as language models do.
    """
    if player.traits.costly:
        raise ValueError(
            f"{player.name} counts its answers in one process: its option concurrency, if it has"
            " one, is the number of boards that it answers at the same time"
        )
    slow = player.traits.one_by_one
    block = 1 if slow else SEARCHED if player.traits.searches else EVALUATED
    about = spec, str(player.rules), tuple(digests(spec))
    return Answered(player, backend, _answer, about, block)


def _answer(part: tuple[str, str, tuple[str, ...], Boards], _: Context) -> Any:
    """Return a named player's probabilities for some boards."""
    *about, boards = part
    return _player(*about)(boards).tolist()


@lru_cache(maxsize=1)
def _player(spec: str, rules: str, files: tuple[str, ...]) -> Player:
    """Return a worker's own player, if it has the same files."""
    if tuple(digests(spec)) != files:
        raise ValueError(f"{platform.node()} has other files of the player {spec}")
    return new_player(spec, Rules.of(rules))
