"""Solved positions as a table, against the reference game, and as files."""

import csv
import json

import numpy as np
import pytest
from reference import game, spell

from tttenv import Rules
from tttenv.cli import export
from tttenv.exact.dataset import solved_positions
from tttenv.game.rules import name_of
from tttenv.game.symmetry import orbits

SMALL = [(3, 3, 3), (2, 3, 2), (1, 5, 3)]


@pytest.mark.parametrize("size", SMALL, ids=spell)
def test_every_value_is_that_of_the_reference(size):
    rules = Rules(*size)
    known = game(size)
    table = solved_positions(rules, "position")
    assert len(table["position"]) == len(known.decisions)
    for row, position in enumerate(table["position"]):
        board = str(position)
        assert table["to_move"][row] == "XO"[table["stones"][row] % 2]
        worth = {name_of(rules, cell): known.worth(board, cell) for cell in known.after[board]}
        values = {name: table[name][row] for name in worth}
        assert values == {name: value for name, (value, _) in worth.items()}
        assert table["value"][row] == max(values.values())
        assert set(table["best"][row].split()) <= {
            name for name, value in values.items() if value == table["value"][row]
        }
        others = {name_of(rules, cell) for cell in range(rules.cells)} - set(values)
        assert all(table[name][row] is np.ma.masked for name in others)


def test_a_row_of_each_class_and_no_class_in_both_splits():
    every, classes = (solved_positions(Rules(), rows) for rows in ("position", "class"))
    assert len(every["class"]) == 4520
    assert sorted(classes["class"]) == list(range(627))
    assert (classes["split"] == "test").sum() == 125
    split = dict(zip(classes["class"], classes["split"], strict=True))
    assert [split[number] for number in every["class"]] == every["split"].tolist()
    boards = np.array([Rules().parse(position) for position in every["position"]])
    assert (orbits(Rules(), boards)[1] == every["class"]).all()


def test_the_file_holds_the_table(tmp_path, capsys):
    file = tmp_path / "table.csv"
    export.main([str(file), "--rules", "2,3,2", "--json"])
    told = json.loads(capsys.readouterr().out)
    assert told["bytes"] == file.stat().st_size
    with file.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    table = solved_positions(Rules(2, 3, 2), "class")
    for name, column in table.items():
        shown = ["" if value is None else str(value) for value in column.tolist()]
        assert [row[name] for row in rows] == shown
    assert len(rows) == told["rows"]
