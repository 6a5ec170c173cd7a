"""Adapter to skrl: models that mask occupied cells, and trained models as players.

skrl's agents do not support masks; these models read the empty cells from the observation.
"""

import copy
from collections.abc import Sequence
from typing import Any

from tttenv.adapters import frozen, observation_kind, wanted
from tttenv.env.arguments import require_game
from tttenv.env.exploring_starts import VectorExploringStarts
from tttenv.env.vector import VectorTicTacToe
from tttenv.game.rules import Rules
from tttenv.policy import Player, Policy, from_observations

with wanted("skrl", "torch"):
    import torch
    from skrl.envs.wrappers.torch.gymnasium_envs import GymnasiumWrapper
    from skrl.models.torch import CategoricalMixin, DeterministicMixin, Model
    from torch import nn


def make_env(num_envs: int = 1, opening: int = 0, **kwargs: Any) -> Any:
    """Return a batch of games in skrl's wrapper for Gymnasium vector environments.

    Observations are float32 (3 * m * n,): mine, theirs, empty. The method `set_opponent`
    replaces the opponent.

    Args:
        num_envs: the number of games.
        opening: exploring starts: games begin with 0 to this many random stones.
        kwargs: arguments of `VectorTicTacToe`: m, n, k, opponent, seat, illegal, render_mode, draw.
    """
    games = VectorTicTacToe(num_envs, **kwargs, obs="onehot")
    return Games(VectorExploringStarts(games, opening) if opening else games)


class Games(GymnasiumWrapper):
    """skrl's wrapper, extended so that trainers may call `render` without a render mode."""

    def reset(self) -> Any:
        """Start the games on the first call; later, only return the current observation."""
        require_game(self._env.unwrapped.closed)
        return super().reset()

    def set_opponent(self, opponent: str | Policy | None) -> None:
        """Replace the opponent from the next move on, in the current games too."""
        self._env.unwrapped.set_opponent(opponent)

    def render(self, *args: Any, **kwargs: Any) -> Any:
        """Render every game, or return None without a `render_mode`."""
        return self._env.render() if self._env.render_mode else None


def legal(observations: torch.Tensor) -> torch.Tensor:
    """Return a mask (batch, cells) of the empty cells in observations (batch, 3 * cells)."""
    return observations[:, -(observations.shape[1] // 3) :] > 0.5


def masked(numbers: torch.Tensor, observations: torch.Tensor) -> torch.Tensor:
    """Set logits or values (batch, cells) to -1e9 on occupied cells, for use in `compute`."""
    return numbers.masked_fill(~legal(observations), -1e9)


class Masked:
    """Mixin, listed before Model: a network of its own, masked, that explores legal cells only."""

    kind: Any  # skrl's mixin
    outputs: int | None = None  # of the network; None: one for each action

    def __init__(self, env: Any, hidden: Sequence[int] = (64, 64)) -> None:
        spaces = {"observation_space": env.observation_space, "action_space": env.action_space}
        Model.__init__(self, **spaces, device=env.device)
        self.kind.__init__(self)
        layers: list[nn.Module] = []
        width: int = self.num_observations  # type: ignore[attr-defined]  # of Model
        for size in hidden:
            layers += [nn.Linear(width, size), nn.Tanh()]
            width = size
        last = self.outputs or self.num_actions  # type: ignore[attr-defined]  # of Model
        self.net = nn.Sequential(*layers, nn.Linear(width, last))

    def compute(self, inputs: dict[str, Any], role: str = "") -> tuple[torch.Tensor, Any]:
        """Return logits or values (batch, cells)."""
        return masked(self.net(inputs["observations"]), inputs["observations"]), {}

    def random_act(self, inputs: dict[str, Any], *, role: str = "") -> tuple[torch.Tensor, Any]:
        """Sample a legal cell for each row, as a tensor (batch, 1)."""
        return torch.multinomial(legal(inputs["observations"]).float(), 1), {}


class MaskedPolicy(Masked, CategoricalMixin, Model):
    """Masked policy network for skrl's PPO, A2C and similar agents."""

    kind = CategoricalMixin


class MaskedQ(Masked, DeterministicMixin, Model):
    """Masked action values for skrl's DQN and DDQN on `env`."""

    kind = DeterministicMixin


class Value(Masked, DeterministicMixin, Model):
    """Value network for `MaskedPolicy` on `env`."""

    kind, outputs = DeterministicMixin, 1

    def compute(self, inputs: dict[str, Any], role: str = "") -> tuple[torch.Tensor, Any]:
        """Return values (batch, 1)."""
        return self.net(inputs["observations"]), {}


def policy(trained: Any, rules: Rules, deterministic: bool = False) -> Player:
    """Return a frozen snapshot of a skrl policy, without exploration, on legal cells only.

    Args:
        trained: an agent with a model named "policy" or "q_network", or such a model. An agent's
            `observation_preprocessor` is applied; a model whose observation space is not that of
            `make_env` is refused. A categorical model plays by its probabilities, any other takes
            the legal cell with the highest value.
        rules: the game.
        deterministic: categorical models take their most likely cell too.

    Raises:
        ValueError: if there is no such model, or if it observes something else.
    """
    models = {"policy": trained} if isinstance(trained, Model) else getattr(trained, "models", {})
    model = models.get("policy") or models.get("q_network")
    if model is None:
        raise ValueError(f"a skrl player is a model or an agent that has one, not {trained!r}")
    likely = isinstance(model, CategoricalMixin) and not deterministic
    if (
        model.observation_space is not None
        and observation_kind(model.observation_space, rules) != "onehot"
    ):
        raise ValueError(f'a skrl player observes obs="onehot", not {model.observation_space}')
    scaler: Any = getattr(trained, "_observation_preprocessor", None)
    if scaler is None or scaler == getattr(trained, "_empty_preprocessor", None):
        scaler = nn.Identity()
    scaler = copy.deepcopy(scaler)

    def play(model: Any) -> Policy:
        def ask(planes: Any) -> Any:
            with torch.no_grad():
                seen = scaler(torch.as_tensor(planes))
                return model.compute({"observations": seen}, "policy")[0]

        return from_observations(ask, rules, kind="logits" if likely else "values")

    return frozen(rules, model, play)
