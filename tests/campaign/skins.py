"""Uniform interfaces to environments of every kind, for hostile calls.

Besides our own, alone, wrapped by Gymnasium or batched, there are those for PettingZoo,
Stable-Baselines3, Tianshou, skrl and TorchRL. `told` tells of all that a refused call must leave.
"""

import random
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np

from tttenv.env.env import TicTacToe
from tttenv.env.vector import VectorTicTacToe

from . import rubbish


class Skin:
    """Environment of one kind behind a uniform interface; here the single environment."""

    seeded = opposed = True  # takes seeds, takes opponents
    theirs: tuple[type[Exception], ...] = ()  # errors of the library around it
    without: tuple[str, ...] = ()  # arguments that it has not

    def __init__(self, made: dict[str, Any], opponent: Any, dice: random.Random) -> None:
        self.made, self.dice = made, dice
        self.obs = dice.choice(("onehot", "board", "dict"))
        self.env: Any = self.make({"opponent": opponent, "seat": dice.choice(("X", "O", "random"))})

    def make(self, more: dict[str, Any]) -> Any:
        """Create an environment with additional arguments."""
        return TicTacToe(**{**self.made, "obs": self.obs, **more})

    @property
    def base(self) -> Any:
        """Innermost environment, without its wrappers."""
        return self.env.unwrapped

    @property
    def match(self) -> Any:
        """Match within the environment."""
        return self.base.match

    def begin(self, seed: int) -> None:
        """Reset with a seed, so that all randomness follows from the case."""
        self.env.reset(seed=seed)

    @property
    def games(self) -> int:
        """Number of games."""
        return int(self.match.over.size)

    def takes_seeds(self, seeds: Any) -> bool:
        """Return whether these are valid seeds, one for each game."""
        return False

    def step(self, action: Any) -> None:
        """Make one step."""
        self.env.step(action)

    def reset(self, seed: Any = None, options: Any = None) -> None:
        """Reset the environment."""
        self.env.reset(seed=seed, options=options)

    def set_opponent(self, opponent: Any) -> None:
        """Replace the opponent."""
        self.env.unwrapped.set_opponent(opponent)

    def legal(self) -> Any:
        """Return a legal action."""
        return int(self.dice.choice(np.flatnonzero(self.match.legal()[0]).tolist() or [0]))

    def wrong_action(self) -> Any:
        """Return an invalid action."""
        return self.dice.choice(rubbish.wrong_actions(self.match.rules.cells))

    def wrong_options(self) -> Any:
        """Return invalid options of a reset."""
        return rubbish.wrong_options(self.match.rules.cells, self.games, self.dice)

    def over(self) -> bool:
        """Return whether a reset is due."""
        return bool(self.match.over.any())

    def asks(self, opponent: Any) -> bool:
        """Return whether the environment plays against this opponent."""
        return self.match.opponent is opponent

    def ignores(self, options: Any) -> bool:
        """Return whether the environment ignores these options."""
        return False

    def close(self) -> None:
        """Close the environment, which then rejects further calls."""
        self.env.close()

    def visible_state(self) -> dict[str, Any]:
        """Return everything that the environment knows about its games, for comparison."""
        match, base = self.match, self.base
        rng = getattr(base, "_np_random", None)
        return {
            "boards": match.boards.tobytes(),
            "over": match.over.tobytes(),
            "rewards": match.rewards.tobytes(),
            "active": match.active,
            "opponent": id(match.opponent),
            "generator": rng.bit_generator.state if rng is not None else None,
            "seed": getattr(base, "_np_random_seed", None),
        }


class Made(Skin):
    """Environment from `gymnasium.make`, in its usual wrappers."""

    # Of its checker, of its own specs, and of what it compares with the modes it knows.
    theirs = (AssertionError, TypeError, AttributeError, rubbish.BurstError)

    def make(self, more: dict[str, Any]) -> Any:
        """Create the environment by its id."""
        return gym.make("TicTacToe-v0", disable_env_checker=True, **{**self.made, **more})


