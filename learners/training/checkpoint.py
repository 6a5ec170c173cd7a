"""Checkpoints of players and interrupted runs: written atomically, read without running code.

Nothing named in a checkpoint is ever run: to play it, only a network with its weights is created.
"""

import json
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load as load_tensors
from safetensors.torch import save as save_tensors

import tttenv
from learners.base import Learner
from learners.registry import LEARNERS
from tttenv.certificates.certificate import IN_TRAINING, REACHABLE, Certificate, certify
from tttenv.certificates.snapshots import Snapshot, for_file
from tttenv.exact import enumerable, tabulate
from tttenv.game.rules import Rules, require_line_wins
from tttenv.game.types import Probs
from tttenv.players.stored.checkpoint import (
    POLICY,
    SNAPSHOTS,
    STATE,
    WEIGHTS,
    commit,
    file_of,
    plays_canonically,
    read_data,
)
from tttenv.players.stored.config_io import from_stored
from tttenv.players.symmetric_player import canonical_player
from tttenv.policy import Player, player_for
from tttenv.utils.tensor_file import header
from tttenv.utils.untrusted import first_line, parse_json, shown


def save(
    folder: Path,
    learner: Learner[Any],
    rules: Rules,
    about: dict[str, Any],
    training: dict[str, Any] | None = None,
    certificate: Certificate | None = None,
    snapshots: Sequence[Snapshot] = (),
) -> None:
    """Write a checkpoint of the learner's current player atomically.

    Args:
        folder: created if missing; an older checkpoint in it is replaced.
        learner: the learner whose weights and policy are written.
        rules: the game.
        about: further entries of the card: learner, preset, config, steps and more.
        training: the state for resuming, written in the same commit.
        certificate: the player's certificate on a board too large to enumerate; None computes it.
        snapshots: the snapshots of the run so far.

    Raises:
        OSError: naming the file that could not be written; the older checkpoint is then intact.
        ValueError: for a variant of the game.
    """
    require_line_wins(rules, "a checkpoint")
    files = {} if training is None else {STATE: state_bytes(training)}
    if snapshots:
        files[SNAPSHOTS] = for_file(snapshots)
    files[WEIGHTS] = save_tensors(_contiguous(learner.state_dict()["weights"]))
    policy = player_for(rules, learner.policy())
    if enumerable(rules):
        table = tabulate(rules, policy)
        files[POLICY] = save_tensors({"policy": _smallest(table.table)})
        certificate = certify(rules, table)
    elif certificate is None:
        certificate = certify(rules, policy, IN_TRAINING, method=REACHABLE)
    found = {
        "versions": {
            "tttenv": tttenv.__version__,
            "torch": torch.__version__,
            "numpy": np.__version__,
            "python": platform.python_version(),
        },
        "certificate": certificate.to_dict(),
        "choice": {
            "tolerance": learner.traits.tolerance,
            "canonical": policy.traits.equivariant,
        },
    }
    commit(folder, {**about, "rules": str(rules), **found}, files)


def load_policy(
    folder: Path, simulations: int = 0, threes: int = 0, rules: Rules | None = None
) -> Player:
    """Create the player of the checkpoint in `folder` from its weights.

    Only its networks are created, no environment or opponent.

    Args:
        folder: the checkpoint's folder.
        simulations: the number per move of a tree search guided by the network; 0 for no search.
        threes: the number of positions searched for wins by threats and threes before that; 0 for
            none.
        rules: the game to play; None for the one it was trained on.

    Raises:
        ValueError: if the checkpoint is missing, damaged or of an unknown learner; for simulations
            if its player does not search; for threes without simulations; for rules other than
            those it was trained on, unless the learner's weights work on any board, or on any
            board with the same k.
    """
    stored = _Checkpoint(folder)
    kind, trained = stored.kind, stored.rules
    if (simulations or threes) and not kind.traits.searches:
        options = "leave out simulations and threes"
        raise ValueError(f"a player of {stored.learner} does not search: {options}")
    if threes and not simulations:
        raise ValueError("threes need a tree search: set simulations too")
    rules = rules or trained
    if rules != trained and not kind.traits.any_board:
        raise ValueError(f"the player in {shown(folder)} plays {trained}, not {rules}")
    if rules.k != trained.k and kind.traits.same_k:
        raise ValueError(f"the player in {shown(folder)} plays {trained.k} in a row, not {rules.k}")
    try:
        empty = kind.empty_weights(stored.config, rules)
        weights = stored.weights(empty)
        if empty is None:
            made = player_for(rules, stored.trained(weights).policy())
        elif not simulations:
            made = kind.player(stored.config, rules, weights)
    except Exception as error:  # whatever a learner's own code says of foreign numbers
        raise stored.misfit(error) from None
    if simulations:
        return kind.search_player(stored.config, rules, weights, simulations, threes)
    return canonical_player(made) if plays_canonically(stored.card) else made


