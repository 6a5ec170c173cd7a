"""Safetensors files: untrusted ones, and states of unfinished work from which a command continues.

The format: eight bytes with the header's length, the header as JSON, the tensors' bytes. The header
is checked before any tensor is created.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, TypedDict

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load, save_file

from tttenv.utils import files
from tttenv.utils.schema import REPEATED, Meta, checked
from tttenv.utils.untrusted import parse_json, shown

PREFIX = 8  # bytes of the header's length, little-endian
LONGEST = 2**24  # bytes of a header
LONGEST_AXIS = 2**62  # numbers
ARRAY = "array"  # the only key of an object that stands for an array of a state, with its name

Kind = tuple[str, tuple[int, ...]]  # a tensor's type, as "F32", and its shape


class _Entry(TypedDict):
    """A tensor's entry in a header."""

    dtype: str
    shape: list[Annotated[int, Meta(ge=0, le=LONGEST_AXIS)]]


@dataclass(frozen=True)
class Header:
    """The contents of a safetensors file's header."""

    data: bytes = field(repr=False)  # the whole file
    tensors: dict[str, Kind]  # by name
    metadata: dict[str, str]

    def length(self, name: str) -> int:
        """Return the first dimension of a tensor, or 0 if it is missing."""
        return (*self.tensors.get(name, ("", ()))[1], 0)[0]

    def arrays(self, expected: Mapping[str, Kind], refusal: str) -> dict[str, NDArray[Any]]:
        """Return the tensors by name.

        Args:
            expected: the types and shapes of all tensors that the file must have.
            refusal: begins messages.

        Raises:
            ValueError: if one is missing, unknown or of another type or shape, or damaged.
        """
        for name in [*expected, *self.tensors]:
            if self.tensors.get(name) != expected.get(name):
                what = (
                    "is missing, or has another type or shape" if name in expected else "is unknown"
                )
                raise ValueError(f"{refusal}: {shown(name, REPEATED)} {what}")
        try:
            return load(self.data)
        except (SafetensorError, ValueError) as error:
            raise ValueError(f"{refusal}: {shown(error)}") from None


def header(data: bytes, name: object) -> Header:
    """Read the header of a safetensors file; no tensor is created.

    Args:
        data: the whole file.
        name: the file's, for the message.

    Raises:
        ValueError: if the header is truncated, longer than 16 MiB, or not one.
    """
    length = int.from_bytes(data[:PREFIX], "little")
    refusal = f"{shown(name)} is not a file of tensors"
    if len(data) < PREFIX or length > min(LONGEST, len(data) - PREFIX):
        raise ValueError(f"{refusal}: its header is truncated or too long")
    content = checked(dict[str, Any], parse_json(data[PREFIX : PREFIX + length], name), refusal)
    metadata = checked(dict[str, str], content.pop("__metadata__", {}), refusal)
    entries = checked(dict[str, _Entry], content, refusal)
    tensors = {key: (entry["dtype"], tuple(entry["shape"])) for key, entry in entries.items()}
    return Header(data, tensors, metadata)


def write_state(file: Path, kind: str, content: Any) -> None:
    """Write the state of unfinished work atomically, without copying its arrays.

    Args:
        file: its path.
        kind: what it holds and the version of its form, such as "unfinished proof, 1".
        content: a JSON value with arrays of numbers anywhere in it, whose tuples become lists.

    Raises:
        OSError: if it cannot be written, such as on a full disk.
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


def read_state(file: Path, kind: str) -> Any:
    """Read a state that this program wrote: its kind and checksum are compared, no more.

    Raises:
        ValueError: for a file of another kind, and for a damaged one.
    """
    found = header(file.read_bytes(), file)
    if found.metadata.get("kind") != kind:
        raise ValueError(f"{file} is not an {kind.partition(',')[0]}")
    arrays = found.arrays(found.tensors, f"{file} is damaged")
    text = found.metadata.get("values", "")
    if found.metadata.get("checksum") != _checksum(text, arrays):
        raise ValueError(f"{file} is damaged")
    return json.loads(text, object_hook=lambda part: arrays[part[ARRAY]] if ARRAY in part else part)


def _checksum(text: str, arrays: Mapping[str, NDArray[Any]]) -> str:
    digest = hashlib.sha256(text.encode())
    for name in sorted(arrays):
        digest.update(f"{name} {arrays[name].dtype} {arrays[name].shape}".encode())
        digest.update(arrays[name].reshape(-1).view("u1").data)
    return digest.hexdigest()