class Batch(Skin):
    """Vector environment."""

    def make(self, more: dict[str, Any]) -> Any:
        """Create several games."""
        games = self.dice.choice((1, 2, 7))
        given = {**self.made, "obs": self.obs, **more}
        return VectorTicTacToe(games, **given)

    def legal(self) -> Any:
        """Return a legal cell for every game."""
        masks = self.match.legal()
        return np.array([self.dice.choice(np.flatnonzero(row).tolist() or [0]) for row in masks])

    def takes_seeds(self, seeds: Any) -> bool:
        """Return whether this is a list of valid seeds, each of which may be None."""
        return (
            isinstance(seeds, list) and [type(seed) for seed in seeds] == [type(None)] * self.games
        )

    def wrong_action(self) -> Any:
        """Return an invalid batch of actions."""
        return rubbish.wrong_batches(self.match.rules.cells, self.games, self.dice)

    def over(self) -> bool:
        """Return whether some games are finished."""
        return self.match.active < self.games


class Zoo(Skin):
    """PettingZoo environment without wrappers."""

    seeded = opposed = False
    without = ("opponent", "seat")

    def make(self, more: dict[str, Any]) -> Any:
        """Create a game for two agents."""
        from tttenv.adapters.pettingzoo import raw_env

        known = {name: value for name, value in more.items() if name not in self.without}
        return raw_env(**{**self.made, "obs": "board", **known})

    def asks(self, opponent: Any) -> bool:
        """Return False, since there is no opponent."""
        return False

    def ignores(self, options: Any) -> bool:
        """Return whether the options contain no board."""
        return not isinstance(options, dict) or set(options) != {"board"}

    def wrong_action(self) -> Any:
        """Return an invalid action; None is excluded after a game, where it is valid."""
        action = super().wrong_action()
        return -1 if action is None and self.over() else action

    def reset(self, seed: Any = None, options: Any = None) -> None:
        """Reset the environment."""
        self.env.reset(seed=seed, options=options)

    def visible_state(self) -> dict[str, Any]:
        """Return the games and the agent to move."""
        base = self.env.unwrapped
        names = ("agents", "agent_selection", "rewards", "terminations", "truncations")
        names += ("_cumulative_rewards",)
        return {
            **super().visible_state(),
            **{name: repr(getattr(base, name, None)) for name in names},
        }


class Batches3(Batch):
    """Environment for Stable-Baselines3."""

    seeded = False  # its base class deals with seeds

    def make(self, more: dict[str, Any]) -> Any:
        """Create several games."""
        from tttenv.adapters.sb3 import VecEnv

        games = self.dice.choice((1, 2, 7))
        return VecEnv(games, **{**self.made, "obs": self.obs, **more})

    @property
    def base(self) -> Any:
        """Innermost environment, without its wrappers."""
        return self.env.games

    def begin(self, seed: int) -> None:
        """Reset with a seed, so that all randomness follows from the case."""
        self.env.seed(seed)
        self.env.reset()

    def reset(self, seed: Any = None, options: Any = None) -> None:
        """Reset the environment."""
        self.env._options = [options] * self.env.num_envs
        try:
            self.env.reset()
        finally:
            self.env._reset_options()

    def ignores(self, options: Any) -> bool:
        """Return whether the options are empty."""
        try:
            return not options
        except Exception:
            return True

    def set_opponent(self, opponent: Any) -> None:
        """Replace the opponent."""
        self.env.env_method("set_opponent", opponent)


class Tianshou(Skin):
    """Tianshou environment."""

    without = ("obs",)

    def make(self, more: dict[str, Any]) -> Any:
        """Create the environment in its wrapper."""
        from tttenv.adapters.tianshou import make_env

        return make_env(**{**self.made, **more})


