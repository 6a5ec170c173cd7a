"""AlphaZero: its invariants on several boards, its training targets, network and player."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from played_boards import played_boards

from learners.alphazero import AlphaZero, AlphaZeroConfig, _Games
from learners.buffers import Examples, ProvenPositions
from learners.registry import LEARNERS
from learners.residual_net import (
    ResidualNet,
    evaluator,
    for_search,
    likeliest_move,
    planes_of,
)
from learners.testing import check_learner
from learners.training.checkpoint import load_weights
from learners.training.run import Run, Schedule
from learners.training.train import train
from tttenv import Rules
from tttenv.certificates.all_positions import blunders
from tttenv.exact import positions, solve, tabulate
from tttenv.game.outcomes_kernel import DRAWN, UNPROVEN, WON
from tttenv.game.symmetry import canonical, maps
from tttenv.players.search.gumbel import GumbelSearch
from tttenv.players.stored.checkpoint import read_card
from tttenv.proofs.prover import Prover

TINY = AlphaZeroConfig(
    channels=4,
    blocks=1,
    games=6,
    capacity=300,
    batch=16,
    examine=3,
    width=10,
    failures=2,
    reached=100,
    doubtful=1,
)


@pytest.mark.parametrize(
    ("size", "counterexamples"), [((2, 3, 2), True), ((4, 4, 4), True), ((6, 6, 4), False)]
)
def test_it_obeys_the_laws_of_a_learner_on_any_board(size, counterexamples):
    config = replace(TINY, counterexamples=counterexamples)
    check_learner(AlphaZero, Rules(*size), config, steps=3)


def finished(rules, moves, values, proofs, random, reward):
    """Return the examples of one game."""
    games = _Games.new(replace(TINY, games=1, opening=0), rules, np.random.default_rng(0))
    board = rules.start(1)
    nothing = np.zeros((1, rules.cells), np.float32)
    for ply, cell in enumerate(moves):
        cells, no = np.array([cell]), np.zeros(1, np.bool_)
        value, proof = np.array([values[ply]]), np.array([proofs[ply]], np.int8)
        chance = np.array([random[ply]])
        games.add(board, nothing, cells, value, proof, chance, no)
        board = rules.play(board, cells)
    examples = games.finish(np.array([0]), np.array([reward]), rules)
    assert games.length[0] == 0
    return examples


NONE, NEVER = [UNPROVEN] * 5, [False] * 5
CHANCE = [False, False, True, False, False]
PROOFS = [UNPROVEN, DRAWN, UNPROVEN, WON, UNPROVEN]


@pytest.mark.parametrize(
    ("values", "proofs", "random", "reward", "worth", "replies"),
    [
        ([0.0] * 5, NONE, NEVER, 1.0, [1, -1, 1, -1, 1], [3, 1, 4, 2, -1]),
        ([0.0] * 5, NONE, NEVER, 0.0, [0] * 5, [3, 1, 4, 2, -1]),
        ([0, 0, 0.5, 0, 0], NONE, CHANCE, 1.0, [0.5, -0.5, 0.5, -1, 1], [3, -1, 4, 2, -1]),
        ([0.0] * 5, PROOFS, NEVER, 1.0, [0, 0, -1, 1, 1], [3, 1, 4, 2, -1]),
    ],
    ids=["the end", "a draw", "the search before a random move", "a proof"],
)
def test_positions_are_worth_what_is_known_of_their_game(
    values, proofs, random, reward, worth, replies
):
    found = finished(Rules(), [0, 3, 1, 4, 2], values, proofs, random, reward)
    assert (found.results[:, 0] - found.results[:, 2]).tolist() == worth
    assert (found.results.sum(axis=1) == 1).all()
    assert found.replies.tolist() == replies  # a random reply is not learned


@pytest.mark.parametrize("size", [(3, 3, 3), (4, 4, 4), (5, 6, 4)])
def test_what_it_learns_from_examinations_is_proved(size):
    rules = Rules(*size)
    learner, prover = AlphaZero(replace(TINY, width=50, failures=8), rules), Prover(rules)
    for _ in range(3):
        learner.step()
    assert len(learner.mistakes)
    kept = learner.mistakes.kept
    for row in range(min(8, len(learner.mistakes))):
        board, policy = kept.boards[row], kept.policies[row]
        mover = 1 if rules.seat(board) == 0 else -1
        worth = kept.results[row, 0] - kept.results[row, 2]
        assert prover.prove(board).value * mover == worth
        assert policy.sum() == pytest.approx(1, abs=1e-5)
        for cell in np.flatnonzero(policy):
            after = rules.play(board, int(cell))
            lost = int(rules.lost(after))
            value = lost if rules.over(after) else prover.prove(after).value * mover
            assert value == worth


def test_all_blunders_on_a_small_board_are_learned_but_not_all_positions():
    learner = AlphaZero(replace(TINY, doubtful=160, capacity=1_000), Rules())
    learner.average = trained_a_little()
    learner._examine()
    policy = learner.player_of(learner.config, learner.rules, {"net": learner.average})
    solution, table = solve(learner.rules), tabulate(learner.rules, policy).table
    boards = solution.positions.boards[blunders(solution, table)]
    assert len(learner.mistakes.find(boards).rows) == len(boards) > 0
    assert len(learner.mistakes) < 400  # in 431 classes a move gives value away


@pytest.mark.parametrize("size", [(1, 2, 2), (3, 3, 3), (4, 6, 4), (9, 9, 5)])
def test_one_networks_weights_serve_every_board(size):
    rules, net = Rules(*size), trained_a_little()
    boards = played_boards(rules, 40)
    with torch.no_grad():
        found = net(planes_of(rules)(boards))
    assert found.policy.shape == found.reply.shape == boards.shape
    assert found.results.shape == (40, 3)
    probs = likeliest_move(rules, net)(boards)
    assert (probs.sum(axis=1) == 1).all()
    assert (boards[probs > 0] == 0).all()


def trained_a_little():
    """Return a network whose last layers are not zero."""
    net, rng = ResidualNet(8, 2, np.random.default_rng(0)), np.random.default_rng(1)
    with torch.no_grad():
        for weight in net.parameters():
            weight += torch.as_tensor(rng.normal(size=tuple(weight.shape)) * 0.1)
    return net


def test_its_moves_are_those_of_the_network_in_float64():
    rules, net = Rules(5, 5, 4), trained_a_little()
    boards = played_boards(rules, 300)
    played = likeliest_move(rules, net)(boards).argmax(axis=1)
    with torch.no_grad():
        logits = net.double()(planes_of(rules)(boards).double()).policy.numpy()
    best = np.where(boards == 0, logits, -np.inf).argmax(axis=1)
    assert (played == best).all()


@pytest.fixture
def set_threads():
    """Yield the function that sets torch's number of threads, which is restored."""
    before = torch.get_num_threads()
    yield torch.set_num_threads
    torch.set_num_threads(before)


