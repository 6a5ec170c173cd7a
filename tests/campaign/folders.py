"""Contents of a checkpoint's folder, found through its card, and compared with another's."""

from pathlib import Path
from typing import Any

from learners.testing import _same as same
from learners.training.checkpoint import load_training
from tttenv.players.stored.checkpoint import CARD, POLICY, WEIGHTS, file_of, read_card

EVENTS = "events.out.tfevents."


def contents(folder: Path) -> dict[str, Any]:
    """Return all that must be the same after an interrupted training, except times.

    Raises:
        ValueError: if the checkpoint is damaged.
    """
    card = read_card(folder)
    files = {role: file_of(card, role) for role in (WEIGHTS, POLICY)}
    found = {role: name and (folder / name).read_bytes() for role, name in files.items()}
    curve = card.get("curve")
    timeless = {"files": None, "seconds": None, "curve": curve and curve | {"seconds": None}}
    state = load_training(folder)
    clock = state["clock"]
    unbeatable = clock["unbeatable_at"] and clock["unbeatable_at"][0]
    state = [state["learner"], state["about"], state["plan"], clock["step"], unbeatable]
    return found | {"card": card | timeless, "state": state}


def differences(folder: Path, wanted: dict[str, Any]) -> list[str]:
    """Return what differs from the contents wanted, and files that no card or curve names.

    Raises:
        ValueError: if the checkpoint is damaged.
    """
    found = contents(folder)
    known = {CARD, ".lock", *read_card(folder)["files"]}
    names = sorted(file.name for file in folder.iterdir() if not file.name.startswith(EVENTS))
    differ = [key for key in wanted if not same(found[key], wanted[key])]
    return differ + [name for name in names if name not in known]


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
