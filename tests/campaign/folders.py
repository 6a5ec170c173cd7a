"""Contents of a checkpoint's folder, found through its card, and compared with another's."""

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from tttenv.players.checkpoint import CARD, file_of, read_card

EVENTS = "events.out.tfevents."
OTHER = {CARD, ".lock"}  # that may stand beside the card's files


def data_file(folder: Path, card: dict[str, Any], role: str) -> Path | None:
    """Return the file of a role (weights, policy or state), or None if the card names none."""
    name = file_of(card, role)
    return folder / name if name else None


def holds_training(folder: Path) -> bool:
    """Return whether the training in a folder can be resumed."""
    return (folder / CARD).exists()


def fingerprint(folder: Path) -> dict[str, str]:
    """Return all that must be the same after an interrupted training, except times.

    Raises:
        ValueError: if the checkpoint is damaged.
    """
    card = read_card(folder)
    found = {}
    for role in ("weights", "policy"):
        file = data_file(folder, card, role)
        found[role] = hashlib.sha256(file.read_bytes()).hexdigest() if file else "none"
    told = {key: card[key] for key in card.keys() - {"files", "seconds"}}
    if "curve" in told:
        told["curve"] = {**told["curve"], "seconds": len(told["curve"]["seconds"])}
    found["card"] = json.dumps(told, sort_keys=True)
    state = stored_state(folder)
    clock = state["clock"]
    unbeatable = clock["unbeatable_at"] and clock["unbeatable_at"][0]
    kept = [state["learner"], state["about"], state["plan"], clock["step"], unbeatable]
    found["state"] = digest(kept)
    return found


def stored_state(folder: Path) -> dict[str, Any]:
    """Return the training's state, as the package reads it.

    Raises:
        ValueError: if there is none, or it is damaged.
    """
    from learners.training.checkpoint import load_training

    return load_training(folder)


def digest(value: Any) -> str:
    """Return a digest of a nested state: kinds, types, shapes and numbers."""
    hashed = hashlib.sha256()
    _feed(hashed, value)
    return hashed.hexdigest()


def _feed(hashed: Any, value: Any) -> None:
    if isinstance(value, dict):
        hashed.update(f"dict {len(value)}".encode())
        for key, inner in value.items():
            hashed.update(repr(key).encode())
            _feed(hashed, inner)
    elif isinstance(value, list | tuple):
        hashed.update(f"list {len(value)}".encode())
        for inner in value:
            _feed(hashed, inner)
    elif hasattr(value, "dtype"):  # a tensor or an array
        array = np.asarray(value)
        hashed.update(f"{type(value).__name__} {array.dtype} {array.shape}".encode())
        hashed.update(np.ascontiguousarray(array).tobytes())
    else:
        hashed.update(repr(value).encode())


def leftovers(folder: Path) -> list[str]:
    """Return files that belong to no checkpoint or curve: temporary or outdated ones."""
    files = read_card(folder)["files"]
    names = sorted(file.name for file in folder.iterdir())
    return [
        name for name in names if name not in OTHER | files.keys() and not name.startswith(EVENTS)
    ]


def curves(folder: Path) -> dict[str, list[tuple[int, Any]]]:
    """Return the contents of TensorBoard by tag: steps with values, or with pictures' lengths."""
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from tensorboard.util import tb_logging

    tb_logging.get_logger().setLevel("ERROR")  # it warns of every training that was resumed
    events = EventAccumulator(str(folder), size_guidance={"scalars": 0, "images": 0})
    events.Reload()
    tags = events.Tags()
    found: dict[str, list[tuple[int, Any]]] = {
        tag: [(event.step, event.value) for event in events.Scalars(tag)]
        for tag in tags["scalars"]
        if not tag.startswith("time/") and not tag.endswith(("/hparam", "_hparams_"))
    }
    for tag in tags["images"]:
        found[tag] = [(event.step, len(event.encoded_image_string)) for event in events.Images(tag)]
    return found
