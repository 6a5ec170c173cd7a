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

A player declares itself equivariant by setting its attribute `equivariant` to True.
"""

import numpy as np

from tttenv.exact import Tabulated, enumerable
from tttenv.game.rules import Rules
from tttenv.game.symmetry import canonical, inverses, maps
from tttenv.game.types import Boards, Probs
from tttenv.players.search_result import Explanation, explain, mapped
from tttenv.policy import Policy


def canonical_player(rules: Rules, policy: Policy) -> Policy:
    """Return `Canonical(rules, policy)`, as a table if the game can be enumerated.

    Raises:
        ValueError: if the game can be enumerated, and the policy's output is invalid.
    """
    made = Canonical(rules, policy)
    table = enumerable(rules) and made.impure is None
    return CanonicalTable.of(rules, made) if table else made


class Canonical:
    """A player that queries another one on canonical boards and maps the moves back.

    Args:
        rules: the game.
        policy: the other player.

    Attributes:
        equivariant: True; see the module's docstring.
        impure: that of the other player, if it has one.
    """

    equivariant = True

    def __init__(self, rules: Rules, policy: Policy) -> None:
        self.rules, self.policy, self.back = rules, policy, inverses(rules)
        self.impure: str | None = getattr(policy, "impure", None)

    def __call__(self, boards: Boards) -> Probs:
        """Return move probabilities (batch, cells) for boards (batch, cells)."""
        images, which = canonical(self.rules, boards)
        return np.take_along_axis(self.policy(images), self.back[which], axis=1)

    def explain(self, board: Boards) -> Explanation:
        """Return the other player's explanation on the canonical image, mapped back."""
        images, which = canonical(self.rules, board[None])
        cells: list[int] = maps(self.rules)[which[0]].tolist()
        return mapped(explain(self.policy, images[0]), cells)


class CanonicalTable(Tabulated):
    """A `Canonical` player as a table over the positions of a small game."""

    equivariant = True
