"""Players queried on one image of each board, so that symmetric boards get symmetric moves.

A player is *equivariant* if it plays images of a board in the same way. For a player that plays one
move, this means: for every board b and every symmetry g, the board after its move on g(b) has the
same canonical image as the board after its move on b. For a player that mixes moves, the canonical
images of the boards after its moves have the same probabilities on g(b) as on b. A search may
therefore keep one board of each symmetry class.

On boards that are their own image under some symmetry other than the identity, such as the empty
board, nothing more is required. A single move on such a board is its own image only if the symmetry
fixes its cell: on the empty board of 3,3,3 the player may open in a certain corner. On g(b) it may
play any image of the move on b.

A player declares itself equivariant by its trait `equivariant`.
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
    """A player that queries another one on canonical boards and maps the moves back.

    It is equivariant; see the module's docstring.
    """

    def __init__(self, player: Player) -> None:
        super().__init__(player, equivariant=True)
        self.back = inverses(player.rules)

    def __call__(self, boards: Boards) -> Probs:
        """Return move probabilities (batch, cells) for boards (batch, cells)."""
        images, which = canonical(self.rules, boards)
        return np.take_along_axis(self.player(images), self.back[which], axis=1)

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
