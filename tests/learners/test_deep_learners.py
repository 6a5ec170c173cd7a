"""Deep learners: replayed moves, targets and inputs, unbeatable results, and resuming."""

import numpy as np
import pytest
import torch

from learners.buffers import Replay, Transitions
from learners.dqn import DQN, DQNConfig, td_targets
from learners.maskable_ppo import MaskablePPO, MaskablePPOConfig, seeded_globals
from learners.nets import planes
from learners.reinforce import Reinforce, ReinforceConfig
from learners.testing import check_learner
from tttenv import Rules
from tttenv.exact import positions
from tttenv.game.symmetry import canonical


def numbered_transitions(start, count, rules=None):
    """Return distinguishable moves: number i is rewarded i."""
    rules, number = rules or Rules(), np.arange(start, start + count)
    boards = rules.start(count)
    return Transitions(boards, number % 9, number.astype(np.float32), number % 2 == 0, boards)


def one_transition(before, cell, after, reward=0.0, over=False):
    rules = Rules()
    boards, following = rules.parse(before)[None], rules.parse(after)[None]
    return Transitions(
        boards, np.array([cell]), np.array([reward], np.float32), np.array([over]), following
    )


def test_a_replay_keeps_the_latest_moves_and_draws_all_of_them_evenly():
    replay, rng = Replay(10, Rules()), np.random.default_rng(0)
    for start in range(0, 24, 4):
        replay.add(numbered_transitions(start, 4))
    assert len(replay) == 10
    drawn = replay.sample(20_000, rng)
    numbers = drawn.rewards.astype(int)
    assert (drawn.cells == numbers % 9).all()  # rows stay together
    assert (drawn.over == (numbers % 2 == 0)).all()
    counts = np.bincount(numbers)
    assert np.flatnonzero(counts).tolist() == list(range(14, 24))
    assert abs(counts[14:] - 2000).max() < 5 * 2000**0.5


def test_a_replay_comes_back_and_goes_on_overwriting_where_it_was():
    replay, again = Replay(10, Rules()), Replay(10, Rules())
    replay.add(numbered_transitions(0, 7))
    again.load_state_dict(replay.state_dict())
    for one in (replay, again):
        one.add(numbered_transitions(7, 7))
    for kept, same in zip(replay.kept, again.kept, strict=True):
        assert (kept == same).all()
    assert sorted(again.kept.rewards) == list(range(4, 14))


@pytest.mark.parametrize("rules", [Rules(), Rules(2, 3, 2)])
def test_an_image_of_a_move_leads_to_the_image_of_its_board(rules):
    game, rng = positions(rules), np.random.default_rng(0)
    starts, cells = np.nonzero(game.successors >= 0)
    boards, after = game.boards[starts], game.boards[game.successors[starts, cells]]
    replay = Replay(1, rules)
    number = np.zeros(len(cells), np.float32)
    which = rng.integers(0, len(replay.maps), len(cells))
    turned = replay.image(Transitions(boards, cells, number, number == 1, after), which)
    assert (rules.play(turned.boards, turned.cells) == turned.after).all()
    assert (turned.boards != boards).any()


def test_targets_never_look_at_taken_cells_nor_beyond_the_end():
    moves = one_transition("XX_OO____", 5, "XX_OOX___")
    values = torch.full((1, 9), 7.0)
    values[0, [2, 6, 7, 8]] = torch.tensor([0.25, -1.0, 0.5, 0.0])
    assert td_targets(moves, values, sign=1).tolist() == [0.5]
    assert td_targets(moves, values, sign=-1).tolist() == [-0.5]
    ended = moves._replace(over=np.array([True]), rewards=np.array([1], np.float32))
    assert td_targets(ended, values, sign=-1).tolist() == [1.0]


def test_two_plies_of_self_play_teach_that_what_the_other_wins_is_lost():
    """X on 8 lets O win on 5; on 2 X wins itself; on 5 it blocks and threatens."""
    wins = torch.zeros(1, 9)
    wins[0, 5] = 1.0  # what O's best reply is worth to O
    assert td_targets(one_transition("XX_OO____", 8, "XX_OO___X"), wins, sign=-1).tolist() == [-1.0]
    won = one_transition("XX_OO____", 2, "XXXOO____", reward=1.0, over=True)
    assert td_targets(won, wins, sign=-1).tolist() == [1.0]
    learner = DQN(DQNConfig(), Rules())
    assert learner.sign == -1
    assert DQN(DQNConfig(opponent="random"), Rules()).sign == 1


