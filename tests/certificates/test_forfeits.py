"""Players that may forfeit: a row of zeros loses the game at once in every kind of game."""

import gymnasium as gym
import numpy as np
import pytest
from lost_games import require_lost_by_own_moves
from reference import certificate, game

import tttenv
import tttenv.testing
from tttenv import Rules, player
from tttenv.certificates.certificate import METHODS
from tttenv.certificates.refutation import losing_leaves, refute
from tttenv.env.rollouts import rollout
from tttenv.exact import Tabulated, positions, score, tabulate
from tttenv.game.outcomes_kernel import Outcome
from tttenv.league.pair import CachedPlayer, exact_odds, sampled_games
from tttenv.policy import Wrapped, player_for, uniform, validated

RULES = Rules()
GAME = positions(RULES)


class Forfeiter(Wrapped):
    """Wrapper of a player that forfeits the boards chosen by a function."""

    def __init__(self, inner, gone, rules=RULES):
        super().__init__(player_for(rules, inner), pure=False, equivariant=False, forfeits=True)
        self.gone = gone

    def __call__(self, boards):
        """Return its probabilities (batch, cells)."""
        return np.where(self.gone(boards)[:, None], 0.0, self.player(boards))


def some(share, seed):
    """Choose a share of the positions of 3,3,3 at random."""
    chosen = np.random.default_rng(seed).random(len(GAME)) < share
    return lambda boards: chosen[GAME.index(boards)]


PLAYERS = {
    "optimal": Forfeiter(player("minimax", RULES), some(0.02, 0)),
    "strong": Forfeiter(player("tactical", RULES), some(0.1, 1)),
    "random": Forfeiter(uniform, some(0.3, 2)),
    "at once": Forfeiter(uniform, lambda boards: np.ones(len(boards), np.bool_)),
    "never": Forfeiter(player("minimax", RULES), lambda boards: np.zeros(len(boards), np.bool_)),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", PLAYERS)
def test_certificates_count_forfeits_as_losses(name, method):
    policy = PLAYERS[name]
    found = tttenv.certify(RULES, policy, method=method)
    known = certificate((3, 3, 3), game((3, 3, 3)).table(policy))
    for letter in "XO":
        assert found.vs_random[letter] == pytest.approx(known["vs_random"][letter], abs=1e-12)
        assert found.worst_case[letter] in (None, pytest.approx(known["worst_case"][letter]))
        line, shortest = found.losing_line[letter], known["losing_line"][letter]
        assert found.never_loses[letter] == (shortest is None)
        assert (line and len(line)) == (shortest and len(shortest))
        if line is not None:
            require_lost_by_own_moves(RULES, policy, letter, line)
    assert found.unbeatable == (name == "never")
    if method == METHODS[0]:
        assert found.blunders == known["blunders"]
        assert found.optimal_moves == pytest.approx(known["optimal_moves"])


def late(boards):
    """Choose the boards with 8 or 9 stones whose first two cells are taken."""
    return (np.count_nonzero(boards, axis=1) >= 8) & (boards[:, :2] != 0).all(axis=1)


@pytest.mark.parametrize("seat", ["X", "O"])
def test_a_forfeit_is_found_on_boards_too_large_to_enumerate_with_no_line_in_sight(seat):
    rules = Rules(4, 5, 5)  # nobody can complete five with so few stones
    policy = Forfeiter(player("first", rules), late, rules)
    line = refute(rules, policy, seat)
    require_lost_by_own_moves(rules, policy, seat, line)
    assert len(line) == (8 if seat == "X" else 9)
    assert losing_leaves(rules, policy, seat, 5000)[0] > 0
    certificate = tttenv.certify(rules, policy, positions=20_000)
    assert certificate.never_loses[seat] is False
    assert certificate.worst_case[seat] == -1


@pytest.mark.parametrize("rules", [RULES, Rules(4, 4, 4)], ids=str)
@pytest.mark.parametrize("seat", "XO")
def test_an_opponent_that_forfeits_loses_to_the_agent(rules, seat):
    policy = Forfeiter(uniform, lambda boards: np.count_nonzero(boards, axis=1) >= 3, rules)
    given = {"m": rules.m, "n": rules.n, "k": rules.k, "opponent": policy, "seat": seat}
    many = gym.make_vec("TicTacToe-v0", num_envs=6, **given)
    _, infos = many.reset(seed=0)
    ended = np.zeros(6, np.bool_)
    while not ended.any():
        _, rewards, ended, _, infos = many.step(infos["action_mask"].argmax(axis=1))
    assert (infos["final_info"]["outcome"][ended] == Outcome.WIN).all()
    assert (rewards[ended] == 1).all()
    env, over = gym.make("TicTacToe-v0", obs="board", **given), False
    _, info = env.reset(seed=0)
    while not over:
        before = np.count_nonzero(env.unwrapped.board)
        _, reward, over, _, info = env.step(int(info["action_mask"].argmax()))
    assert (reward, info["outcome"]) == (1.0, Outcome.WIN)
    board = env.unwrapped.board
    assert np.count_nonzero(board) == before + 1 >= 3  # the agent's stone, and no reply
    assert np.count_nonzero(board == 1) >= np.count_nonzero(board == -1)


def test_a_game_that_is_over_before_the_agent_moves_is_refused():
    env = gym.make("TicTacToe-v0", opponent=PLAYERS["at once"], seat="O")
    with pytest.raises(ValueError, match="the opponent forfeits on the empty board"):
        env.reset(seed=0)
    assert env.unwrapped.reset(options={"seat": "X"})


@pytest.mark.parametrize("name", PLAYERS)
def test_two_players_have_the_same_results_exactly_and_by_games(name):
    policy, other = PLAYERS[name], PLAYERS["random"]
    found = score(RULES, policy, other)
    first, second = (CachedPlayer(one) for one in (policy, other))
    odds = exact_odds(RULES, first, second, RULES.start(1))
    assert odds[0, 0] == pytest.approx(list(found))
    back = score(RULES, other, policy)
    assert odds[1, 0] == pytest.approx([back.loss, back.draw, back.win])
    games = 4000
    for played in (
        rollout(RULES, policy, other, games, seed=0),
        rollout(RULES, tabulate(RULES, policy), tabulate(RULES, other), games, seed=1),
    ):
        assert played.mean() == pytest.approx(found.value, abs=4 / games**0.5)
    counts = sampled_games(RULES, first, second, RULES.start(1), games, 0).odds
    assert (counts[0, 0] @ [1, 0, -1]) / (games / 2) == pytest.approx(found.value, abs=0.1)
    assert counts.sum() == games


def test_nobody_else_may_forfeit():
    boards, nothing = RULES.start(2), np.zeros((2, 9))
    with pytest.raises(ValueError, match="sum to one"):
        validated(boards, nothing)
    with pytest.raises(ValueError, match="sum to one"):
        tttenv.certify(RULES, lambda boards: np.zeros(boards.shape))
    with pytest.raises(ValueError, match="sum to one"):
        Tabulated(RULES, np.zeros(GAME.boards.shape))
    np.testing.assert_array_equal(validated(boards, nothing, forfeits=True), nothing)
    with pytest.raises(ValueError, match="sum to one"):
        validated(boards, nothing + 0.5 * np.eye(2, 9), forfeits=True)
