"""Transformer: its inputs, its and training games."""

from pathlib import Path

import numpy as np
import pytest
import torch
from reference import winner

import tttenv
from learners.training.checkpoint import load_learner
from learners.transformer import (
    MoveTransformer,
    Transformer,
    TransformerConfig,
    boards_before,
    follow_histories,
    move_lists,
    regrets,
    reordered,
    tokens_of,
)
from tttenv import Rules
from tttenv.exact import positions, solve

SMALL = {"layers": 1, "width": 8, "heads": 2, "games": 64}
BOARDS = [Rules(), Rules(2, 3, 2), Rules(3, 4, 3)]


def untrained(rules, seed=0):
    """Return a network with a nonzero head."""
    net = MoveTransformer(rules.cells, 1, 8, 2, np.random.default_rng(seed))
    with torch.no_grad():
        net.head.weight.normal_(generator=torch.Generator().manual_seed(seed))
    return net


def played(rules, moves):
    """Return the board after some moves, by the rules' own play."""
    board = rules.start(1)
    for cell in moves:
        board = rules.play(board, [cell])
    return board[0]


@pytest.mark.parametrize("rules", BOARDS, ids=str)
def test_the_list_of_a_board_leads_to_it_and_has_each_sides_stones_in_order(rules):
    game = positions(rules)
    boards = game.boards[game.decisions[:: max(7, len(game) // 3000)]]
    for board, moves in zip(boards, move_lists(rules, boards), strict=True):
        stones = np.count_nonzero(board)
        assert (moves[stones:] == -1).all()
        assert (played(rules, moves[:stones]) == board).all()
        for own in (moves[:stones:2], moves[1:stones:2]):
            assert (np.diff(own) > 0).all()


@pytest.mark.parametrize("learns", ["regret", "imitation"])
@pytest.mark.parametrize("rules", BOARDS, ids=str)
def test_the_boards_before_the_moves_of_a_game_are_those_of_the_rules(rules, learns):
    learner = Transformer(TransformerConfig(learns=learns, **SMALL), rules)
    games = learner._play()
    boards, waiting = boards_before(rules, games)
    for game, seen, there in zip(games[:20], boards, waiting, strict=False):
        length = np.count_nonzero(game >= 0)
        assert there.tolist() == [ply < length for ply in range(rules.cells)]
        for ply in range(length):
            assert (seen[ply] == played(rules, game[:ply])).all()
        assert rules.over(played(rules, game[:length])[None])[0]
    if learns == "imitation":
        solution = solve(rules)
        rows = solution.positions.index(boards[waiting])
        assert solution.optimal[rows, games[waiting]].all()


def test_other_orders_have_the_same_stones_and_end_where_a_line_is_complete():
    rng = np.random.default_rng(0)
    games = Transformer(TransformerConfig(**SMALL), Rules())._play()
    for other in (reordered(games, games), reordered(games, rng.random(games.shape))):
        assert (other != games).any()
        for seat in range(2):
            assert (np.sort(other[:, seat::2]) == np.sort(games[:, seat::2])).all()
        assert ((other < 0) == (games < 0)).all()
        boards, waiting = boards_before(Rules(), other)
        for game, seen, there in zip(other, boards, waiting, strict=True):
            for ply in range(np.count_nonzero(game >= 0)):
                marks = {1: "XO"[ply % 2], -1: "OX"[ply % 2], 0: "_"}
                board = "".join(marks[stone] for stone in seen[ply].tolist())
                assert there[ply] == (winner((3, 3, 3), board) is None)


def test_regrets_of_positions_known_by_hand():
    rules = Rules()
    wins, blocks = rules.parse("XX_OO____"), rules.parse("X___O___X")
    assert regrets(rules, wins[None])[0].tolist() == [0, 0, 0, 0, 0, 0.5, 1, 1, 1]
    assert regrets(rules, blocks[None])[0].tolist() == [0, 0, 0.5, 0, 0, 0, 0.5, 0, 0]


def test_a_network_sees_what_came_before_and_nothing_else():
    net, rng = untrained(Rules()), np.random.default_rng(0)
    games = rng.permuted(np.tile(np.arange(9), (50, 1)), axis=1)
    others = games.copy()
    others[:, 4:] = games[:, :3:-1]
    with torch.no_grad():
        one, other = net(tokens_of(games)), net(tokens_of(others))
    assert torch.allclose(one[:, :5], other[:, :5], atol=1e-6)  # the move played is not seen
    assert not torch.allclose(one[:, 5:], other[:, 5:], atol=1e-3)


def followed(rules, net, seat):
    """Return the won, drawn and lost games and positions, by plain recursion."""
    counts = [0, 0, 0, 0]

    def follow(moves):
        board = played(rules, moves)
        if rules.lost(board[None])[0]:
            counts[0 if (len(moves) - 1) % 2 == seat else 2] += 1
        elif len(moves) == rules.cells:
            counts[1] += 1
        elif len(moves) % 2 == seat:
            counts[3] += 1
            with torch.no_grad():
                logits = net(tokens_of(np.array([[*moves, -1]])))[0, -1].numpy()
            follow([*moves, int(np.where(board == 0, logits, -np.inf).argmax())])
        else:
            for cell in np.flatnonzero(board == 0).tolist():
                follow([*moves, cell])

    follow([])
    return tuple(counts)


@pytest.mark.parametrize("seat", [0, 1])
def test_every_history_is_followed_as_a_plain_recursion_does(seat):
    for rules in BOARDS[:2]:
        net = untrained(rules)
        found = follow_histories(rules, net, seat)
        assert found[:4] == followed(rules, net, seat)
        assert 0 <= found.order_matters < found.positions
    learner = load_learner(Path(__file__).parents[2] / "checkpoints" / "transformer")
    found = follow_histories(Rules(), learner.average, seat)
    assert found.lost == 0 < found.order_matters  # it does look back


def test_a_network_that_never_looks_back_is_worth_what_its_certificate_says():
    """An untrained one prefers no move, so that it plays the first free cell in any order."""
    learner = Transformer(TransformerConfig(**SMALL), Rules())
    certificate = tttenv.certify(Rules(), learner.policy())
    first = tttenv.certify(Rules(), tttenv.player("first"))
    assert certificate.to_dict() | {"queried_twice": 0} == first.to_dict() | {"queried_twice": 0}
