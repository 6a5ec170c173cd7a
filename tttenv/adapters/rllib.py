"""Adapter to Ray RLlib (new API stack): a masked environment, and its modules as players.

Example::

    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core.rl_module.rl_module import RLModuleSpec
    from tttenv.adapters import rllib

    rllib.register()
    config = (
        PPOConfig()
        .environment("TicTacToe-v0", env_config={"opponent": "tactical"})
        .rl_module(rl_module_spec=RLModuleSpec(module_class=rllib.MaskedModule))
    )
    algorithm = config.build_algo()
    algorithm.train()
    tttenv.certify(rules, rllib.policy(algorithm, rules))

With `.env_runners(num_env_runners=2).fault_tolerance(restart_failed_env_runners=True)` games run in
two more processes, and training continues if one of them fails.

RLlib pins its own Gymnasium version, so install it in a separate environment:
pip install 'tttenv[rllib]'.
"""

from collections.abc import Mapping
from typing import Any

import torch

from tttenv.adapters import observation_kind, wanted
from tttenv.env.env import TicTacToe
from tttenv.env.exploring_starts import ExploringStarts
from tttenv.exact import enumerable
from tttenv.exact.determinism import tabulate_pure
from tttenv.game.rules import Rules
from tttenv.policy import Observed, Player, Policy, display_name, from_observations
from tttenv.utils.arrays import described

with wanted("ray", extra="rllib"):
    from ray.rllib.algorithms.ppo.torch.default_ppo_torch_rl_module import DefaultPPOTorchRLModule
    from ray.rllib.core.columns import Columns
    from ray.tune.registry import register_env


def register(name: str = "TicTacToe-v0") -> None:
    """Register the environment with RLlib under the given name."""
    register_env(name, make)


def make(config: dict[str, Any] | None = None) -> Any:
    """Return an environment; by default its observations contain the action mask.

    Args:
        config: RLlib's `env_config`: arguments of `TicTacToe-v0`, and `opening`: exploring starts,
            games begin with 0 to this many random stones.

    Raises:
        ValueError: for something else than a mapping, and for arguments that are refused there.
    """
    if not isinstance(config, Mapping | None):
        raise ValueError(f"env_config must be a dict or None, not {described(config)}")
    given = {"obs": "dict"} | dict(config or {})
    opening = given.pop("opening", 0)
    game = TicTacToe(**given)
    return ExploringStarts(game, opening) if opening else game


def set_opponent(algorithm: Any, opponent: str | Policy | None) -> None:
    """Replace the opponent in the games of all env runners, from the next move on."""

    def replace(runner: Any) -> None:
        runner.env.unwrapped.call("set_opponent", opponent)

    algorithm.env_runner_group.foreach_env_runner(replace)


class MaskedModule(DefaultPPOTorchRLModule):  # type: ignore[misc]  # unknown where ray is missing
    """RLlib's PPO networks, with the logits of occupied cells masked.

    It requires `obs="dict"`; network options are those of RLlib's `DefaultModelConfig`.
    """

    def __init__(self, *, observation_space: Any = None, **kwargs: Any) -> None:
        if set(getattr(observation_space, "spaces", ())) != {"observation", "action_mask"}:
            raise ValueError(
                f'a MaskedModule needs an environment with obs="dict", not {observation_space}'
            )
        self.full_observation_space = observation_space
        super().__init__(observation_space=observation_space["observation"], **kwargs)

    def setup(self) -> None:
        """Build the networks for the observation alone, without the mask."""
        super().setup()
        self.observation_space = self.full_observation_space

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        return _masked(super()._forward(_without_mask(batch), **kwargs), batch)

    def _forward_train(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        return _masked(super()._forward_train(_without_mask(batch), **kwargs), batch)

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> Any:
        """Return the values of the states (batch,), which do not depend on the mask."""
        return super().compute_values(_without_mask(batch), embeddings)


def _without_mask(batch: dict[str, Any]) -> dict[str, Any]:
    return {**batch, Columns.OBS: batch[Columns.OBS]["observation"]}


def _masked(out: dict[str, Any], batch: dict[str, Any]) -> dict[str, Any]:
    """Mask the logits of occupied cells with the smallest finite number.

    Minus infinity would turn RLlib's entropy into NaN, also on finished boards, where no cell is
    legal.
    """
    logits, legal = out[Columns.ACTION_DIST_INPUTS], batch[Columns.OBS]["action_mask"] > 0
    out[Columns.ACTION_DIST_INPUTS] = torch.where(legal, logits, torch.finfo(logits.dtype).min)
    return out


def policy(trained: Any, rules: Rules, deterministic: bool = False) -> Player:
    """Return an algorithm's or module's policy, frozen as a table if the game is enumerable.

    Args:
        trained: an RLlib algorithm, or its torch module, whose outputs are logits. On boards too
            large to enumerate the player keeps querying it.
        rules: the game that it was trained on.
        deterministic: take the most likely cell instead of sampling.

    Raises:
        ValueError: if it learned behind a connector, or from other observations.
    """
    player = observed(trained, rules, deterministic)
    return tabulate_pure(player, display_name(trained)) if enumerable(rules) else player


def _require_no_transform(algorithm: Any) -> None:
    """Raise ValueError for a user's connector, which RLlib puts first, by its name."""
    config, runner = algorithm.config, algorithm.env_runner
    for made, pipeline in (
        (config._env_to_module_connector, runner._env_to_module),
        (config._module_to_env_connector, runner._module_to_env),
    ):
        if made is not None:
            raise ValueError(
                f"the model learned behind {type(pipeline.connectors[0]).__name__}, which cannot be"
                " certified: a connector is not followed; transform observations in the module"
            )


def observed(trained: Any, rules: Rules, deterministic: bool = False) -> Observed:
    """Return a player that queries the live module; its `unmasked` ignores the action mask.

    Arguments and errors are those of `policy`.
    """
    module = trained
    if hasattr(trained, "get_module"):
        _require_no_transform(trained)
        module = trained.get_module()

    def logits(seen: Any) -> Any:
        if isinstance(seen, dict):  # disable its own mask, so that `unmasked` can be computed
            seen = {name: torch.as_tensor(part) for name, part in seen.items()}
            seen["action_mask"] = torch.ones_like(seen["action_mask"])
        batch = {Columns.OBS: seen if isinstance(seen, dict) else torch.as_tensor(seen)}
        with torch.no_grad():
            return module.forward_inference(batch)[Columns.ACTION_DIST_INPUTS]

    kind = "values" if deterministic else "logits"
    return from_observations(logits, rules, observation_kind(module.observation_space, rules), kind)
