"""Interactive play: sessions of games, names of cells, exact advice, and typed input."""

import io
import json
import re
import sys

import numpy as np
import pytest
from reference import game, mover, put, random_game, spell, view, winner

from tttenv import Rules, player
from tttenv.cli.play.advice import Adviser
from tttenv.cli.play.session import KEYS, Session, cell_of, keys, position_of
from tttenv.cli.play.terminal import COMMANDS, Terminal
from tttenv.game.rules import name_of
from tttenv.policy import player_for

RULES = [(3, 3, 3), (2, 4, 3), (1, 5, 3), (5, 5, 4), (19, 19, 5)]


def against(policy, rules=(3, 3, 3), seat=0, seed=0):
    return Session(Rules(*rules), "it", player_for(Rules(*rules), policy), seat, seed)


# Cells and advice


@pytest.mark.parametrize("rules", RULES, ids=spell)
def test_every_cell_answers_to_its_number_and_its_coordinate(rules):
    m, n, _ = rules
    names = [f"{'abcdefghijklmnopqrs'[c]}{r + 1}" for r in range(m) for c in range(n)]
    for cell, name in enumerate(names):
        assert name_of(Rules(*rules), cell) == name
        for text in (name, name.upper(), f" {name} ", str(cell)):
            assert cell_of(Rules(*rules), text) == cell
    past = [f"a{m + 1}", "a0", "t1", str(m * n), f"{'abcdefghijklmnopqrst'[n]}1"]
    for text in [*past, "", "-1", "1a", "aa", "1.0", "²", "b2b2", "\x1b[A", "9" * 999]:
        with pytest.raises(ValueError, match=r"there is no cell|is not a cell") as told:
            cell_of(Rules(*rules), text)
        assert str(told.value).isprintable()
        assert len(str(told.value)) < 200


def test_keys_lie_as_the_cells_do_on_3x3_and_nowhere_else():
    assert [cell_of(Rules(), key) for key in "qweasdzxc"] == list(range(9))
    assert [cell_of(Rules(), key) for key in "QWEASDZXC"] == list(range(9))
    assert keys(Rules(3, 3, 2)) == KEYS
    for rules in RULES[1:]:
        for key in KEYS:
            with pytest.raises(ValueError, match="is not a cell"):
                cell_of(Rules(*rules), key)


@pytest.mark.parametrize(("rules", "stones"), [((3, 3, 3), 2), ((2, 4, 3), 0)])
def test_q_leaves_unless_it_is_a_cell(rules, stones, monkeypatch):
    session = against(player("first", Rules(*rules)), rules)
    typed = iter(["q", "hint", "quit"])
    monkeypatch.setattr("builtins.input", lambda prompt: next(typed))
    Terminal(session, Adviser(Rules(*rules)), hints=True).run()
    assert np.count_nonzero(session.board) == stones


def test_no_command_hides_a_cell():
    cells = {*KEYS, *map(str, range(361)), *(name_of(Rules(19, 19, 5), c) for c in range(361))}
    assert not cells & set(COMMANDS)


@pytest.mark.parametrize("rules", RULES[:3], ids=spell)
@pytest.mark.parametrize("seed", range(3))
def test_best_play_after_a_blunder_takes_as_long_as_the_solution(rules, seed):
    perfect, advice = game(rules).perfect(), Adviser(Rules(*rules))
    boards, cells = random_game(rules, seed)
    for board, cell in zip(boards, cells, strict=False):
        seen = np.array(view(board), np.int8)
        if advice.known(seen).blunder(cell) is None:
            continue
        end = put(board, cell)
        line = advice.best_line(seen, cell)
        for stone in line:
            end = put(end, stone)
        own = {mover(board): 1, "_": 0}.get(winner(rules, end), -1)
        assert own == -perfect[put(board, cell)][0]
        assert len(line) == perfect[put(board, cell)][1]


def test_no_move_is_called_best_that_is_proved_to_lose_where_another_may_not():
    rules = Rules(15, 15, 5)
    found = position_of(rules, None, "h8,i8,h9,h10,a1,i9,o1,i10")  # O has three in a row
    hint = Adviser(rules).hint(found.boards[-1], player("random", rules))
    open_cells = np.flatnonzero((hint.board == 0) & np.isnan(hint.values)).tolist()
    assert 0 < len(open_cells) <= 5
    assert (hint.values[(hint.board == 0) & ~np.isnan(hint.values)] == -1).all()
    assert set(hint.best) <= set(open_cells)
    assert {one.cell for one in hint.moves[: len(open_cells)]} == set(open_cells)


def test_positions_beyond_a_short_search_have_the_players_opinion_and_nothing_exact():
    advice, rules = Adviser(Rules(9, 9, 5)), Rules(9, 9, 5)
    hint = advice.hint(rules.start(), player("random", rules))
    assert hint.values is None
    assert hint.best == tuple(np.flatnonzero(player("alphabeta", rules)(rules.start(1))[0]))
    assert hint.shares.sum() == pytest.approx(1)
    assert hint.blunder(0) is None
    session = against(player("random", rules), (9, 9, 5))
    session.play(0)
    assert advice.losing_move(session) is None


# Sessions


def test_a_player_that_cannot_move_ends_the_game_instead_of_leaving_its_turn_to_the_person(
    monkeypatch,
):
    monkeypatch.setattr(sys, "stdin", io.StringIO("4\n0\n"))
    with pytest.raises(ValueError, match="sum to one"):
        Terminal(against(lambda boards: 0.0 * boards), Adviser(Rules()), hints=False).run()


