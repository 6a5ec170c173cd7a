"""Networks of line patterns as evaluators of searches: exactness stays, files are checked."""

import numpy as np
import pytest
import torch
from safetensors.torch import load, save

from learners.patterns import Patterns, PatternsConfig
from learners.training.checkpoint import save as save_checkpoint
from tttenv import Rules, certify, player
from tttenv.players.stored.checkpoint import WEIGHTS, commit, read_data

CONFIG = PatternsConfig(channels=2, hidden=4, games=2, nodes=50, play_nodes=20, updates=1)
SHAPE = Rules(4, 4, 3)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a checkpoint of a network for three in a row that has hardly learned."""
    made = tmp_path_factory.mktemp("made") / "net"
    learner = Patterns(CONFIG, Rules())
    learner.step()
    with torch.no_grad():
        learner.net.head[-1].weight.mul_(50)
    about = {"learner": "patterns", "preset": "default", "config": vars(CONFIG), "rules": "3,3,3"}
    save_checkpoint(made, learner, Rules(), about | {"steps": 1})
    return made


def with_weights(folder, copy, change):
    """Copy a checkpoint with changed weights for which its card vouches."""
    card, files = read_data(folder, WEIGHTS)
    commit(copy, card, {WEIGHTS: save(change(load(files[WEIGHTS])))})
    return copy


def test_searches_to_the_end_are_exact_with_any_evaluator(folder):
    assert certify(Rules(), f"alphabeta:evaluator={folder}").unbeatable
    plain, with_net = (
        player(f"alphabeta:depth=16,threats=0{more}", SHAPE)
        for more in ("", f",evaluator={folder}")
    )
    board = np.array([1, -1, 0, 0] + [0] * 12, np.int8)
    assert with_net.search(board).value == plain.search(board).value == 1


def test_an_evaluator_changes_values_at_the_depth_limit(folder):
    board, values = SHAPE.start(), []
    for evaluator in ("lines", folder):
        values.append(player(f"alphabeta:depth=2,evaluator={evaluator}", SHAPE).search(board).value)
    assert values[0] != values[1]
    assert abs(values[1]) < 1


def test_a_search_with_an_evaluator_is_a_function_of_the_board(folder):
    made = player(f"alphabeta:depth=2,evaluator={folder}", SHAPE)
    board = SHAPE.play(SHAPE.start(), 5)
    first = made(board[None])
    made(SHAPE.start(3))
    assert (made(board[None]) == first).all()


@pytest.mark.parametrize(
    ("evaluator", "rules", "said"),
    [
        ("{folder}", Rules(4, 4, 4), "is for 3 in a row, not 4"),
        ("td0", Rules(), "network of the learner patterns"),
        ("liness", Rules(), "did you mean lines"),
        ("patterns_1515", Rules(15, 15, 5), "did you mean patterns_15155"),
        ("{folder}/nothing", Rules(), "no checkpoint"),
        ("{folder}:canonical=true", Rules(), "takes no options"),
    ],
)
def test_an_evaluator_that_does_not_fit_is_one_clear_line(folder, evaluator, rules, said):
    with pytest.raises(ValueError, match=said) as error:
        player(f"alphabeta:evaluator={evaluator.format(folder=folder)}", rules)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "change",
    [
        lambda weights: weights | {"tables.vectors": torch.zeros((7, 2), dtype=torch.int16)},
        lambda weights: weights | {"tables.vectors": torch.zeros((273, 4000), dtype=torch.int16)},
        lambda weights: weights | {"tables.second": torch.zeros((4, 4))},
        lambda weights: weights | {"other": torch.zeros(1)},
        lambda weights: {name: part for name, part in weights.items() if "last" not in name},
    ],
)
def test_weights_of_other_shapes_are_refused(folder, tmp_path, change):
    copy = with_weights(folder, tmp_path / "copy", change)
    with pytest.raises(
        ValueError, match=rf"^{copy}/{WEIGHTS}-\w+\.safetensors holds no network"
    ) as error:
        player(f"alphabeta:evaluator={copy}", Rules())
    assert "\n" not in str(error.value)


def test_extreme_integers_give_finite_scores(folder, tmp_path):
    def extreme(weights):
        return {n: torch.full_like(w, torch.iinfo(w.dtype).max) for n, w in weights.items()}

    copy = with_weights(folder, tmp_path / "copy", extreme)
    found = player(f"alphabeta:depth=1,evaluator={copy}", SHAPE).search(SHAPE.start())
    assert abs(found.value) <= 1