def load_learner(folder: Path) -> Learner[Any]:
    """Load the learner of the checkpoint in `folder` onto the current device.

    It is complete, with its environment, so that it can learn further; to play, see `load_policy`.

    Returns:
        The learner with the stored weights; its optimiser, games and generator are new.

    Raises:
        ValueError: if the checkpoint is missing, damaged or of an unknown learner, or its config
            names a player that a file may not name.
    """
    stored = _Checkpoint(folder)
    try:
        return stored.trained(stored.weights(stored.empty()))
    except Exception as error:  # whatever a learner's own code says of foreign numbers
        raise stored.misfit(error) from None


def load_weights(folder: Path, name: str) -> tuple[Any, dict[str, torch.Tensor]]:
    """Read the config and the weights from a checkpoint of the learner `name`.

    Args:
        folder: the checkpoint's folder.
        name: a row of `registry.LEARNERS`.

    Returns:
        An instance of the learner's Config, and its weights by name, on the current device.

    Raises:
        ValueError: if the checkpoint is missing, damaged or of another learner.
    """
    stored = _Checkpoint(folder)
    if stored.learner != name:
        trained = shown(stored.learner, 80)
        raise ValueError(f"the player in {shown(folder)} was trained by {trained}, not by {name}")
    return stored.config, stored.weights(stored.empty())