def test_its_moves_are_the_same_on_any_number_of_threads(set_threads):
    rules, net = Rules(4, 4, 3), ResidualNet(4, 1, np.random.default_rng(0))
    torch.nn.init.normal_(net.moves.weight, generator=torch.Generator().manual_seed(0))
    boards = played_boards(rules, 2_500)
    policy, found = likeliest_move(rules, net), []
    for threads in (1, 2, 3, 5):
        set_threads(threads)
        found.append(policy(boards))
        assert torch.get_num_threads() == threads
    assert all((each == found[0]).all() for each in found)


def test_threads_share_the_games_and_search_each_as_one_thread_does(set_threads):
    found = []
    for threads in (1, 3, 3):
        set_threads(threads)
        learner = AlphaZero(replace(TINY, games=8), Rules(5, 5, 4))
        assert len(learner.searches) == threads
        learner.env.reset(options={"board": played_boards(learner.rules, 8)})
        normal = torch.Generator().manual_seed(0)
        torch.nn.init.normal_(learner.average.moves.weight, generator=normal)
        found.append(learner._search(*learner._wanted_searches()[1:]))
    alone, together, again = found
    assert not np.allclose(alone.policy[::-1], alone.policy, atol=1e-2)
    assert np.allclose(alone.policy, together.policy, atol=1e-4)
    assert all((x == y).all() for x, y in zip(together, again, strict=True))


def test_a_search_by_a_network_gives_the_same_answers_in_any_company():
    rules = Rules(5, 5, 4)
    search = GumbelSearch(rules, for_search(evaluator(rules, trained_a_little())), 12, 64)
    boards = played_boards(rules, 60)
    alone = np.concatenate([search.search(board[None]).moves for board in boards])
    assert (search.search(boards).moves == alone).all()


@pytest.mark.parametrize(("boards", "threads"), [(1, 1), (7, 1), (8, 2)])
def test_few_boards_are_evaluated_by_one_thread_even_if_that_fails(boards, threads, set_threads):
    seen = []

    def evaluate(boards):
        seen.append(torch.get_num_threads())
        raise ValueError("a failure")

    set_threads(2)
    with pytest.raises(ValueError, match="a failure"):
        for_search(evaluate)(np.zeros((boards, 9), np.int8))
    assert (seen, torch.get_num_threads()) == ([threads], 2)


