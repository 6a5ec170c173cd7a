"""Matches: exact results, games as moves, and what cannot be played."""

import json
from contextlib import nullcontext

import pytest

from tttenv import Rules, player, score
from tttenv.cli import console, match

RULES = Rules()


def matched(capsys, *arguments):
    match.main([*arguments, "--json"])
    return json.loads(capsys.readouterr().out)


def test_from_the_empty_board_an_exact_match_is_the_score_in_both_seats(capsys):
    found = matched(capsys, "tactical", "mcts:iterations=5", "--openings", "0")
    one, other = (player(name, RULES) for name in found["players"])
    win, draw, loss = score(RULES, other, one)
    assert found["method"] == "exact"
    assert found["as_X"][0] == pytest.approx(score(RULES, one, other), abs=1e-11)
    assert found["as_O"][0] == pytest.approx((loss, draw, win), abs=1e-11)
    assert found["interval"] == [found["value"]] * 2


def test_games_asked_for_are_played_and_their_moves_written(capsys, tmp_path):
    given = (
        "tactical",
        "random",
        "--games",
        "30",
        "--seed",
        "1",
        "--out",
        str(tmp_path / "m.json"),
    )
    found = matched(capsys, *given)
    assert found == json.loads((tmp_path / "m.json").read_text()) == matched(capsys, *given)
    assert found["method"] == "sampled"
    assert found["settings"]["time"] is None
    assert found["interval"][0] < found["value"] < found["interval"][1]
    for game in found["games"]:
        board = RULES.parse(found["openings"][game["opening"]])
        for cell in game["moves"]:
            board = RULES.play(board, cell)
        assert RULES.over(board)
        loser = (len(game["moves"])) % 2 == (game["X"] == "random")  # the first player is to move
        assert game["result"] == RULES.lost(board) * (-1 if loser else 1)
    assert [game["X"] for game in found["games"]] == ["tactical"] * 15 + ["random"] * 15


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["first", "random", "--openings", "0", "--searches", "0"], "exact, from the empty board"),
        (["first", "mcts:iterations=5", "--searches", "9"], "not exact: too many positions for"),
        (["first", "mcts:time=0.001", "--games", "4"], "4 games, 2 of 12 openings of 2 stones"),
        (["first", "mcts:time=0.001"], "not exact: mcts:time=0.001 depends on time"),
        (["first", "minimax:ties=first", "--games", "100"], "only 24 of the games differ"),
        (["minimax", "first"], "7 of 12 change the value of the game"),
        (["first", "random", "--rules", "4,4,4", "--openings", "1"], "may change the value"),
    ],
)
def test_what_was_played_and_why_is_said(given, said, capsys):
    match.main(given)
    assert said in capsys.readouterr().out


def test_progress_is_read_on_a_narrow_terminal(monkeypatch):
    """The numbers come before the names, which may be long."""
    told = []
    monkeypatch.setattr(console, "stage", lambda *_: nullcontext(told.append))
    match.main(["mcts:iterations=5", "first", "--games", "2"])
    assert told[0].startswith("1 of 8 boards at most, in 2 games: ")
