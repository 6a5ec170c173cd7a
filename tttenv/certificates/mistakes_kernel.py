"""Compiled judging of a player's moves by threats, and of the opponent's attack."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tttenv.game.line_board_kernel import LineBoard, new_line_board, set_stones
from tttenv.game.rules import Rules
from tttenv.game.rules_kernel import Game, completes
from tttenv.game.threat_sequences_kernel import DRAW, WIN, ThreatStack, judge, new_threat_stack
from tttenv.game.types import Boards, Cells
from tttenv.utils.compiled import bare, compiled
from tttenv.utils.struct import Struct

OPEN, FAILED, DONE = 0, 1, 2  # the status of a position after the player's move


@dataclass(frozen=True, eq=False)
class Referee(Struct):
    """A board with working memory for threat search."""

    board: LineBoard  # side 0 is the player
    stack: ThreatStack
    threats: int  # maximum threats tried in the search for the opponent's win
    must_win: bool  # whether a draw is a failure


def new_referee(rules: Rules, threats: int, must_win: bool) -> Referee:
    """Create a referee with an empty board; the other arguments are as in `Referee`."""
    return Referee(new_line_board(rules), new_threat_stack(rules.cells), threats, must_win)


@bare
def judge_moves(
    boards: Boards, moves: Cells, game: Game, r: Referee, found: NDArray[np.int8]
) -> None:
    """Put the player's move on each board (batch, cells), and judge it.

    It is OPEN; FAILED if the opponent wins by threats, or if a draw is certain but not enough; or
    DONE if the player has won, or cannot lose and a draw is enough.
    """
    for i in range(len(boards)):
        boards[i, moves[i]] = 1
        if completes(boards[i], moves[i], game):
            found[i] = DONE
            continue
        set_stones(r.board, boards[i])
        proof, _ = judge(r.board, 1, r.stack, r.threats)
        if proof == WIN:
            found[i] = FAILED
        elif proof == DRAW:
            found[i] = FAILED if r.must_win else DONE
        else:
            hope = False  # for the side whose lines decide
            for line in range(len(r.board.lines)):
                if r.board.held[line, 1 if r.must_win else 0] == 0:
                    hope = True
                    break
            found[i] = OPEN if hope else FAILED if r.must_win else DONE


@compiled
def attack_scores(boards: Boards, lines: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the sum (batch,) of 4 ** stones over the opponent's open lines minus the player's."""
    scores = np.zeros(len(boards))
    for i in range(len(boards)):
        for line in lines:
            mine, theirs = 0, 0
            for cell in line:
                mine += boards[i, cell] == 1
                theirs += boards[i, cell] == -1
            if mine == 0:
                scores[i] += 4.0**theirs
            elif theirs == 0:
                scores[i] -= 4.0**mine
    return scores