def proven(rules, boards):
    """Return examples of positions whose first two empty cells are marked as the good moves."""
    good = (boards == 0) & (np.cumsum(boards == 0, axis=1) <= 2)
    rng = np.random.default_rng(3)
    return Examples(
        boards=boards,
        policies=(good / good.sum(axis=1, keepdims=True)).astype(np.float32),
        results=np.eye(3, dtype=np.float32)[rng.integers(0, 3, len(boards))],
        replies=np.full(len(boards), -1, np.int16),
    )


def images_after(rules, board, cells):
    """Return the canonical images of the boards after moves."""
    after = rules.play(np.repeat(board[None], len(cells), axis=0), cells)
    return {image.tobytes() for image in canonical(rules, after)[0]}


@pytest.mark.parametrize("size", [(3, 3, 3), (3, 5, 3), (5, 5, 4)])
def test_what_is_proven_of_a_board_is_found_for_all_its_images(size):
    rules = Rules(*size)
    boards = np.unique(canonical(rules, played_boards(rules, 60))[0], axis=0)
    known, others = boards[::2], boards[1::2]
    turns = maps(rules)[np.arange(len(known)) % len(maps(rules))]
    known = np.take_along_axis(known, turns, axis=1)
    examples, stored = proven(rules, known), ProvenPositions(len(known), rules)
    stored.add(examples)
    again = ProvenPositions(len(known), rules)
    again.load_state_dict(stored.state_dict())
    assert not len(stored.find(others).rows)
    for turn in maps(rules):
        for buffer in (stored, again):
            mixed = np.concatenate([others, np.ascontiguousarray(known[:, turn])])
            found = buffer.find(mixed)
            assert found.rows.tolist() == list(range(len(others), len(mixed)))
            assert (found.results == examples.results).all()
            assert found.values.tolist() == (examples.results @ [1, 0, -1]).tolist()
            for board, policy, wanted in zip(known[:, turn], found.policies, known, strict=True):
                assert (policy[board != 0] == 0).all()
                first = np.flatnonzero(wanted == 0)[:2]
                good = np.flatnonzero(policy)
                assert images_after(rules, board, good) == images_after(rules, wanted, first)
    stored.add(proven(rules, others[:3]))
    assert len(stored.find(known).rows) == len(known) - 3
    assert len(stored.rows) == len(known)  # what is overwritten is forgotten


def test_policies_are_learned_of_all_positions_but_lost_ones():
    rules, settings = Rules(3, 3, 3), {"full_share": 1.0, "deviation": 0.5, "opening": 0}
    learner = AlphaZero(replace(TINY, counterexamples=False, **settings), rules)
    for _ in range(20):
        learner.step()
    values = solve(rules).values[positions(rules).index(learner.replay.boards)]
    total = learner.replay.kept.policies[: len(learner.replay)].sum(axis=1)
    assert total[values >= 0] == pytest.approx(1)
    assert (total[values < 0] == 0).any()


def test_a_training_begins_with_the_weights_of_another_board(tmp_path):
    schedule = Schedule(steps=2, every=1, checkpoint_every=1)
    small, large = tmp_path / "small", tmp_path / "large"
    train(Run("alphazero", "default", TINY, Rules(3, 3, 3), schedule), small)
    whole = Run("alphazero", "default", TINY, Rules(4, 4, 4), schedule, start=small)
    with pytest.raises(ValueError, match="has another size"):
        train(replace(whole, config=replace(TINY, channels=5)), large)
    learner = AlphaZero(TINY, Rules(4, 4, 4))
    first_weights = load_weights(small, "alphazero")[1]
    learner.start_from(first_weights)
    for name, tensor in first_weights.items():
        assert torch.equal(tensor, learner.state_dict()["learning"][name])
    first = train(replace(whole, schedule=replace(schedule, steps=1)), large)
    learner.step()
    for name, tensor in load_weights(large, "alphazero")[1].items():
        assert torch.equal(tensor, learner.state_dict()["weights"][name])
    assert read_card(large)["start"].startswith("3,3,3, weights-")
    with pytest.raises(ValueError, match=r"had start=[^\n]*small, not None$"):
        train(replace(whole, start=None), large, resume=True)
    train(whole, large, resume=True)
    assert read_card(large)["start"].startswith("3,3,3, weights-")
    assert first.step == 1
    config = LEARNERS.load("td0").Config()
    with pytest.raises(ValueError, match="cannot start from the weights"):
        train(Run("td0", "default", config, Rules(), schedule, small), tmp_path / "table")
