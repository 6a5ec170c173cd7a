"""Players whose boards are answered by workers: processes of this machine, or a Ray cluster."""

import numpy as np

from tttenv.game.types import Boards, Probs
from tttenv.parallel import Common, Crew
from tttenv.parallel.crew import unpacked
from tttenv.parallel.tasks import Work
from tttenv.policy import Player, Wrapped


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
