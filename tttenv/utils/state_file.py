"""Files of unfinished work, from which a command continues: JSON values, with arrays among them.

The program reads only files that it wrote itself: their kind, which ends with a version, and their
checksum are compared, and the content is trusted. The format is that of safetensors.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load, save_file

from tttenv.utils import files
from tttenv.utils.tensor_file import header

ARRAY = "array"  # the only key of an object that stands for an array, with its name


def write(file: Path, kind: str, content: Any) -> None:
    """Write a state atomically, without copying its arrays.

    `kind` says what it holds and the version of its form, such as "unfinished proof, 1"; `content`
    is a JSON value with arrays of numbers anywhere in it, whose tuples become lists.
    """
    arrays: dict[str, NDArray[Any]] = {}

    def kept(array: NDArray[Any]) -> dict[str, str]:
        name = str(len(arrays))
        arrays[name] = np.ascontiguousarray(array)
        return {ARRAY: name}

    text = json.dumps(content, default=kept)
    metadata = {"kind": kind, "values": text, "checksum": _checksum(text, arrays)}
    try:
        files.write(file, lambda temporary: save_file(arrays, temporary, metadata))
    except SafetensorError as error:  # such as a full disk
        raise OSError(f"{file}: {error}") from None


def read(file: Path, kind: str) -> Any:
    """Read a state."""
    data = file.read_bytes()
    metadata = header(data, file).metadata
    if metadata.get("kind") != kind:
        raise ValueError(f"{file} is not an {kind.partition(',')[0]}")
    try:
        arrays, text = load(data), metadata["values"]
    except (SafetensorError, ValueError, KeyError):
        raise ValueError(f"{file} is damaged") from None
    if metadata.get("checksum") != _checksum(text, arrays):
        raise ValueError(f"{file} is damaged")
    return json.loads(text, object_hook=lambda part: arrays[part[ARRAY]] if ARRAY in part else part)


def _checksum(text: str, arrays: Mapping[str, NDArray[Any]]) -> str:
    digest = hashlib.sha256(text.encode())
    for name in sorted(arrays):
        digest.update(f"{name} {arrays[name].dtype} {arrays[name].shape}".encode())
        digest.update(arrays[name].reshape(-1).view("u1").data)
    return digest.hexdigest()
