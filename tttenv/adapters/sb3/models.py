"""Stable-Baselines3 and sb3-contrib models: as players, and loaded from their files."""

import copy
import inspect
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from gymnasium import spaces
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env import VecEnv

from tttenv.adapters.sb3.observations import from_dict, observations_of, refusal, to_dict
from tttenv.exact import enumerable, positions
from tttenv.exact.determinism import tabulate_pure
from tttenv.game.rules import Rules
from tttenv.game.types import Boards
from tttenv.policy import Observed, Player, display_name, evaluating, from_observations, player_for
from tttenv.utils.files import write
from tttenv.utils.registry import load as load_named
from tttenv.utils.registry import unknown
from tttenv.utils.untrusted import LONGEST_JSON, MEBIBYTE, first_line, parse_json, read_bytes, shown

# How to evaluate a model's `policy`, by an attribute that only its kind has; the first match wins:
# a function from policy and observations to one number per cell, and the kind of the numbers.
HEADS: dict[str, tuple[Callable[[Any, Any], torch.Tensor], str]] = {
    "get_distribution": (
        lambda net, seen: net.get_distribution(seen).distribution.logits,
        "logits",
    ),
    "q_net": (lambda net, seen: net.q_net(seen), "values"),  # DQN
    "quantile_net": (lambda net, seen: net.quantile_net(seen).mean(dim=1), "values"),  # QRDQN
    "action_net": (  # ARS, which itself returns only the best cell
        lambda net, seen: net.action_net(net.extract_features(seen, net.features_extractor)),
        "values",
    ),
}


def policy(model: BaseAlgorithm, rules: Rules, deterministic: bool = False) -> Player:
    """Return a frozen snapshot of a model's policy, restricted to legal cells.

    Actor-critics (MaskablePPO, PPO, A2C, TRPO) play each legal cell with its probability,
    renormalized over the legal ones; value models (DQN, QRDQN) play the legal cell with the
    highest value.

    If the game is enumerable, the model is evaluated once on all positions, in its own precision.
    Otherwise a copy of the network is evaluated in float64 if it can be, so that rounding leaves
    hardly any board in doubt; on a few boards in a million its move may differ from `predict`'s.

    Args:
        model: trained on `TicTacToe-v0` with any `obs`, single or in a batch. The wrappers of its
            environment are applied to observations if they are functions of the board.
        rules: the game, of the same m and n.
        deterministic: actor-critics play their most likely legal cell, as in SB3's `predict`.

    Raises:
        ValueError: if the model is no player, or behind a transform that cannot be applied.
    """
    live = observed(model, rules, deterministic)
    if enumerable(rules):  # what the mask hides is known if it is not the model's own
        play = live.__call__ if masked(model) else live
        return tabulate_pure(player_for(rules, play), display_name(model))
    live(rules.start(1))  # drops the last update's gradients, which cannot be copied
    return _in_float64(copy.deepcopy(live), rules) or copy.deepcopy(live)


def _in_float64(frozen: Observed, rules: Rules) -> Observed | None:
    """Return the player with its network in float64, or None where that fails."""
    answer = frozen.fn
    assert isinstance(answer, Answer)
    if any(weight.device.type == "mps" for weight in answer.net.parameters()):
        return None
    answer.net.double()
    for part in answer.net.modules():
        if isinstance(part, BaseFeaturesExtractor):  # SB3 passes it float32 observations
            part.register_forward_pre_hook(_widened)
    try:
        frozen(rules.start(1))
    except (RuntimeError, TypeError, ValueError):  # from a layer that requires float32
        return None
    return frozen


def _widened(_: torch.nn.Module, given: tuple[Any]) -> tuple[Any]:
    """Convert a features extractor's observations to float64."""
    (seen,) = given
    if isinstance(seen, dict):
        return ({name: part.double() for name, part in seen.items()},)
    return (seen.double(),)


def illegal_mass(model: BaseAlgorithm, rules: Rules, deterministic: bool = False) -> float:
    """Return the exact mean probability that a model, unmasked, puts on occupied cells.

    Args:
        model: as for `policy`.
        rules: an enumerable game.
        deterministic: as for `policy`.

    Returns:
        The mean over all positions with a move; for value models, and with `deterministic`, the
        fraction of these in which the highest output is on an occupied cell.

    Raises:
        ValueError: as for `policy`, and for larger games.
    """
    game = positions(rules)
    boards = game.boards[game.decisions]
    probs = observed(model, rules, deterministic).unmasked(boards)
    return float(probs[boards != 0].sum() / len(boards))


def masked(model: BaseAlgorithm) -> bool:
    """Return whether the model takes action masks, as MaskablePPO does."""
    return "action_masks" in inspect.signature(model.predict).parameters


def rules_of(env: VecEnv | None) -> Rules:
    """Return the game of an SB3 environment.

    Raises:
        ValueError: for None, and for an environment that is not ours.
    """
    try:
        found = None if env is None else env.get_attr("rules")[0]
    except AttributeError:
        found = None
    if not isinstance(found, Rules):
        raise ValueError("the model's environment is not TicTacToe-v0: it has no rules")
    return found


def observed(model: BaseAlgorithm, rules: Rules, deterministic: bool) -> Observed:
    """Return a player that queries the live model, with or without the action mask.

    Args:
        model: the model, which is not copied.
        rules: the game.
        deterministic: whether it chooses its best move instead of sampling.

    Raises:
        ValueError: if its policy has no number for each cell or remembers earlier boards, its
            actions are not the cells, or its observations cannot be made from boards.
    """
    net = model.policy
    head = next((name for name in HEADS if hasattr(net, name)), None)
    if head is None or hasattr(net, "lstm_actor"):
        why = "remembers earlier boards" if head else "has no number for each cell"
        raise ValueError(f"a {type(model).__name__} cannot be a player: it {why}")
    space = model.action_space
    if not isinstance(space, spaces.Discrete) or space.n != rules.cells:
        raise ValueError(f"the model's action space is {space}, not {rules.cells} cells")
    kind = "values" if deterministic else HEADS[head][1]
    answer = Answer(net, observations_of(model, rules).show, head)
    return from_observations(answer, rules, "board", kind)