@pytest.mark.parametrize("rules", RULES[:4], ids=spell)
@pytest.mark.parametrize("seat", [0, 1])
def test_take_back_returns_to_where_the_person_was_to_move(rules, seat):
    session, dice = against(player("random", Rules(*rules)), rules, seat), np.random.default_rng(1)
    stack = []
    for _ in range(200):
        if not session.over and not session.awaits_person():
            session.move()
        elif stack and (session.over or dice.random() < 0.4):
            session.take_back()
            assert session.awaits_person()
            assert (session.cells, session.board.tolist()) == stack.pop()
        else:
            stack.append((list(session.cells), session.board.tolist()))
            session.play(int(dice.choice(np.flatnonzero(session.board == 0))))
    while stack:
        session.take_back()
        stack.pop()
    with pytest.raises(ValueError, match="no stone to take back"):
        session.take_back()


def test_seats_swap_and_a_finished_game_can_be_taken_back():
    session = against(player("first"), seat=1)
    for cell in (4, 7):
        session.move()
        session.play(cell)
    session.move()
    assert session.outcome == "X wins"
    with pytest.raises(ValueError, match="over"):
        session.play(8)
    assert session.take_back() == 2
    assert not session.over
    session.play(8)
    session.move()
    session.again()
    assert (session.seat, session.cells) == (0, [])


def test_every_game_starts_from_the_position_with_the_seats_swapped():
    position = position_of(Rules(), "X.O/.X./...", "a3, b3")
    session = Session(Rules(), "it", player("first"), 1, 0, position)
    for seat in (1, 0):
        assert (session.seat, session.mover, session.cells) == (seat, 1, [6, 7])
        assert session.awaits_person() == (seat == 1)
        if seat == 1:
            session.play(1)
            assert session.move() == 3
            session.take_back()
        assert session.board.tolist() == position.boards[-1].tolist()
        session.again()
    assert (session.take_back(), session.cells) == (2, [])  # into the moves that were given
    with pytest.raises(ValueError, match="no stone to take back"):
        session.take_back()


@pytest.mark.parametrize("rules", RULES, ids=spell)
@pytest.mark.parametrize("between", [",", ".", " ", ", "])
def test_moves_and_boards_are_read_as_they_are_written(rules, between):
    game, (boards, cells) = Rules(*rules), random_game(rules, 3)
    names = [name_of(game, cell) for cell in cells[:-1]]
    found = position_of(game, None, between.join(names))
    assert found.cells == cells[:-1]
    assert [game.format(board) for board in found.boards] == boards[:-1]
    rows = [boards[-2][at : at + game.n] for at in range(0, game.cells, game.n)]
    for text in (boards[-2], "/".join(rows), "\n".join(rows).replace("_", ".").lower()):
        assert game.format(position_of(game, text, "").boards[-1]) == boards[-2]


@pytest.mark.parametrize(
    ("board", "moves", "words"),
    [
        (None, "b2,z9", "'z9' is not a cell|there is no cell z9"),
        (None, "b2,b2", "move 2, b2, is on a cell that is already taken"),
        (None, "a1,a2,b1,b2,c1,c2", "move 5, c1, ends the game"),
        ("X.O/.X/....", None, "3 rows of 3 cells between slashes"),
        ("XXX/OO./...", None, "--board: finished board"),
        ("XXX/.../...", None, "X must have as many stones as O or one more"),
        ("X.\x1b/.../...", None, "9 of X, O and _"),
    ],
)
def test_a_wrong_position_is_refused_in_one_printable_line(board, moves, words, run_here):
    script = "play.py" if moves else "analyze.py"
    given = [*(["--board", board] * (board is not None)), *(["--moves", moves] * bool(moves))]
    told = run_here(script, "first", *given)
    assert (told.returncode, told.stdout) == (2, "")
    assert re.fullmatch(rf"{script}: --(board|moves)[ -~]*(?:{words})[ -~]*\n", told.stderr) or (
        re.match(rf"{script}: (?:{words})", told.stderr)
    ), told.stderr
    assert len(told.stderr) < 300


def test_an_analysis_lists_every_move_as_a_table_or_as_json(run_here):
    given = ("alphabeta", "--moves", "b2,b1")
    found = json.loads(run_here("analyze.py", *given, "--json").stdout)
    assert (found["rules"], found["board"]) == ("3,3,3", "_O__X____")
    board = Rules().parse(found["board"])
    hint = Adviser(Rules()).hint(board, player("alphabeta"))
    assert sorted(one["cell"] for one in found["moves"]) == np.flatnonzero(hint.board == 0).tolist()
    for one in found["moves"]:
        assert one["exact"] == hint.values[one["cell"]] == one["value"]
        assert one["exact_stones"] == (one["stones"] if one["exact"] else None)
        assert one["probability"] == hint.shares[one["cell"]]
        assert one["line"][0] == one["cell"]
    shown = run_here("analyze.py", *given, "--top", "3").stdout
    names = re.findall(r"^ ([a-c][1-3]) ", shown, re.MULTILINE)
    assert names == [name_of(Rules(), one["cell"]) for one in found["moves"][:3]]
    assert run_here("analyze.py", "first", "--top", "0").returncode == 2
