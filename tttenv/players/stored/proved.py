"""Player that wins by a proof, from the file in which the proof is saved."""

import numpy as np

from tttenv.game.rules import Rules
from tttenv.game.types import Boards, Probs
from tttenv.players.search.alphabeta import alphabeta
from tttenv.policy import Candidate, Explanation, Player, Wrapped
from tttenv.proofs import proof_file
from tttenv.proofs.strategy import Strategy
from tttenv.utils.untrusted import shown


class Proved(Wrapped):
    """Player that plays the moves of a proof on all boards that it covers, else another player's.

    See `tttenv.proofs.strategy` for why it then always wins.
    """

    def __init__(self, player: Player, strategy: Strategy, file: str) -> None:
        super().__init__(player, equivariant=False)
        self.strategy, self.file = strategy, file

    def __call__(self, boards: Boards) -> Probs:
        """Return move probabilities (batch, cells) for boards (batch, cells)."""
        boards = self.rules.check_all(boards)
        moves = self.strategy.moves(boards)
        probs = np.eye(self.rules.cells)[moves]
        other = moves < 0
        if other.any():
            probs[other] = self.player(boards[other])
        return probs

    def explain(self, board: Boards) -> Explanation | None:
        """Return the move of the proof, or else the other player's explanation."""
        board = self.rules.check(board)
        if self.strategy.moves(board[None])[0] < 0:
            return self.player.explain(board)
        line = tuple(self.strategy.line(board))
        note = f"it wins by the proof in {self.file}, without a search"
        return Explanation([Candidate(line[0], 1.0, line=line)], note=note)

    def proof(self, boards: Boards) -> str | None:
        """Return the SHA-256 of the proof's file if it covers all these boards, else None.

        Raises:
            ValueError: if a part of the proof is wrong.
        """
        if (self.strategy.moves(boards) < 0).any():
            return None
        self.strategy.verify()
        return self.strategy.digest


def proved(rules: Rules, path: str = "") -> Proved:
    """Return the player that wins by the proof in a file, on its board and on larger ones.

    It always wins as the side whose win is proved, from the position of the proof on; on a larger
    board that position is in the middle. On boards that the proof does not cover, and as the other
    side, it plays as `alphabeta` does without options. The proof is verified when the player is
    made; of one that is divided into parts, each when it is needed first.

    Args:
        rules: the game of the proof, or one with the same k on a larger board.
        path: the file, written by `tttenv prove` or `Proof.save`.

    Raises:
        ValueError: without a path, and for a file that is missing or proves no win in this game.
    """
    proof_file.rules_of(path)
    return Proved(alphabeta(rules), Strategy(path, rules), shown(path))
