"""Players whose boards are answered by workers: processes of this machine, or a Ray cluster."""

import platform

import numpy as np

from tttenv.game.rules import Rules
from tttenv.game.types import Boards, Probs
from tttenv.parallel import Common, Context, Crew
from tttenv.parallel.crew import packed, unpacked
from tttenv.parallel.tasks import Work
from tttenv.players import player as new_player
from tttenv.players.digests import digests
from tttenv.policy import Player, Wrapped

SEARCHED, EVALUATED = 4, 1024  # boards in a task of a player that searches, and of another one


class Answered(Wrapped):
    """A player whose boards workers answer, in blocks that do not depend on their number.

    Args:
        player: the player; it answers everything else itself.
        crew: the workers.
        work: a module-level function of boards (block, cells) and a `Context`, which returns the
            player's probabilities (block, cells) by `packed`.
        common: from which it creates the player.
        block: boards in a task.
    """

    def __init__(self, player: Player, crew: Crew, work: Work, common: Common, block: int) -> None:
        super().__init__(player, one_by_one=False)
        self.crew, self.work, self.common, self.block = crew, work, common, block

    def __call__(self, boards: Boards) -> Probs:
        """Return move probabilities (batch, cells) for boards (batch, cells)."""
        parts = [boards[at : at + self.block] for at in range(0, len(boards), self.block)]
        found = self.crew.answers(self.work, parts, self.common)
        return np.concatenate([unpacked(text)[0] for text in found] or [np.zeros(boards.shape)])


def answered(spec: str, player: Player, crew: Crew) -> Answered:
    """Return a named player whose boards workers answer, each by its own player of that name.

    Args:
        spec: the player's name with options, or its folder, which each worker reads.
        player: the player.
        crew: the workers.

    Raises:
        ValueError: for a player that counts its answers, as language models do; when queried, if a
            worker finds other files.
    """
    if player.traits.costly:
        raise ValueError(
            f"{player.name} counts its answers in one process: its option concurrency, if it has"
            " one, is the number of boards that it answers at the same time"
        )
    slow = player.traits.one_by_one
    block = 1 if slow else SEARCHED if player.traits.searches else EVALUATED
    common = Common.of((spec, str(player.rules), digests(spec)))
    return Answered(player, crew, _answer, common, block)


def _answer(boards: Boards, context: Context) -> str:
    """Return a named player's probabilities for some boards."""

    def make(value: tuple[str, str, list[str]]) -> Player:
        spec, rules, files = value
        if digests(spec) != files:
            raise ValueError(f"{platform.node()} has other files of the player {spec}")
        return new_player(spec, Rules.of(rules))

    return packed(context.common.once("player", make)(boards))
