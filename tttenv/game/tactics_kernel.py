"""Compiled tactics: positions decided by their lines, and forced moves."""

from tttenv.game.line_board_kernel import NONE, SEVERAL, LineBoard, empty_cell
from tttenv.game.threat_sequences_kernel import ThreatStack, winning_threats
from tttenv.utils.compiled import bare

WIN, DRAW, LOSS, UNPROVEN = 1, 0, -1, 2  # values for the side to move, no outcomes of games
NO_CELL = NONE


@bare
def judge(board: LineBoard, side: int, stack: ThreatStack, threats: int) -> tuple[int, int]:
    """Return a position's result if its lines decide it, and the forced move if there is one.

    The side to move wins if it completes a line or finds a sequence of single threats that wins. If
    it does not complete one, it loses if the other side threatens to complete lines on two cells,
    and has one move if that is one cell. Without an open line the game is drawn.

    Args:
        board: the position.
        side: the side to move, 0 or 1.
        stack: working memory for the threat search.
        threats: the number of threats to try; 0 for no search.

    Returns:
        The proof or UNPROVEN, and the only move or NO_CELL.
    """
    k = board.lines.shape[1]
    wanted, live, begun = NO_CELL, False, False
    for line in range(len(board.lines)):
        own, other = board.held[line, side], board.held[line, 1 - side]
        if own > 0 and other > 0:
            continue
        live = True
        if own == k - 1:
            return WIN, NO_CELL
        if other == k - 1:
            cell = empty_cell(board, line, -1)
            if wanted == NO_CELL:
                wanted = cell
            elif wanted != cell:
                wanted = SEVERAL
        begun = begun or (own == k - 2 and other == 0)
    if wanted == SEVERAL:
        return LOSS, NO_CELL
    if not live:
        return DRAW, NO_CELL
    if begun and threats > 0 and winning_threats(board, side, stack, wanted, threats) >= 0:
        return WIN, NO_CELL
    return UNPROVEN, wanted
