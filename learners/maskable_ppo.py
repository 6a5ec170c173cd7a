"""sb3-contrib's MaskablePPO, trained against itself or a pool of opponents.

PPO (Schulman et al., arXiv 1707.06347, 2017) with occupied cells masked. Games begin with random
stones (exploring starts), and the entropy bonus is large and constant, see `learners.reinforce`.
Against opponents that err, a draw must pay more than three quarters of the way from loss to win; as
published, with +1/0/-1, the player takes risks.
"""

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from importlib import import_module
from typing import Any

import numpy as np
import sb3_contrib
import torch
from numpy.typing import NDArray
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.vec_env import VecEnvWrapper

from learners.nets import MaskedMLP, Nets, evaluate
from learners.parts import NetworkLearner, Rng
from learners.settings.maskable_ppo import PRESETS, MaskablePPOConfig
from tttenv.exact import enumerable, tabulate
from tttenv.game.features import one_hot
from tttenv.game.rules import Rules, require_line_wins
from tttenv.game.symmetry import canonical, maps
from tttenv.game.types import Boards, Probs
from tttenv.players import player
from tttenv.players.symmetric_player import canonical_player
from tttenv.policy import PURE, FunctionPlayer, Player, softmax


class MaskablePPO(NetworkLearner[MaskablePPOConfig]):
    """MaskablePPO learner, for any rules, through the adapter `tttenv.adapters.sb3`."""

    Config = MaskablePPOConfig
    presets = PRESETS

    def __init__(self, config: MaskablePPOConfig, rules: Rules) -> None:
        require_line_wins(rules, "maskable_ppo")
        super().__init__(config, rules)
        self.rollouts = 0
        make: Any = import_module("tttenv.adapters.sb3").VecEnv
        env = make(config.games, config.opening, config.draw, **asdict(rules))
        self.games, self.env = env.games, BoardsShown(env, config.symmetric)
        self.games.np_random = self.rng
        with seeded_globals(self.rng):
            self.model = sb3_contrib.MaskablePPO(
                "MlpPolicy",
                self.env,
                learning_rate=config.lr,
                n_steps=config.turns,
                batch_size=config.batch,
                n_epochs=config.epochs,
                gamma=1.0,
                ent_coef=config.entropy,
                policy_kwargs={"net_arch": list(config.hidden), "activation_fn": torch.nn.ReLU},
                device=torch.get_default_device(),
            )
        self.model.set_logger(Logger(None, []))
        net = self.model.policy
        self.actor = torch.nn.Sequential(net.mlp_extractor.policy_net, net.action_net)
        self.pool = {spec: player(spec, rules) for spec in config.pool if spec != "self"}

    def step(self) -> dict[str, float]:
        """Collect a rollout against the next opponent, and update the networks on it."""
        config, spec = self.config, self.config.pool[self.rollouts % len(self.config.pool)]
        self.games.set_opponent(self.pool.get(spec) or self._current_policy())
        share = 1 / (1 + self.rollouts / config.decay) if config.decay else 1.0
        self.model.lr_schedule = lambda _: config.lr * share
        with seeded_globals(self.rng):
            self.model.learn(config.games * config.turns, reset_num_timesteps=False)
        self.rollouts += 1
        self.moves += config.games * config.turns
        logged = self.model.logger.name_to_value
        return {name: float(logged[f"train/{name}"]) for name in ("value_loss", "entropy_loss")}

    @classmethod
    def networks(cls, config: MaskablePPOConfig, rules: Rules, rng: Rng | None = None) -> Nets:
        """Return the policy network, with SB3's layers and uninitialised weights."""
        layers = MaskedMLP(rules.cells, config.hidden, None).layers
        return {"actor": torch.nn.Sequential(layers[:-1], layers[-1])}

    @classmethod
    def player_of(cls, config: MaskablePPOConfig, rules: Rules, nets: Nets) -> Player:
        """Return the greedy player, on canonical boards if the policy learned on these."""
        greedy = super().player_of(config, rules, nets)
        return canonical_player(greedy) if config.symmetric else greedy

    def parts(self) -> dict[str, Any]:
        """Return both networks, the optimiser and the number of rollouts."""
        return {
            "weights": {"actor": self.actor},
            "model": {"both": self.model.policy},
            "optimiser": self.model.policy.optimizer,
            "rollouts": self.rollouts,
        }

    def state_dict(self) -> dict[str, Any]:
        """Return copies of all parts and of SB3's games."""
        games = {"boards": self.games.boards, "starts": self.model._last_episode_starts}
        return super().state_dict() | games

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore a state returned by `state_dict()`; "weights" alone is enough to play."""
        super().load_state_dict(state)
        if state.get("rollouts"):
            self.model._last_obs = self.env.put(state["boards"])
            self.model._last_episode_starts = state["starts"]

    def _current_policy(self) -> Player:
        """Return a frozen copy of the policy, which samples its moves."""
        rules, net = self.rules, copy.deepcopy(self.actor)

        def play(boards: Boards) -> Probs:
            return softmax(evaluate(rules, [net], boards), boards == 0)

        made = tabulate(rules, play) if enumerable(rules) else FunctionPlayer(rules, play, PURE)
        return canonical_player(made) if self.config.symmetric else made


class BoardsShown(VecEnvWrapper):
    """Games of `tttenv.adapters.sb3`, shown as one board of each symmetry class if `symmetric`.

    The masks and actions are those of the boards shown.
    """

    def __init__(self, env: Any, symmetric: bool) -> None:
        super().__init__(env)
        self.games, self.symmetric, self.maps = env.games, symmetric, maps(env.games.rules)

    def put(self, boards: Boards) -> Any:
        """Set the boards (games, cells) of all games, unchecked, and return the observations."""
        self.games.match.set_boards(boards)
        return self._observe()

    def reset(self) -> Any:
        """Start all games; return the observations."""
        self.venv.reset()
        return self._observe()

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Store the actions for `step_wait`."""
        self.venv.step_async(self.maps[self.which, actions])

    def step_wait(self) -> tuple[Any, ...]:
        """Play the stored actions; return observations, rewards, dones and infos."""
        _, *rest = self.venv.step_wait()
        return self._observe(), *rest

    def env_method(self, method_name: str, *args: Any, **kwargs: Any) -> list[Any]:
        """Return the masks of the boards shown, or call another method of the games."""
        if method_name == "action_masks":
            return list(self.boards == 0)
        return self.venv.env_method(method_name, *args, **kwargs)

    def _observe(self) -> Any:
        self.boards, self.which = self.games.boards, np.zeros(self.num_envs, np.int64)
        if self.symmetric:
            self.boards, self.which = canonical(self.games.rules, self.boards)
        return one_hot(self.boards)


@contextmanager
def seeded_globals(rng: np.random.Generator) -> Iterator[None]:
    """Seed the global generators used by SB3, and restore their states afterwards."""
    seed, numpy_state = int(rng.integers(2**32)), np.random.get_state()  # noqa: NPY002  # SB3's
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        np.random.seed(seed)  # noqa: NPY002  # SB3 draws from it
        try:
            yield
        finally:
            np.random.set_state(numpy_state)  # noqa: NPY002  # as it was
