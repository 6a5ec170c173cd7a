"""Snapshots along a learning curve: bounded, exact, the same after an interruption, validated."""

import re
from pathlib import Path

import numpy as np
import pytest
from page_data import report_of
from safetensors.numpy import load, save

from tttenv import Rules, player
from tttenv.certificates.curve import Curve
from tttenv.certificates.snapshots import MOST, moves_of, read
from tttenv.certificates.snapshots import extended as kept
from tttenv.exact import Tabulated, positions, tabulate
from tttenv.players.stored.checkpoint import (
    POLICY,
    SNAPSHOTS,
    WEIGHTS,
    commit,
    file_of,
    read_card,
    read_data,
)
from tttenv.policy import uniform

SHIPPED = Path(__file__).parents[2] / "checkpoints"
RULES = Rules()
DECISIONS = positions(RULES).decisions


def read_from(folder):
    card = read_card(folder)
    return read(folder, card, RULES, Curve.from_card(card))


def test_players_that_mix_or_play_larger_boards_leave_none():
    table = tabulate(RULES, player("first", RULES)).table.copy()
    assert moves_of(Tabulated(RULES, table)) is not None
    table[0, :2] = 0.5
    assert moves_of(Tabulated(RULES, table)) is None
    assert moves_of(tabulate(RULES, uniform)) is None
    assert moves_of(player("first", RULES)) is None
    larger = Rules(5, 2, 2)
    assert moves_of(tabulate(larger, player("first", larger))) is None
    measures = ((0, 0.0, -1.0, -1.0, 0.5),)
    assert kept((), measures, tabulate(RULES, uniform), 1) == ()


def hostile():
    """Return invalid contents of a file of snapshots, by what is wrong with them."""
    whole = load(read_data(SHIPPED / "qtable", SNAPSHOTS)[1][SNAPSHOTS])
    steps, moves = whole["steps"], whole["moves"]
    off_board, taken = moves.copy(), moves.copy()
    off_board[1, 7] = 9
    taken[1, -1] = np.flatnonzero(positions(RULES).boards[DECISIONS[-1]])[0]
    many = np.arange(MOST + 1, dtype=np.int64)
    return {
        "cut": save(whole)[:-100],
        "a cell off the board": save({"steps": steps, "moves": off_board}),
        "a cell that is taken": save({"steps": steps, "moves": taken}),
        "a step off the curve": save({"steps": steps + 1, "moves": moves}),
        "steps backwards": save({"steps": steps[::-1].copy(), "moves": moves[::-1].copy()}),
        "other kinds": save({"steps": steps.astype(np.int32), "moves": moves}),
        "fewer players": save({"steps": steps, "moves": moves[:2].copy()}),
        "too many": save({"steps": many, "moves": np.repeat(moves[:1], len(many), axis=0)}),
    }


@pytest.mark.parametrize("wrong", [*hostile(), "another digest", "no file", "a folder"])
def test_hostile_snapshots_are_refused_in_a_line_and_the_player_plays(tmp_path, wrong, capsys):
    card, files = read_data(SHIPPED / "qtable", WEIGHTS, POLICY)
    about = {key: value for key, value in card.items() if key != "files"}
    made = hostile().get(wrong) or b"x"
    commit(tmp_path / "q", about, {**files, SNAPSHOTS: made})
    file = tmp_path / "q" / file_of(read_card(tmp_path / "q"), SNAPSHOTS)
    if wrong not in hostile():
        file.unlink() if wrong != "another digest" else file.write_bytes(b"y")
        if wrong == "a folder":
            file.mkdir()
    with pytest.raises(ValueError, match=r"^[^\n]{1,400}$"):
        read_from(tmp_path / "q")
    player(str(tmp_path / "q"))
    report_of(tmp_path / "report.html", str(tmp_path / "q"))
    printed = capsys.readouterr().err
    assert re.fullmatch(r"tttenv report: the curve of q: [^\n]+\n", printed)
    text = (tmp_path / "report.html").read_text()
    assert "data-measures" in text
    assert "data-stops" not in text
