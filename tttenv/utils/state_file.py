"""Files of unfinished work, from which a command continues: JSON values and arrays by name.

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
from safetensors.numpy import load

from tttenv.utils import files
from tttenv.utils.tensor_file import header, pieces


def write(file: Path, kind: str, content: Mapping[str, Any]) -> None:
    """Write a state atomically, without copying its arrays.

    Args:
        file: the file.
        kind: what it holds and the version of its form, such as "unfinished proof, 1".
        content: JSON-serializable values and arrays of numbers, by name.

    Raises:
        OSError: if the file cannot be written.
    """
    arrays = {
        name: np.ascontiguousarray(part)
        for name, part in content.items()
        if isinstance(part, np.ndarray)
    }
    text = json.dumps({name: part for name, part in content.items() if name not in arrays})
    metadata = {"kind": kind, "values": text, "checksum": _checksum(text, arrays)}
    files.write(file, pieces(arrays, metadata))


def read(file: Path, kind: str) -> dict[str, Any]:
    """Read a state, and return its values and arrays by name.

    Raises:
        FileNotFoundError: if there is no such file.
        ValueError: if the file is of another kind or damaged.
    """
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
    return json.loads(text) | arrays


def _checksum(text: str, arrays: Mapping[str, NDArray[Any]]) -> str:
    digest = hashlib.sha256(text.encode())
    for name in sorted(arrays):
        digest.update(f"{name} {arrays[name].dtype} {arrays[name].shape}".encode())
        digest.update(arrays[name].reshape(-1).view("u1"))
    return digest.hexdigest()
