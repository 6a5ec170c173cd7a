"""Recorded games: each replays by the rules, and their distribution is that of the players."""

import json

import numpy as np
import pytest

from tttenv import Rules, player, score
from tttenv.cli import export
from tttenv.env.rollouts import recorded_games


def exported(tmp_path, capsys, *args, name="games.npz"):
    file = tmp_path / name
    export.main([str(file), *args, "--json"])
    told = json.loads(capsys.readouterr().out)
    with np.load(file) as arrays:
        return dict(arrays), told, file.read_bytes()


@pytest.mark.parametrize("rules", ["3,3,3", "2,4,3"])
def test_every_game_replays_by_the_rules_to_its_result(tmp_path, capsys, rules):
    args = ("--player", "tactical", "--against", "random", "--games", "41", "--rules", rules)
    found, told, _ = exported(tmp_path, capsys, *args)
    rules = Rules.of(rules)
    assert (told["games"], told["moves"]) == (41, len(found["actions"]))
    assert str(found["rules"]) == str(rules)
    assert [tuple(names) for names in found["players"]] == [("tactical", "random")] * 21 + [
        ("random", "tactical")
    ] * 20
    for number, (start, length) in enumerate(zip(found["starts"], found["lengths"], strict=True)):
        board = rules.start()
        for at in range(start, start + length):
            assert found["game"][at] == number
            assert np.array_equal(found["boards"][at], board)
            assert not rules.over(board)
            assert found["probs"][at, found["actions"][at]] > 0
            assert found["probs"][at].sum() == pytest.approx(1)
            board = rules.play(board, found["actions"][at])
        assert rules.over(board)
        sign = 1 if length % 2 else -1  # of who moved last
        outcome = sign if rules.lost(board) else 0
        assert found["outcomes"][number] == outcome
        results = [outcome * (-1) ** ply for ply in range(length)]
        assert found["results"][start : start + length].tolist() == results
    assert found["lengths"].sum() == len(found["actions"])


def test_the_results_are_those_of_the_players():
    games = 20_000
    found = recorded_games(Rules(), player("tactical"), player("random"), games, seed=3)
    wanted = score(Rules(), player("tactical"), player("random"))
    for outcome, share in zip((1, 0, -1), wanted, strict=True):
        error = np.sqrt(share * (1 - share) / games)
        assert abs((found["outcomes"] == outcome).mean() - share) < 5 * error + 1e-9


class Silent:
    """Player that forfeits boards with two stones or more."""

    forfeits = True

    def __call__(self, boards):
        """Return probabilities, or zeros."""
        few = np.count_nonzero(boards, axis=1) < 2
        return player("first")(boards) * few[:, None]


def test_a_player_that_forfeits_loses_that_game_at_once():
    found = recorded_games(Rules(), Silent(), player("first"), 3)
    assert found["lengths"].tolist() == [3, 3, 3]
    assert found["outcomes"].tolist() == [-1, -1, -1]
    assert found["actions"].reshape(3, 3).tolist() == [[0, 1, -1]] * 3
    assert found["results"].reshape(3, 3).tolist() == [[-1, 1, -1]] * 3