def test_what_dqn_replays_are_moves_of_the_environment_in_the_movers_view():
    learner = DQN(DQNConfig(games=32), Rules())
    for _ in range(20):
        learner.step()
    kept = learner.replay.sample(500, np.random.default_rng(0))
    assert (kept.boards[np.arange(500), kept.cells] == 0).all()
    after = Rules().play(kept.boards, kept.cells)
    going = ~kept.over
    assert (after[going] == kept.after[going]).all()
    assert (Rules().over(after) == kept.over).all()
    assert (kept.rewards == Rules().lost(after)).all()


def test_dqns_published_net_sees_plain_boards_and_answers_between_loss_and_win():
    learner = DQN(DQN.presets["published"], Rules())
    shapes = [tuple(weight.shape) for weight in learner.net.parameters()]
    assert shapes == [(36, 9), (36,), (36, 36), (36,), (9, 36), (9,)]
    boards = positions(Rules()).boards[:200]
    values = learner.net(planes(boards)).detach().numpy()
    assert np.abs(values).max() < 1
    hidden = torch.as_tensor(boards.astype(np.float32))
    for layer in learner.net.layers:
        hidden = layer(hidden)
    np.testing.assert_allclose(values, torch.tanh(hidden / 2).detach(), atol=1e-6)


@pytest.mark.parametrize("symmetric", [False, True])
def test_reinforce_learns_from_the_results_of_the_moves_that_it_chose(symmetric):
    rules = Rules(2, 3, 2)
    boards, cells, results = Reinforce(ReinforceConfig(symmetric=symmetric), rules)._play()
    assert (canonical(rules, boards)[0] == boards).all() == symmetric
    after = rules.play(boards, cells)
    assert (results[rules.over(after)] == rules.lost(after)[rules.over(after)]).all()


@pytest.mark.parametrize("symmetric", [False, True])
def test_maskable_ppo_plays_the_moves_that_it_chose_on_the_boards_shown(symmetric):
    learner = MaskablePPO(MaskablePPOConfig(games=200, symmetric=symmetric), Rules())
    shown, rng = learner.env, np.random.default_rng(0)
    observed = shown.reset()
    for _ in range(5):
        boards, masks = shown.boards, np.stack(shown.env_method("action_masks"))
        assert (canonical(Rules(), boards)[0] == boards).all() == symmetric
        assert (observed == planes(boards).numpy()).all()
        assert (masks == (boards == 0)).all()
        cells = (rng.random(masks.shape) * masks).argmax(axis=1)
        observed, rewards, *_ = shown.step(cells)
        assert ((rewards == 1) == Rules().lost(Rules().play(boards, cells))).all()


@pytest.mark.parametrize(
    ("kind", "rules", "config", "steps"),
    [  # boards too large for certificates; stopped between two copies
        (DQN, Rules(4, 5, 4), DQNConfig(games=16), 2),
        (Reinforce, Rules(4, 5, 4), ReinforceConfig(games=16), 2),
        (DQN, Rules(), DQNConfig(capacity=100, games=8, sync=3, opponent="random"), 10),
        (MaskablePPO, Rules(), MaskablePPOConfig(games=16, batch=64, symmetric=True), 3),
    ],
)
def test_large_boards_and_stops_between_copies_obey_the_laws_too(kind, rules, config, steps):
    check_learner(kind, rules, config, steps)


def test_global_generators_are_seeded_by_the_learner_alone_and_restored():
    def numbers():
        with seeded_globals(np.random.default_rng(3)):
            return np.random.rand(), torch.rand(1).item()  # noqa: NPY002  # watched

    first = numbers()
    np.random.seed(5)  # noqa: NPY002  # watched
    torch.manual_seed(5)
    expected = np.random.RandomState(5).rand(), torch.rand(1, generator=torch.manual_seed(5))
    torch.manual_seed(5)
    assert numbers() == first
    assert np.random.rand() == expected[0]  # noqa: NPY002  # watched
    assert torch.rand(1) == expected[1]
