"""Wording of the value of every move, on all positions."""

import numpy as np
import pytest
from reference import game, view

from tttenv import Rules, player
from tttenv.cli.play import words
from tttenv.cli.play.advice import Advice, Hint
from tttenv.cli.play.text_board import hint_lines

RULES = (3, 3, 3)
EVERY = game(RULES)
NAMES = [f"{column}{row}" for row in "123" for column in "abc"]


@pytest.fixture(scope="module")
def values():
    """Return each move's value and winner's remaining stones on the 4,520 undecided boards."""
    assert len(EVERY.decisions) == 4520
    return {
        board: {cell: EVERY.worth(board, cell) for cell in EVERY.after[board]}
        for board in EVERY.decisions
    }


def short(value, stones):
    return f"{'+' if value > 0 else '-'}{stones}" if value else "="


def sentence(board, moves, cell):
    """Return the expected sentence about a blunder, or None for a good move."""
    best = max(value for value, _ in moves.values())
    value, stones = moves[cell]
    if value == best:
        return None
    parts = []
    for distance in sorted({stones for value, stones in moves.values() if value == best}):
        kept = [NAMES[c] for c, worth in moves.items() if worth == (best, distance)]
        verb = {1: "win", 0: "draw"}[best] + "s" * (len(kept) == 1)
        parts.append(" ".join([*kept, verb, *([f"in {distance}"] if best else [])]))
    own = f"loses in {stones}" if value < 0 else "draws"
    return f"{NAMES[cell]} {own}; {', '.join(parts)}."


def seen(board):
    return np.array(view(board), np.int8)


def test_the_terminal_shows_the_value_of_every_move(values):
    advice, rules, policy = Advice(Rules()), Rules(), player("random", Rules())
    for board, moves in values.items():
        hint = advice.hint(seen(board), policy)
        _, _, *rows, legend = hint_lines(rules, seen(board), hint, "random", 80)
        shown = [cell for row in rows for cell in row.split()[1:4]]
        assert shown == [short(*moves[cell]) if cell in moves else board[cell] for cell in range(9)]
        assert legend == words.LEGEND


@pytest.mark.parametrize(
    "rules", [(3, 3, 3), (4, 4, 4), (2, 19, 5), (9, 9, 5), (19, 19, 5)], ids=str
)
@pytest.mark.parametrize("width", [52, 80, 100])
def test_hints_fit_the_terminal_and_boards_of_more_than_64_cells_are_told_in_a_few_lines(
    rules, width
):
    game, cells = Rules(*rules), rules[0] * rules[1]
    shares, values = np.full(cells, 1 / cells), np.resize([1, 0, -1, np.nan], cells)
    solved = np.resize([1, 0, -1], cells), np.ones(cells, int)
    for worth, stones in ((None, None), (values, None), solved):
        hint = Hint(np.ones(cells, np.bool_), worth, stones, shares)
        for name in ("first", "epsilon:player=(minimax:ties=first),epsilon=0.1"):
            told = hint_lines(game, game.start(), hint, name, width)
            grid = 4 + 4 * rules[1] if cells <= 64 else 0
            assert max(map(len, told)) <= max(width, grid)
            if cells > 64:
                assert len(told) <= 6
                assert f"{name}: {cells} moves at" in " ".join(" ".join(told).split())


def test_a_blunder_is_a_move_that_gives_value_away_told_with_the_moves_that_keep_it(values):
    advice, told = Advice(Rules()), 0
    for board, moves in values.items():
        for cell in moves:
            expected = sentence(board, moves, cell)
            assert advice.blunder(seen(board), cell) == expected
            told += expected is not None
    assert told == sum(
        value < max(value for value, _ in moves.values())
        for moves in values.values()
        for value, _ in moves.values()
    )