class Skrl(Batch):
    """Environment for skrl, which takes tensors (games, 1) and reads floats as integers."""

    seeded = opposed = False
    without = ("obs",)

    def make(self, more: dict[str, Any]) -> Any:
        """Create several games."""
        from tttenv.adapters.skrl import make_env

        games = self.dice.choice((1, 2, 7))
        return make_env(games, **{**self.made, **more})

    @property
    def base(self) -> Any:
        """Innermost environment, without its wrappers."""
        return self.env._env

    def begin(self, seed: int) -> None:
        """Reset with a seed, so that all randomness follows from the case."""
        self.base.reset(seed=seed)
        self.env.reset()

    def reset(self, seed: Any = None, options: Any = None) -> None:
        """Reset the environment, which takes no other arguments."""
        self.env.reset()

    def ignores(self, options: Any) -> bool:
        """Return True, since the environment takes no options."""
        return True

    def legal(self) -> Any:
        """Return a legal cell for every game."""
        import torch

        return torch.as_tensor(super().legal())[:, None]

    def wrong_action(self) -> Any:
        """Return tensors that are invalid actions."""
        import torch

        cells, games = self.match.rules.cells, self.games
        good = [self.dice.randrange(cells) for _ in range(games)]
        bad = list(good)
        bad[self.dice.randrange(games)] = self.dice.choice((-1, cells, 2**62, -(2**63)))
        kinds = [torch.tensor(bad)[:, None], torch.tensor(bad), torch.zeros(0, 1)]
        kinds += [torch.zeros(games, 2, dtype=torch.int64), torch.tensor([*good, 0])[:, None]]
        kinds += [torch.full((games, 1), torch.nan), torch.full((games, 1), -1e30)]
        return self.dice.choice(kinds)


class TorchRL(Batch):
    """TorchRL batch, which takes tensors (games,) and does not restart games by itself."""

    opposed = False
    without = ("obs", "render_mode")
    theirs = (RuntimeError,)  # of tensordict, which wants as many rows as there are games

    def takes_seeds(self, seeds: Any) -> bool:
        """Return whether this is one number, by which TorchRL seeds."""
        return False

    def make(self, more: dict[str, Any]) -> Any:
        """Create several games."""
        from tttenv.adapters.torchrl import make_env

        games = self.dice.choice((1, 2, 7))
        return make_env(games, **{**self.made, **more})

    @property
    def base(self) -> Any:
        """Innermost environment, without its wrappers."""
        return self.env.base_env.games

    def begin(self, seed: int) -> None:
        """Reset with a seed, so that all randomness follows from the case."""
        self.env.set_seed(seed)
        self.env.reset()

    def step(self, action: Any) -> None:
        """Make one step."""
        from tensordict import TensorDict

        self.env.step(TensorDict({"action": action}, [self.games]))

    def reset(self, seed: Any = None, options: Any = None) -> None:
        """Reset the games that `options`, a mask, selects."""
        from tensordict import TensorDict

        if seed is not None:
            self.env.set_seed(seed)
        self.env.reset(None if options is None else TensorDict({"_reset": options}, [self.games]))

    def legal(self) -> Any:
        """Return a legal cell for every game."""
        import torch

        return torch.as_tensor(super().legal())

    def wrong_action(self) -> Any:
        """Return tensors that are invalid actions."""
        import torch

        cells, games = self.match.rules.cells, self.games
        bad = [self.dice.randrange(cells) for _ in range(games)]
        bad[self.dice.randrange(games)] = self.dice.choice((-1, cells, 2**62, -(2**63)))
        kinds = [torch.tensor(bad), torch.tensor(bad)[:, None], torch.zeros(games)]
        kinds += [torch.zeros(games, 2, dtype=torch.int64), torch.zeros(games + 1).long()]
        kinds += [torch.full((games,), torch.nan), torch.zeros(games, dtype=torch.complex64)]
        kinds += [torch.zeros(games, dtype=torch.bool), torch.zeros(games, 0, dtype=torch.int64)]
        return self.dice.choice(kinds)

    def wrong_options(self) -> Any:
        """Return tensors that are invalid reset masks."""
        import torch

        games = self.games
        kinds = [torch.ones(games, 1), torch.ones(games, 4, dtype=torch.bool)]
        kinds += [torch.ones(games, dtype=torch.int64), torch.ones(games + 1, 1, dtype=torch.bool)]
        kinds += [torch.full((games, 1), torch.nan), torch.zeros(games, 0, dtype=torch.bool)]
        return self.dice.choice(kinds)


KINDS: dict[str, Callable[..., Skin]] = {
    "single": Skin,
    "made": Made,
    "vector": Batch,
    "pettingzoo": Zoo,
    "sb3": Batches3,
    "tianshou": Tianshou,
    "skrl": Skrl,
    "torchrl": TorchRL,
}
