"""Loading of models saved by Stable-Baselines3; their class is detected from the zip."""

import importlib
import io
import lzma
import zipfile
import zlib
from pathlib import Path
from typing import Any, NamedTuple

from stable_baselines3.common.base_class import BaseAlgorithm

from tttenv.utils.registry import unknown
from tttenv.utils.untrusted import MEBIBYTE, first_line, parse_json, read_bytes, shown

LARGEST = 1024 * MEBIBYTE  # bytes of a zip
LARGEST_SETTINGS = 64 * MEBIBYTE  # bytes of its settings, decompressed
# What reading a damaged zip raises; an encrypted one raises RuntimeError.
_NO_MODEL = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError),
    *(KeyError, TypeError, ValueError, RuntimeError),
)


class Algorithm(NamedTuple):
    """A class of models, and how a saved one is recognised."""

    target: str  # "module:Class"
    field: str  # a setting that it saves
    policies: str  # in the name of the module of its policy's class


# The first match counts: of classes that save the same setting, the more specific comes first.
ALGORITHMS = {
    "maskable_ppo": Algorithm("sb3_contrib:MaskablePPO", "clip_range", "contrib.common.maskable."),
    "ppo": Algorithm("stable_baselines3:PPO", "clip_range", "baselines3.common.policies"),
    "trpo": Algorithm("sb3_contrib:TRPO", "cg_max_steps", "baselines3.common.policies"),
    "a2c": Algorithm("stable_baselines3:A2C", "gae_lambda", "baselines3.common.policies"),
    "qrdqn": Algorithm("sb3_contrib:QRDQN", "n_quantiles", "contrib.qrdqn."),
    "dqn": Algorithm("stable_baselines3:DQN", "exploration_rate", "baselines3.dqn."),
    "ars": Algorithm("sb3_contrib:ARS", "n_delta", "contrib.ars."),
}


def load(file: Path | str, algorithm: str | None = None) -> BaseAlgorithm:
    """The model in a zip that SB3 saved. The zip is unpickled, which may run any code in it.

    Args:
        file: the zip.
        algorithm: a name in `ALGORITHMS`; None detects it.

    Raises:
        ValueError: if the zip is missing, damaged, or not of the (or a known) algorithm.
    """
    path = Path(file)
    try:
        data = read_bytes(path, LARGEST)
    except FileNotFoundError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from None
    name = algorithm or _detected(path, data)
    if name not in ALGORITHMS:
        raise ValueError(unknown("algorithm", name, ALGORITHMS))
    module, kind = ALGORITHMS[name].target.split(":")
    made: Any = getattr(importlib.import_module(module), kind)
    try:  # a replay buffer is of no use to a player
        model: BaseAlgorithm = made.load(io.BytesIO(data), custom_objects={"buffer_size": 1})
    except Exception as error:  # damaged data may raise anything
        raise ValueError(f"{path} holds no model of {name}: {shown(first_line(error))}") from None
    return model


def _detected(path: Path, data: bytes) -> str:
    """The name of the algorithm whose settings the zip holds; no code in the zip is run."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive, archive.open("data") as stream:
            settings = stream.read(LARGEST_SETTINGS + 1)  # however much more a zip may unfold to
        if len(settings) > LARGEST_SETTINGS:
            raise ValueError(f"its settings have more than {LARGEST_SETTINGS:,} bytes")
        saved = parse_json(settings, "its settings")
        home = str(saved["policy_class"]["__module__"])
    except _NO_MODEL as error:
        raise ValueError(f"{path} is no model saved by SB3: {shown(first_line(error))}") from None
    for name, known in ALGORITHMS.items():
        if known.field in saved and known.policies in home:
            return name
    raise ValueError(
        f"what trained {path} is not to be seen from it (its policy is of {shown(home, 60)});"
        f" say algorithm=, one of {', '.join(ALGORITHMS)}"
    )
