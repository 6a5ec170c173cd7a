"""Line planes of a position, against plain Python, and verdicts, against the prover."""

import numpy as np
import pytest
from played_boards import played_boards

from tttenv import Rules
from tttenv.game.line_board_kernel import NONE, new_line_board, set_stones
from tttenv.game.line_planes_kernel import (
    LOSING,
    MINE,
    ON_BOARD,
    PLANES,
    POTENTIAL,
    THEIRS,
    THREAT_FIRST,
    THREAT_SEQUENCE,
    TWO_SHORT,
    WINS,
    new_plane_lines,
    write_line_planes,
)
from tttenv.game.outcomes_kernel import UNPROVEN, WON
from tttenv.game.symmetry import maps
from tttenv.game.threat_sequences_kernel import judge, new_threat_stack
from tttenv.proofs.prover import Prover

BOARDS = [(2, 3, 2), (3, 3, 3), (3, 4, 3), (4, 4, 4), (4, 5, 3), (6, 6, 5)]


def planes_of(rules, boards):
    planes = np.zeros((len(boards), PLANES, rules.cells), np.float32)
    write_line_planes(boards, new_plane_lines(rules, 100), planes)
    return planes


def plain_planes(rules, board):
    """Return all planes except those of threats, by their definition."""
    planes = np.zeros((PLANES, rules.cells))
    planes[MINE], planes[THEIRS], planes[ON_BOARD] = board == 1, board == -1, 1
    for line in rules.lines.tolist():
        for side, stone in enumerate((1, -1)):
            own = sum(board[cell] == stone for cell in line)
            if any(board[cell] == -stone for cell in line):
                continue
            for cell in line:
                if board[cell] == 0:
                    planes[POTENTIAL + side, cell] += 2.0 ** (own - rules.k + 1)
                    planes[WINS + side, cell] = max(planes[WINS + side, cell], own == rules.k - 1)
                    planes[TWO_SHORT + side, cell] += 0.5 * (own == rules.k - 2)
    planes[POTENTIAL : POTENTIAL + 2] = np.minimum(planes[POTENTIAL : POTENTIAL + 2], 4)
    return planes


@pytest.mark.parametrize("size", BOARDS)
def test_planes_are_what_their_definition_says(size):
    rules = Rules(*size)
    boards = played_boards(rules, 200)
    for board, planes in zip(boards, planes_of(rules, boards), strict=True):
        wanted = plain_planes(rules, board)
        assert planes[:THREAT_FIRST] == pytest.approx(wanted[:THREAT_FIRST])


@pytest.mark.parametrize("size", [(3, 3, 3), (4, 5, 3), (4, 4, 3), (5, 5, 4)])
def test_a_side_shown_to_win_by_threats_wins_by_the_first_of_them(size):
    rules = Rules(*size)
    boards = played_boards(rules, 400)
    prover, shown = Prover(rules), 0
    for board, planes in zip(boards, planes_of(rules, boards), strict=True):
        first = np.flatnonzero(planes[THREAT_FIRST])
        sequence = planes[THREAT_SEQUENCE] > 0
        assert len(first) <= 1
        assert not len(first) or sequence[first[0]]
        assert not (sequence & (board != 0)).any()
        if len(first):
            shown += 1
            assert not planes[WINS].any()
            after = rules.play(board, int(first[0]))
            assert prover.prove(after).value == (1 if rules.seat(board) == 0 else -1)
    assert shown > 5


@pytest.mark.parametrize("size", [(3, 3, 3), (4, 4, 3), (5, 5, 4)])
def test_losing_moves_are_shown_where_lines_decide_and_only_there(size):
    rules = Rules(*size)
    boards = played_boards(rules, 300)
    prover, stack = Prover(rules), new_threat_stack(rules.cells)
    lines = new_line_board(rules)
    shown = 0
    for board, planes in zip(boards, planes_of(rules, boards), strict=True):
        assert not planes[LOSING][board != 0].any()
        wins = planes[WINS].astype(bool)
        for cell in np.flatnonzero((board == 0) & ~wins).tolist():
            after = rules.play(board, cell)
            set_stones(lines, after)
            loses = judge(lines, 0, stack, 100)[0] == WON
            assert planes[LOSING, cell] == loses, rules.format(board)
            if loses:
                shown += 1
                assert prover.prove(after).value == (1 if rules.seat(after) == 0 else -1)
    assert shown > 50


@pytest.mark.parametrize("size", BOARDS)
def test_images_of_a_board_have_images_of_its_planes(size):
    rules = Rules(*size)
    boards = played_boards(rules, 50)
    planes = planes_of(rules, boards)
    for turn in maps(rules):
        images = planes_of(rules, np.ascontiguousarray(boards[:, turn]))
        kept = [MINE, THEIRS, WINS, WINS + 1, TWO_SHORT, TWO_SHORT + 1, POTENTIAL, POTENTIAL + 1]
        assert images[:, kept] == pytest.approx(planes[:, :, turn][:, kept])


@pytest.mark.parametrize(
    ("size", "threats"),
    [((3, 3, 3), 0), ((3, 4, 3), 200), ((5, 5, 4), 0), ((5, 5, 4), 200), ((5, 5, 5), 200)],
)
def test_judgements_are_the_proved_values_and_forced_moves_are_forced(size, threats):
    rules = Rules(*size)
    prover, stack = Prover(rules), new_threat_stack(rules.cells)
    lines = new_line_board(rules)
    decided = set()
    for board in played_boards(rules, 300):
        for side in (0, 1):  # the same position, by either view
            set_stones(lines, board if side == 0 else -board)
            proof, forced = judge(lines, side, stack, threats)
            if proof != UNPROVEN:
                decided.add(proof)
                value = prover.prove(board).value
                assert proof == (value if rules.seat(board) == 0 else -value), rules.format(board)
            if forced != NONE:
                for cell in np.flatnonzero(board == 0):
                    after = rules.play(board, int(cell))
                    replies = [rules.play(after, int(c)) for c in np.flatnonzero(after == 0)]
                    assert cell == forced or any(map(rules.lost, replies))
    assert WON in decided
