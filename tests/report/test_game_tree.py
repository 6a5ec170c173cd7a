"""The tree of all games that a player can play, and its picture."""

from xml.etree import ElementTree

import numpy as np
import pytest

from tttenv import Rules, certify, draw_games, player
from tttenv.exact import Tabulated
from tttenv.policy import Player, Traits
from tttenv.report.game_tree import ENDS, game_tree

GAMES = [((3, 3, 3), name) for name in ("mcts:iterations=50", "first", "dqn", "random")]
GAMES += [((2, 4, 3), "tactical"), ((2, 3, 3), "first")]


@pytest.mark.parametrize(("size", "name"), GAMES)
@pytest.mark.parametrize("seat", "XO")
def test_every_node_is_reached_by_the_players_moves_and_any_replies(size, name, seat):
    rules = Rules(*size)
    policy, boards = player(name, rules), rules.start(1)
    first, *rings = game_tree(policy, seat)
    ends = np.zeros(3, int)
    for ply, ring in enumerate(rings):
        going = ~rules.over(boards)
        allowed = (boards == 0) & going[:, None]
        if "XO"[ply % 2] == seat:
            allowed[going] = policy(boards[going]) > 0
        assert np.array_equal(np.transpose(np.nonzero(allowed)), np.stack([*ring[:2]], axis=1))
        boards = -boards[ring.parent]
        boards[np.arange(len(boards)), ring.cell] = -1
        outcomes = rules.outcomes(boards[ring.ended])  # seen by the side to move
        assert np.array_equal(ring.ended, rules.over(boards))
        own = outcomes if "XO"[(ply + 1) % 2] == seat else 4 - outcomes
        assert np.array_equal(ring.games[ring.ended], np.eye(3, dtype=int)[own - 1])
        ends += ring.games[ring.ended].sum(axis=0)
    assert first.games.tolist() == [ends.tolist()]
    assert (ends[2] == 0) == certify(rules, name).never_loses[seat]
    if (size, name) == ((3, 3, 3), "random"):
        assert sorted(ends) == [46_080, 77_904, 131_184]  # of 255,168 games


def test_a_player_without_a_legal_answer_loses_there():
    silent = Tabulated(Rules(), np.zeros((5478, 9)), Player(Rules(), Traits(forfeits=True)))
    trees = [game_tree(silent, seat) for seat in "XO"]
    assert [[ring.games.sum(axis=0).tolist() for ring in tree] for tree in trees] == [
        [[0, 0, 1]],
        [[0, 0, 9], [0, 0, 9]],
    ]
    assert [tree[-1].ended.all() for tree in trees] == [True, True]


def test_the_picture_is_xml_with_an_edge_for_each_node_in_the_colour_of_its_worst_end():
    policy = player("mcts", Rules())
    whole = ElementTree.fromstring(draw_games(Rules(), policy, name="<&\x1b>", scheme="dark"))
    assert whole[0].text == "All games of <&\\x1b>"
    for seat, tree in zip("XO", whole[3:], strict=True):
        games = np.concatenate([ring.games for ring in game_tree(policy, seat)[1:]])
        kinds = [ENDS[max(np.flatnonzero(row))] for row in games]
        drawn = {part.get("class"): part.get("d") for part in tree if part.get("d")}
        for end in ENDS:
            assert drawn.get(end, "").count("M") == kinds.count(end)


def test_certify_writes_the_picture_and_prints_the_same(run_here, tmp_path):
    plain, drawn = (
        run_here("certify.py", "first", "--json", *more) for more in ([], ["--picture", "all.svg"])
    )
    assert (drawn.returncode, drawn.stdout) == (0, plain.stdout)
    assert (tmp_path / "all.svg").read_text() == draw_games(Rules(), "first")