class Answer:
    """A model's network as a function of boards, on its own device and without gradients."""

    def __init__(self, net: Any, show: Callable[[Boards], Any], head: str) -> None:
        self.net, self.show, self.head = net, show, head

    def __call__(self, boards: Boards) -> Any:
        """Return the network's outputs (batch, cells) for boards (batch, cells).

        Raises:
            ValueError: if they are no numbers.
        """
        net, seen = self.net, self.show(boards)
        try:
            with evaluating(net), torch.no_grad():
                numbers = HEADS[self.head][0](net, net.obs_to_tensor(seen)[0])
            if torch.isnan(numbers).any():  # torch may not have checked
                raise ValueError("it says nan")
            return numbers
        except ValueError as error:  # torch's message has many lines
            raise ValueError(f"the model returned no distribution: {str(error)[:80]} ...") from None


NORMALIZATION = "normalization.json"  # in a zip
LARGEST = 1024 * MEBIBYTE  # maximum bytes of a zip
LARGEST_SETTINGS = 64 * MEBIBYTE  # maximum bytes of its decompressed settings
# Each model class, a setting that only it and those after it save, and part of its policy's module.
ALGORITHMS = {
    "maskable_ppo": ("sb3_contrib:MaskablePPO", "clip_range", "contrib.common.maskable."),
    "ppo": ("stable_baselines3:PPO", "clip_range", "baselines3.common.policies"),
    "trpo": ("sb3_contrib:TRPO", "cg_max_steps", "baselines3.common.policies"),
    "a2c": ("stable_baselines3:A2C", "gae_lambda", "baselines3.common.policies"),
    "qrdqn": ("sb3_contrib:QRDQN", "n_quantiles", "contrib.qrdqn."),
    "dqn": ("stable_baselines3:DQN", "exploration_rate", "baselines3.dqn."),
    "ars": ("sb3_contrib:ARS", "n_delta", "contrib.ars."),
}


def zipped(model: BaseAlgorithm, rules: Rules) -> bytes:
    """Return a model as the bytes of SB3's zip, with the statistics of its `VecNormalize`.

    Raises:
        ValueError: for any other transform of its environment.
    """
    seen, stream = observations_of(model, rules), io.BytesIO()
    if seen.foreign:
        raise refusal(seen.foreign, "a zip cannot hold it, so save no model")
    model.save(stream)
    if seen.scaler is not None:
        with zipfile.ZipFile(stream, "a") as archive:
            archive.writestr(NORMALIZATION, json.dumps(to_dict(seen.scaler)))
    return stream.getvalue()


def save(model: BaseAlgorithm, file: Path | str) -> None:
    """Write a model as SB3's zip, with the statistics of its `VecNormalize` in it.

    SB3 reads the file, but no statistics; `load` and `sb3:path=FILE` read both.

    Args:
        model: a model with its environment.
        file: where to write it.

    Raises:
        ValueError: if anything but a `VecNormalize` changes the model's observations.
    """
    write(Path(file), zipped(model, rules_of(model.get_env())))


def load(file: Path | str, algorithm: str | None = None) -> BaseAlgorithm:
    """Load a model saved by SB3; unpickling the zip file may run arbitrary code.

    Args:
        file: the zip.
        algorithm: a name in `ALGORITHMS`; None detects it.

    Raises:
        ValueError: for a file that is missing, damaged or of another algorithm.
    """
    path = Path(file)
    try:
        data = read_bytes(path, LARGEST)
    except FileNotFoundError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from None
    name = algorithm or _detected(path, data)
    if name not in ALGORITHMS:
        raise ValueError(unknown("algorithm", name, ALGORITHMS))
    kind = load_named(ALGORITHMS[name][0])
    try:  # a player needs no replay buffer
        model: BaseAlgorithm = kind.load(io.BytesIO(data), custom_objects={"buffer_size": 1})
        statistics = _part(data, NORMALIZATION, LONGEST_JSON)
        if statistics is not None:
            model._vec_normalize_env = from_dict(statistics, model.observation_space)
    except Exception as error:  # damaged data may raise anything
        raise ValueError(f"{path} is not a {name} model: {shown(first_line(error))}") from None
    return model


def _part(data: bytes, name: str, limit: int) -> Any:
    """Return the value of a JSON file in a zip file, None if there is none."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        if name not in archive.namelist():
            return None
        with archive.open(name) as stream:
            text = stream.read(limit + 1)  # protects against zip bombs
    if len(text) > limit:
        raise ValueError(f"its {name} is larger than {limit:,} bytes")
    return parse_json(text, f"its {name}")


def _detected(path: Path, data: bytes) -> str:
    """Detect the algorithm from the zip file's settings, without running any code in it."""
    try:
        saved = _part(data, "data", LARGEST_SETTINGS)
        home = str(saved["policy_class"]["__module__"])
    except Exception as error:  # as of a zip that is damaged or encrypted
        raise ValueError(
            f"{path} is not a model saved by SB3: {shown(first_line(error))}"
        ) from None
    for name, (_, setting, policies) in ALGORITHMS.items():
        if setting in saved and policies in home:
            return name
    raise ValueError(
        f"the algorithm of {path} is unknown (its policy is from {shown(home, 60)});"
        f" set algorithm= to one of {', '.join(ALGORITHMS)}"
    )
