"""Loading of models saved by Stable-Baselines3, detecting their class from the zip file."""

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

LARGEST = 1024 * MEBIBYTE  # maximum bytes of a zip
LARGEST_SETTINGS = 64 * MEBIBYTE  # maximum bytes of its decompressed settings
# Errors raised by damaged zips; RuntimeError by encrypted ones.
_NO_MODEL = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError),
    *(KeyError, TypeError, ValueError, RuntimeError),
)


class Algorithm(NamedTuple):
    """A model class, and how to recognise its saved models."""

    target: str  # "module:Class"
    field: str  # a setting that it saves
    policies: str  # part of the module name of its policy class


# The first match wins: of classes that save the same setting, the more specific comes first.
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
    """Load a model saved by SB3; unpickling the zip file may run arbitrary code.

    Args:
        file: the zip file.
        algorithm: a name in `ALGORITHMS`; None detects it.

    Raises:
        ValueError: if the zip is missing, damaged, or of another or unknown algorithm.
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
    try:  # a player needs no replay buffer
        model: BaseAlgorithm = made.load(io.BytesIO(data), custom_objects={"buffer_size": 1})
    except Exception as error:  # damaged data may raise anything
        raise ValueError(f"{path} is not a {name} model: {shown(first_line(error))}") from None
    return model


def _detected(path: Path, data: bytes) -> str:
    """Detect the algorithm from the zip file's settings, without running any code in it."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive, archive.open("data") as stream:
            settings = stream.read(LARGEST_SETTINGS + 1)  # protects against zip bombs
        if len(settings) > LARGEST_SETTINGS:
            raise ValueError(f"its settings are larger than {LARGEST_SETTINGS:,} bytes")
        saved = parse_json(settings, "its settings")
        home = str(saved["policy_class"]["__module__"])
    except _NO_MODEL as error:
        raise ValueError(
            f"{path} is not a model saved by SB3: {shown(first_line(error))}"
        ) from None
    for name, known in ALGORITHMS.items():
        if known.field in saved and known.policies in home:
            return name
    raise ValueError(
        f"the algorithm of {path} is unknown (its policy is from {shown(home, 60)});"
        f" set algorithm= to one of {', '.join(ALGORITHMS)}"
    )
