"""Players queried on one image of each board, so that symmetric boards get symmetric moves.

A player is *equivariant*, and declares so by its trait, if the canonical images of the boards after
its moves have the same probabilities on every image of a board. Which of several symmetric moves it
plays makes no difference: on the empty board of 3,3,3 it may open in a certain corner.
"""

import numpy as np

from tttenv.exact import enumerable, tabulate
from tttenv.game.symmetry import canonical, inverses, maps
from tttenv.game.types import Boards, Mask, Probs
from tttenv.policy import Explanation, Player, Wrapped


def canonical_player(player: Player) -> Player:
    """Return `Canonical(player)`, as a table if the game can be enumerated."""
    made = Canonical(player)
    table = enumerable(player.rules) and made.traits.depends_on is None
    return tabulate(player.rules, made) if table else made


class Canonical(Wrapped):
    """An equivariant player that queries another one on canonical boards and maps moves back."""

    def __init__(self, player: Player) -> None:
        super().__init__(player, equivariant=True)
        self.back = inverses(player.rules)

    def __call__(self, boards: Boards) -> Probs:
        """Return move probabilities (batch, cells) for boards (batch, cells)."""
        images, which = canonical(self.rules, boards)
        return np.take_along_axis(self.player(images), self.back[which], axis=1)

    def unmasked(self, boards: Boards) -> Probs | None:
        """Return the other player's probabilities on all cells of canonical images, mapped back."""
        images, which = canonical(self.rules, boards)
        found = self.player.unmasked(images)
        return None if found is None else np.take_along_axis(found, self.back[which], axis=1)

    def explain(self, board: Boards) -> Explanation | None:
        """Return the other player's explanation on the canonical image, mapped back."""
        images, which = canonical(self.rules, board[None])
        found = self.player.explain(images[0])
        if found is None:
            return None
        cells: list[int] = maps(self.rules)[which[0]].tolist()
        candidates = [
            one._replace(cell=cells[one.cell], line=tuple(cells[cell] for cell in one.line))
            for one in found.candidates
        ]
        return found._replace(candidates=candidates)

    def holds(self, boards: Boards) -> Mask:
        """Return the boards from whose canonical images the other player cannot lose."""
        return self.player.holds(canonical(self.rules, boards)[0])
