"""AlphaZero self-play for speed.py: network-guided tree searches, ours and OpenSpiel's.

Both choose every move by a search with the same number of simulations and a network of the same
size and random weights, and restart finished games. Ours plays 128 games in parallel.
"""

import math
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from learners.configs import Shape
from learners.residual_net import ResidualNet, evaluator
from scripts.speed_rows import Work
from tttenv import Rules
from tttenv.env.vector import VectorTicTacToe
from tttenv.players.gumbel_search import Evaluate, GumbelSearch

GAMES = 128  # ours, side by side
SIMULATIONS = 32  # of every search


def network(rules: Rules, seed: int) -> Evaluate:
    """Return a network of AlphaZero's default size with random weights, as an evaluator."""
    return evaluator(rules, ResidualNet(Shape(32, 2), np.random.default_rng(seed)))


def positions(rules: Rules, seed: int) -> Work:
    """Return a workload of one move in each of our games."""
    torch.set_num_threads(1)
    rng = np.random.default_rng(seed)
    search = GumbelSearch(rules, network(rules, seed), SIMULATIONS, GAMES)
    env = VectorTicTacToe(GAMES, rules.m, rules.n, rules.k, opponent=None, obs="board")
    env.reset(seed=seed)
    wanted = np.full(GAMES, SIMULATIONS)

    def work() -> float:
        noise = rng.gumbel(size=env.boards.shape).astype(np.float32)
        env.step(search.search(env.boards, wanted, noise).moves)
        return float(GAMES)

    return work


def openspiel_positions(rules: Rules, seed: int) -> Work:
    """Return a workload of one move by OpenSpiel's Python search with the network."""
    import pyspiel
    from open_spiel.python.algorithms import mcts

    torch.set_num_threads(1)
    evaluate = network(rules, seed)
    game = pyspiel.load_game(f"mnk(m={rules.n},n={rules.m},k={rules.k})")

    class Guided(mcts.Evaluator):  # type: ignore[misc]
        """Evaluator that queries the network and caches its outputs, like OpenSpiel's."""

        def __init__(self) -> None:
            self.known: dict[str, tuple[float, NDArray[np.float64]]] = {}

        def evaluate(self, state: Any) -> NDArray[np.float64]:
            value, _ = self._ask(state)
            return np.array([value, -value])

        def prior(self, state: Any) -> list[tuple[int, float]]:
            _, probs = self._ask(state)
            return [(action, float(probs[action])) for action in state.legal_actions()]

        def _ask(self, state: Any) -> tuple[float, NDArray[np.float64]]:
            text = str(state)
            if text not in self.known:
                board = rules.parse("".join(text.split()).upper().replace(".", "_"))
                logits, values = evaluate(board[None])
                powers = np.where(board == 0, np.exp(logits[0] - logits[0].max()), 0.0)
                value = float(values[0]) * (1 if state.current_player() == 0 else -1)
                self.known[text] = value, powers / powers.sum()
            return self.known[text]

    rng = np.random.RandomState(seed)
    guided = Guided()
    bot = mcts.MCTSBot(
        game,
        math.sqrt(2),
        SIMULATIONS,
        guided,
        solve=False,
        random_state=rng,
        child_selection_fn=mcts.SearchNode.puct_value,
        dirichlet_noise=(0.25, 1.0),
    )
    state = game.new_initial_state()

    def work() -> float:
        nonlocal state
        if state.is_terminal():
            state = game.new_initial_state()
            guided.known.clear()
        state.apply_action(bot.step(state))
        return 1.0

    return work
