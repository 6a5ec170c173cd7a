"""Workloads of other packages for speed.py --peers, if they are installed."""

from collections.abc import Callable
from math import sqrt
from typing import Any

import numpy as np

from scripts.speed_rows import Work, self_play
from tttenv import Rules

GAMES = {"3,3,3": "tic_tac_toe"}  # others are OpenSpiel's mnk(m=columns,n=rows,k=k)


def make(name: str, seed: int) -> Work | None:
    """Set up the workload of a peer; return None if its package is not installed."""
    kind = next(known for known in PEERS if name.startswith(known))
    try:
        return PEERS[kind](name.removeprefix(kind).strip(), seed)
    except ImportError:
        return None


def pettingzoo(_: str, seed: int) -> Work:
    """Return a workload of a thousand random plies in tictactoe_v3, sampled the fastest way."""
    from pettingzoo.classic import tictactoe_v3

    env, rng = tictactoe_v3.env(), np.random.default_rng(seed)
    env.reset(seed=seed)

    def work() -> float:
        for _ in range(1000):
            observed, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset()
                continue
            legal = np.flatnonzero(observed["action_mask"])
            env.step(int(legal[int(rng.random() * legal.size)]))
        return 1000.0

    return work


def openspiel_state(_: str, seed: int) -> Work:
    """Return a workload of a thousand plies, with each state's NumPy observation and mask."""
    import pyspiel

    game, rng = pyspiel.load_game("tic_tac_toe"), np.random.default_rng(seed)

    def work() -> float:
        state = game.new_initial_state()
        for _ in range(1000):
            if state.is_terminal():
                state = game.new_initial_state()
            legal = state.legal_actions()
            state.apply_action(legal[int(rng.random() * len(legal))])
            np.array(state.observation_tensor(0), np.float32)
            np.array(state.legal_actions_mask(), np.int8)
        return 1000.0

    return work


def pgx(pick: str, seed: int) -> Work:
    """Return a workload of ten jitted steps in 8,192 games, with random legal moves and restarts.

    With "first legal", the cheapest way to pick moves, all games are the same.
    """
    import jax
    import pgx as library
    from pgx.experimental.wrappers import auto_reset

    env, batch = library.make("tic_tac_toe"), 8192
    step_one = auto_reset(env.step, env.init)
    state = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(seed), batch))

    def stepped(state: Any, key: Any) -> tuple[Any, Any]:
        key, own, dice = jax.random.split(key, 3)
        keys = jax.random.split(own, batch)
        legal = state.legal_action_mask
        if pick == "random legal":
            reached = legal.cumsum(axis=1)
            goals = jax.random.uniform(dice, (batch, 1)) * reached[:, -1:]
            actions = (reached <= goals).sum(axis=1)
        else:
            actions = legal.argmax(axis=1)
        return jax.vmap(step_one)(state, actions, keys), key

    step = jax.jit(stepped)
    now = [state, jax.random.PRNGKey(seed + 1)]

    def work() -> float:
        for _ in range(10):
            now[:] = step(*now)
            jax.block_until_ready(now[0].observation)
        return 10.0 * batch

    return work


def _game(rules: str) -> Any:
    import pyspiel

    m, n, k = rules.split(",")
    return pyspiel.load_game(GAMES.get(rules, f"mnk(m={n},n={m},k={k})"))


def openspiel_playouts(rules: str, seed: int) -> Work:
    """Return a workload of random games in C++, as OpenSpiel's MCTS evaluates positions."""
    import pyspiel

    count, game = 2000 if rules == "3,3,3" else 20, _game(rules)
    evaluator = pyspiel.RandomRolloutEvaluator(count, seed)
    bot = pyspiel.MCTSBot(game, evaluator, sqrt(2), 1, 1000, False, seed, False)
    state = game.new_initial_state()

    def work() -> float:
        bot.mcts_search(state)
        return float(count)

    return work


def openspiel_mcts(rules: str, seed: int) -> Work:
    """Return a workload of one search with 2,000 simulations, each with one random game."""
    import pyspiel

    game, evaluator = _game(rules), pyspiel.RandomRolloutEvaluator(1, seed)
    bot = pyspiel.MCTSBot(game, evaluator, sqrt(2), 2000, 1000, False, seed, False)
    state = game.new_initial_state()

    def work() -> float:
        bot.mcts_search(state)
        return 2000.0

    return work


def openspiel_solver(_: str, seed: int) -> Work:
    """Return a workload that solves the game from scratch."""
    from open_spiel.python.algorithms.minimax_solver import MinimaxSolver

    return lambda: float(bool(MinimaxSolver("tic_tac_toe").solve()))


def openspiel_nash(language: str, seed: int) -> Work:
    """Return a workload that computes the NashConv of the uniform player."""
    import pyspiel
    from open_spiel.python import policy
    from open_spiel.python.algorithms import exploitability

    game = pyspiel.load_game("tic_tac_toe")
    if language == "in Python":
        return lambda: float(exploitability.nash_conv(game, policy.UniformRandomPolicy(game)) > 0)
    return lambda: float(pyspiel.nash_conv(game, pyspiel.UniformRandomPolicy(game)) > 0)


def openspiel_self_play(rules: str, seed: int) -> Work:
    """Return a workload of one move by a network-guided search in Python."""
    return self_play.openspiel_positions(Rules.of(rules), seed)


PEERS: dict[str, Callable[[str, int], Work]] = {
    "PettingZoo": pettingzoo,
    "OpenSpiel state": openspiel_state,
    "pgx": pgx,
    "OpenSpiel C++ play-outs": openspiel_playouts,
    "OpenSpiel C++ MCTS": openspiel_mcts,
    "OpenSpiel MinimaxSolver": openspiel_solver,
    "OpenSpiel nash_conv": openspiel_nash,
    "OpenSpiel in Python": openspiel_self_play,
}
