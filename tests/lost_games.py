"""Lost games of players, replayed move by move."""

from collections.abc import Sequence

from tttenv.game.rules import Rules
from tttenv.policy import Policy


def require_lost_by_own_moves(rules: Rules, policy: Policy, seat: str, line: Sequence[int]) -> None:
    """Check that the line is a legal game lost by the player's own moves, or by its forfeit."""
    board = rules.start()
    for stones, cell in enumerate(line):
        assert rules.legal(board)[cell]
        assert "XO"[stones % 2] != seat or policy(board[None])[0, cell] > 0
        board = rules.play(board, cell)
    assert "XO"[len(line) % 2] == seat
    assert rules.lost(board) or not policy(board[None]).any()
