"""Wording of the value of every move, on all positions."""

from types import SimpleNamespace

import numpy as np
import pytest
from reference import game, view

from tttenv import Rules, player
from tttenv.cli import text_tables
from tttenv.cli.play import terminal, text_board
from tttenv.cli.play.advice import LEGEND, LIKELIEST, Advice, Adviser
from tttenv.cli.play.session import Session
from tttenv.cli.play.text_board import hint_lines
from tttenv.policy import Candidate
from tttenv.proofs.move_values import Bounds

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
    advice, policy = Adviser(Rules()), player("random", Rules())
    for board, moves in values.items():
        hint = advice.hint(seen(board), policy)
        _, _, *rows, legend = hint_lines(hint, "random")
        shown = [cell for row in rows for cell in row.split()[1:4]]
        assert shown == [short(*moves[cell]) if cell in moves else board[cell] for cell in range(9)]
        assert legend == LEGEND


@pytest.mark.parametrize(
    "rules", [(3, 3, 3), (4, 4, 4), (2, 19, 5), (9, 9, 5), (19, 19, 5)], ids=str
)
@pytest.mark.parametrize("width", [52, 80, 100])
def test_hints_fit_the_terminal_as_boards_or_else_as_a_list_of_a_few_moves(
    rules, width, monkeypatch, capsys
):
    for module in (text_tables, text_board):
        monkeypatch.setattr(module, "room", lambda: width)
    game, cells = Rules(*rules), rules[0] * rules[1]
    session = Session(game, "first", player("first", game), 0, 0)
    of_three, undecided = [1, 0, -1], ([-1], [1], None)
    solved = of_three, of_three, np.ones(cells, int)
    for low, high, stones in (undecided, ([*of_three, -1], [*of_three, 1], None), solved):
        bounds = Bounds(np.resize(low, cells), np.resize(high, cells))
        moves = tuple(map(Candidate, range(cells)))
        hint = Advice(game, game.start(), bounds, stones, np.full(cells, 1 / cells), (0,), moves)
        adviser = SimpleNamespace(hint=lambda *_, hint=hint: hint)
        terminal.Terminal(session, adviser, hints=True)._hint()
        shown = capsys.readouterr().out.splitlines()
        assert max(map(len, shown)) <= width
        assert len(shown) <= LIKELIEST + 6
        assert (f"and {cells - LIKELIEST} more" in shown) == (cells > 16)


def test_a_blunder_is_a_move_that_gives_value_away_told_with_the_moves_that_keep_it(values):
    advice, told = Adviser(Rules()), 0
    for board, moves in values.items():
        known = advice.known(seen(board))
        for cell in moves:
            expected = sentence(board, moves, cell)
            assert known.blunder(cell) == expected
            told += expected is not None
    assert told == sum(
        value < max(value for value, _ in moves.values())
        for moves in values.values()
        for value, _ in moves.values()
    )
