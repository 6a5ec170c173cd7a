"""Trained players and interrupted trainings as files, written whole, read without running code."""

import json
import platform
from pathlib import Path
from typing import Any

import numpy as np
import safetensors
import torch
from safetensors import SafetensorError
from safetensors.torch import load as load_tensors
from safetensors.torch import save as save_tensors

import tttenv
from learners.base import Learner
from learners.registry import LEARNERS
from tttenv.card import CARD, POLICY, WEIGHTS, digest, read_card, read_file
from tttenv.certificate import certify
from tttenv.exact import enumerable, tabulate
from tttenv.files import write
from tttenv.policy import Policy
from tttenv.rules import Rules
from tttenv.types import Probs

STATE = "state.safetensors"  # everything a training needs to go on; only in runs, never shipped


def save(folder: Path, learner: Learner, rules: Rules, about: dict[str, Any]) -> None:
    """Write the player that `learner` is now.

    Args:
        folder: made if missing; files of an older checkpoint in it are replaced, the card last.
        learner: whose weights and policy are written.
        rules: the game.
        about: what the card says besides: learner, preset, config, steps and more.
    """
    files = {WEIGHTS: save_tensors(_contiguous(learner.state_dict()["weights"]))}
    certificate = None
    if enumerable(rules):
        table = tabulate(rules, learner.policy())
        files[POLICY] = save_tensors({"policy": _smallest(table.table)})
        certificate = certify(rules, table).to_dict()
    card = {
        **about,
        "rules": str(rules),
        "versions": versions(),
        "certificate": certificate,
        "files": {name: digest(data) for name, data in files.items()},
    }
    for name, data in files.items():
        write(folder / name, data)
    write(folder / CARD, json.dumps(card, indent=2) + "\n")


def load_learner(folder: Path) -> Learner:
    """The learner whose checkpoint `folder` is, with its weights, on the current device.

    Raises:
        ValueError: if the checkpoint is missing, damaged or of an unknown learner.
    """
    card = read_card(folder)
    kind = LEARNERS.load(card["learner"])
    try:
        config = kind.Config(**card["config"])
        learner: Learner = kind(config, Rules.of(str(card["rules"])))
        learner.load_state_dict({"weights": load_tensors(read_file(folder, card, WEIGHTS))})
    except (SafetensorError, TypeError, KeyError, RuntimeError) as error:
        raise ValueError(f"{folder} does not fit {card['learner']}: {_first_line(error)}") from None
    return learner


def load_policy(folder: Path) -> Policy:
    """How the learner of the checkpoint in `folder` plays; see `load_learner`."""
    return load_learner(folder).policy()


def save_state(file: Path, state: dict[str, Any]) -> None:
    """Write a nested state of dicts, lists, tensors, arrays and plain values into one file."""
    tensors: dict[str, torch.Tensor] = {}
    skeleton = json.dumps(_pack(state, tensors))
    write(file, save_tensors(_contiguous(tensors), metadata={"state": skeleton}))


def load_state(file: Path) -> dict[str, Any]:
    """What `save_state` wrote, tensors on the CPU.

    Raises:
        ValueError: if the file is missing, damaged or something else.
    """
    try:
        with safetensors.safe_open(file, framework="pt") as stream:
            skeleton = (stream.metadata() or {})["state"]
            tensors = {name: stream.get_tensor(name) for name in stream.keys()}  # noqa: SIM118  # no dict
        state = _unpack(json.loads(skeleton), tensors)
    except (SafetensorError, OSError, KeyError, ValueError) as error:
        raise ValueError(f"no training can go on from {file}: {_first_line(error)}") from None
    assert isinstance(state, dict)
    return state


def load_about(folder: Path) -> dict[str, Any]:
    """The learner, preset, config, rules and plan of the training that `folder` holds.

    Raises:
        ValueError: if it holds none.
    """
    state = load_state(folder / STATE)
    return {**state["about"], "plan": state["plan"]}


def versions() -> dict[str, str]:
    """What the numbers of a card were computed with."""
    return {
        "tttenv": tttenv.__version__,
        "torch": torch.__version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
    }


def _smallest(table: Probs) -> torch.Tensor:
    """The same numbers in the smallest type that holds them exactly."""
    for kind in (np.uint8, np.float32):
        if (table == table.astype(kind)).all():
            return torch.from_numpy(table.astype(kind))
    return torch.from_numpy(table.copy())


def _pack(value: Any, tensors: dict[str, torch.Tensor]) -> Any:
    """The value as JSON, tensors and arrays put aside under a number."""
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
    return tensors[content] if kind == "tensor" else tensors[content].numpy()


def _contiguous(tensors: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Copies on the CPU that share no memory, as the file format wants them."""
    return {name: tensor.detach().cpu().clone().contiguous() for name, tensor in tensors.items()}


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
