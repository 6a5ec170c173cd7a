"""Networks of line patterns as evaluators of searches: exactness stays, files are checked."""

import json

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save

import tttenv
from learners.patterns import Patterns, PatternsConfig
from learners.training.checkpoint import save as save_checkpoint
from tttenv import Rules, certify, player
from tttenv.players import checked_spec
from tttenv.players.search.gumbel import LineEvaluator
from tttenv.players.stored.checkpoint import CARD, WEIGHTS, digest, file_of
from tttenv.players.stored.patterns import read_tables
from tttenv.utils.registry import Spec

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
    card = json.loads((folder / CARD).read_text())
    name = file_of(card, WEIGHTS)
    content = save(change(load_file(folder / name)))
    changed = f"{WEIGHTS}-{digest(content)[:16]}.safetensors"
    copy.mkdir()
    (copy / changed).write_bytes(content)
    (copy / CARD).write_text(json.dumps(card | {"files": {changed: digest(content)}}))
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


def test_mcts_counts_points_that_round_the_networks_value(folder):
    searched = player(f"mcts:iterations=16,evaluator={folder}", SHAPE)  # each move once
    valued = LineEvaluator(SHAPE, read_tables(Spec(str(folder)), SHAPE))
    mean = np.zeros(16)
    for seed in range(400):
        searched.seed = np.uint64(seed)
        searched.search(SHAPE.start())
        tree = searched.tree
        points = tree.points[1:17][np.argsort(tree.move[1:17])]
        mean += (points - 1) / 400
    after = np.array([SHAPE.play(SHAPE.start(), cell) for cell in range(16)])
    wanted = -valued(after)[1]
    assert np.abs(wanted).max() > 0.1
    assert mean == pytest.approx(wanted, abs=0.1)


@pytest.mark.parametrize(
    "search", ["alphabeta:depth=2", "gumbel:simulations=8", "mcts:iterations=50"]
)
def test_searches_with_an_evaluator_are_functions_of_the_board(folder, search):
    made = player(f"{search},evaluator={folder}", SHAPE)
    board = SHAPE.play(SHAPE.start(), 5)
    first = made(board[None])
    made(SHAPE.start(3))
    assert (made(board[None]) == first).all()


@pytest.mark.parametrize("search", ["alphabeta", "gumbel", "mcts"])
@pytest.mark.parametrize(
    ("evaluator", "rules", "said"),
    [
        ("{folder}", Rules(4, 4, 4), "is for 3 in a row, not 4"),
        ("td0", Rules(), "network of the learner patterns"),
        ("liness", Rules(), r"did you mean lines|must be playouts or"),
        ("patterns_1515", Rules(15, 15, 5), "did you mean patterns_15155"),
        ("{folder}/nothing", Rules(), "no checkpoint"),
        ("{folder}:canonical=true", Rules(), "takes no options"),
    ],
)
def test_an_evaluator_that_does_not_fit_is_one_clear_line(folder, search, evaluator, rules, said):
    with pytest.raises(ValueError, match=said) as error:
        player(f"{search}:evaluator={evaluator.format(folder=folder)}", rules)
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


@pytest.mark.parametrize(
    ("search", "word"), [("alphabeta", "lines"), ("gumbel", "lines"), ("mcts", "playouts")]
)
def test_a_file_names_no_network(folder, search, word):
    for spec in (f"{search}:evaluator={folder}", f"{search}:evaluator=patterns"):
        with pytest.raises(ValueError, match="file must not name"):
            checked_spec(spec)
    assert tttenv.player(checked_spec(f"{search}:evaluator={word}"))
