"""Player that uses a pairing strategy where one exists, and otherwise follows another player."""

import numpy as np

from tttenv.game.rules import require_line_wins
from tttenv.game.symmetry import canonical, inverses
from tttenv.game.types import Boards, Mask, Probs
from tttenv.players.search.pairing_moves_kernel import pairing_moves
from tttenv.policy import Explanation, Player, Wrapped, masked_normalise

COMPLETES = "it completes a line at once"
PAIRS = "it keeps to moves after which every open line of the other side has a pair to answer by"


class PairingPlayer(Wrapped):
    """Player that never loses from a board on which a pairing strategy exists.

    A move *keeps the pairs* if after it every line open to the other side has two empty cells of
    its own. If the other side then takes one cell of a pair, the player can take the other one, and
    the remaining lines still have their pairs. So once a move keeps the pairs, one does on every
    later board. It plays those of the other player, else the first. It takes a win first.
    """

    def __init__(self, player: Player) -> None:
        require_line_wins(player.rules, "pairing")
        super().__init__(player, pairs=True)

    def __call__(self, boards: Boards) -> Probs:
        """Return move probabilities (batch, cells) for boards (batch, cells)."""
        if not self.traits.equivariant:
            return self._play(boards)
        images, which = canonical(self.rules, boards)
        back = inverses(self.rules)[which]
        return np.take_along_axis(self._play(images), back, axis=1)

    def unmasked(self, boards: Boards) -> Probs | None:
        """Return what it plays if the other player is not masked, or None if that has no mask."""
        found = self.player.unmasked(boards)
        return None if found is None else self._paired(boards, found)

    def _play(self, boards: Boards) -> Probs:
        return self._paired(boards, self.player(boards))

    def _paired(self, boards: Boards, probs: Probs) -> Probs:
        """Return probabilities, on the moves that win or keep the pairs where there are some."""
        probs = np.array(probs, np.float64)
        wins = self.rules.winning_cells(boards, 1)
        kept = self._kept(boards)
        kept = np.where(wins.any(axis=1, keepdims=True), wins, kept)
        rows = np.flatnonzero(kept.any(axis=1))
        first = np.arange(self.rules.cells) == kept[rows].argmax(axis=1)[:, None]
        agreed = (probs[rows] * kept[rows]).sum(axis=1, keepdims=True) > 0
        probs[rows] = masked_normalise(probs[rows], np.where(agreed, kept[rows], first))
        return probs

    def explain(self, board: Boards) -> Explanation:
        """Return the other player's explanation, with a note if a pairing or a win overrides it."""
        found = self.player.explain(board) or Explanation([])
        if self.rules.winning_cells(board, 1).any():
            return found._replace(note=COMPLETES)
        return found._replace(note=PAIRS) if self.holds(board[None])[0] else found

    def holds(self, boards: Boards) -> Mask:
        """Return a mask (boards,) of the boards on which a pairing strategy exists."""
        return np.asarray(self._kept(boards).any(axis=1))

    def _kept(self, boards: Boards) -> Mask:
        """Return a mask (batch, cells) of the moves that keep a pairing strategy."""
        return pairing_moves(np.ascontiguousarray(boards), self.rules.lines)