def load_training(folder: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Read a training run's card and its state, which holds its "learner" and its "progress".

    Raises:
        ValueError: if there is no checkpoint, its card names no state, or the state is damaged.
    """
    try:
        card, data = read_data(folder, STATE)
        state = state_of(data[STATE], folder / str(file_of(card, STATE)))
        if not all(isinstance(state.get(key), dict) for key in ("learner", "progress")):
            raise ValueError("its state is not that of a training run")
    except ValueError as error:
        raise ValueError(f"no training run can be resumed from {shown(folder)}: {error}") from None
    return card, state


def state_bytes(state: dict[str, Any]) -> bytes:
    """Serialize a nested state of dicts, lists, tensors, arrays and plain values."""
    tensors: dict[str, torch.Tensor] = {}
    skeleton = json.dumps(_pack(state, tensors))
    return save_tensors(_contiguous(tensors), metadata={"state": skeleton})


def state_of(data: bytes, name: object = "the file") -> dict[str, Any]:
    """Restore a state from `state_bytes`, with tensors on the CPU.

    Args:
        data: the bytes of a file, which is untrusted.
        name: the file's, for the message.

    Raises:
        ValueError: if they are damaged or something else.
    """
    refusal = f"{shown(name)} has no valid state"
    try:
        skeleton = header(data, name).metadata.get("state", "null")
        state = _unpack(parse_json(skeleton.encode(), name, finite=False), load_tensors(data))
    except (SafetensorError, LookupError, ValueError, TypeError, AttributeError) as error:
        raise ValueError(f"{refusal}: {shown(first_line(error))}") from None
    if not isinstance(state, dict):
        raise ValueError(refusal)
    return state


class _Checkpoint:
    """The learner, the settings and the weights of the checkpoint in a folder."""

    def __init__(self, folder: Path) -> None:
        self.card, data = read_data(folder, WEIGHTS)
        self.file, self.data = folder / str(file_of(self.card, WEIGHTS)), data[WEIGHTS]
        self.learner = self.card["learner"]
        self.kind = LEARNERS.load(self.learner)
        try:
            self.rules = Rules.of(self.card["rules"])
            self.config: Any = from_stored(self.kind.Config, self.card["config"], "its settings")
        except ValueError as error:
            raise ValueError(f"{shown(folder)} cannot be loaded: {error}") from None

    def empty(self) -> dict[str, torch.Tensor] | None:
        """Return the learner's empty weights for the game it was trained on."""
        return self.kind.empty_weights(self.config, self.rules)

    def trained(self, weights: dict[str, torch.Tensor]) -> Learner[Any]:
        """Create the learner with the given weights."""
        learner = self.kind(self.config, self.rules)
        learner.load_state_dict({"weights": weights})
        return learner

    def weights(self, wanted: dict[str, torch.Tensor] | None) -> dict[str, torch.Tensor]:
        """Load the weights onto the current device.

        Their names and shapes are compared with those of the wanted ones, unless these are None,
        before a tensor is made.
        """
        found = {name: shape for name, (_, shape) in header(self.data, self.file).tensors.items()}
        file, shapes = shown(self.file), found
        if wanted is not None:
            shapes = {name: tuple(tensor.shape) for name, tensor in wanted.items()}
        for name in [*found, *shapes]:
            if found.get(name) != (due := shapes.get(name)):
                reason = f"{shown(name, 80)} has shape {found.get(name)}, not {due}"
                raise ValueError(f"{file} does not match its card: {reason}")
        try:
            tensors = load_tensors(self.data)
        except (SafetensorError, ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{file} has no valid weights: {shown(first_line(error))}") from None
        for name, tensor in tensors.items():
            if wanted is not None and tensor.dtype != wanted[name].dtype:
                reason = f"{shown(name, 80)} is {tensor.dtype}, not {wanted[name].dtype}"
                raise ValueError(f"{file} does not match its card: {reason}")
            if not torch.isfinite(tensor).all():
                reason = f"{shown(name, 80)} holds NaN or infinite numbers"
                raise ValueError(f"{file} cannot be played: {reason}")
        return {name: tensor.to(torch.get_default_device()) for name, tensor in tensors.items()}

    def misfit(self, error: Exception) -> ValueError:
        """Return an error that says why the weights do not fit this learner."""
        mismatch = f"the weights in {shown(self.file.parent)} do not fit {self.learner}"
        return ValueError(f"{mismatch}: {shown(first_line(error))}")


def _smallest(table: Probs) -> torch.Tensor:
    """Convert a table to the smallest dtype that represents its numbers exactly."""
    for kind in (np.uint8, np.float32):
        if (table == table.astype(kind)).all():
            return torch.from_numpy(table.astype(kind))
    return torch.from_numpy(table.copy())


def _pack(value: Any, tensors: dict[str, torch.Tensor]) -> Any:
    """Convert a value to JSON data, moving its tensors and arrays to `tensors`."""
    if isinstance(value, torch.Tensor | np.ndarray):
        name = str(len(tensors))
        if isinstance(value, torch.Tensor):
            tensors[name] = value
            return {"tensor": name}
        tensors[name] = torch.from_numpy(np.asarray(value, order="C"))
        return {"array": name}
    if isinstance(value, dict):
        return {"dict": [[key, _pack(inner, tensors)] for key, inner in value.items()]}
    if isinstance(value, list | tuple):
        return {"list": [_pack(inner, tensors) for inner in value]}
    return value.item() if isinstance(value, np.generic) else value


def _unpack(value: Any, tensors: dict[str, torch.Tensor]) -> Any:
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    if kind == "dict":
        return {key: _unpack(inner, tensors) for key, inner in content}
    if kind == "list":
        return [_unpack(inner, tensors) for inner in content]
    if kind == "tensor":
        return tensors[content]
    if kind == "array":
        return tensors[content].numpy()
    raise ValueError(f"a state cannot hold {shown(repr(kind), 40)}")


def _contiguous(tensors: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Copy tensors to the CPU without shared memory, as the file format requires."""
    return {name: tensor.detach().cpu().clone().contiguous() for name, tensor in tensors.items()}
