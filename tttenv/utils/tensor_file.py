"""Safetensors files: reading untrusted ones, and writing large ones without a copy.

The header of an untrusted file is checked before any tensor is created.

The format: eight bytes with the header's length, the header as JSON, the tensors' bytes.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load

from tttenv.utils.untrusted import parse_json, shown

PREFIX = 8  # bytes of the header's length, little-endian
LONGEST = 2**24  # bytes of a header
REPEATED = 80  # characters of a name in a message


Kind = tuple[str, tuple[int, ...]]  # a tensor's type, as "F32", and its shape


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
        """Return the tensors of the file as arrays, by name.

        Args:
            expected: the type and shape of each tensor; the file must hold these and no others.
            refusal: the beginning of messages.

        Raises:
            ValueError: if the file holds other tensors, or its data is damaged.
        """
        for name in [*expected, *self.tensors]:
            if (has := self.tensors.get(name)) != (wanted := expected.get(name)):
                told = _difference(shown(name, REPEATED), has, wanted)
                raise ValueError(f"{refusal}: {told}")
        try:
            return load(self.data)
        except (SafetensorError, ValueError) as error:
            raise ValueError(f"{refusal}: {shown(error)}") from None


def header(data: bytes, name: object) -> Header:
    """Read the header of a safetensors file.

    Args:
        data: the whole file.
        name: the file's name, for the message.

    Raises:
        ValueError: if the header is damaged or longer than the file.
    """
    length = int.from_bytes(data[:PREFIX], "little")
    if len(data) < PREFIX or length > min(LONGEST, len(data) - PREFIX):
        raise ValueError(
            f"{shown(name)} is not a file of tensors: its header is truncated or too long"
        )
    content = parse_json(data[PREFIX : PREFIX + length], name)
    if not isinstance(content, dict):
        raise ValueError(f"{shown(name)} is not a file of tensors: its header is not an object")
    metadata = content.pop("__metadata__", {})
    if not isinstance(metadata, dict) or not all(isinstance(v, str) for v in metadata.values()):
        raise ValueError(f"{shown(name)} is not a file of tensors: its metadata are not strings")
    tensors = {key: _entry(key, value, name) for key, value in content.items()}
    return Header(data, tensors, metadata)


def pieces(
    arrays: Mapping[str, NDArray[Any]], metadata: Mapping[str, str]
) -> Iterator[bytes | memoryview]:
    """Yield the contents of a safetensors file piece by piece, without copying any array.

    Args:
        arrays: contiguous arrays of integers or floats, by name.
        metadata: texts by name.
    """
    ordered = sorted(arrays.items(), key=lambda item: -item[1].itemsize)  # so that all are aligned
    content: dict[str, Any] = {"__metadata__": dict(metadata)}
    end = 0
    for name, array in ordered:
        kind = f"{array.dtype.kind.upper()}{8 * array.itemsize}"
        start, end = end, end + array.nbytes
        content[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": [start, end]}
    text = json.dumps(content).encode()
    text += b" " * (-len(text) % PREFIX)
    yield len(text).to_bytes(PREFIX, "little") + text
    for _, array in ordered:
        yield array.reshape(-1).view("u1").data


def _entry(key: str, value: Any, name: object) -> Kind:
    if isinstance(value, dict):
        kind, shape = value.get("dtype"), value.get("shape")
        if isinstance(kind, str) and isinstance(shape, list):
            whole = all(isinstance(n, int) and not isinstance(n, bool) and n >= 0 for n in shape)
            if whole:
                return kind, tuple(shape)
    raise ValueError(
        f"{shown(name)} is not a file of tensors: it declares {shown(repr(key), 80)}"
        f" {shown(repr(value), 80)}"
    )


def _difference(name: str, has: Kind | None, wanted: Kind | None) -> str:
    """Describe how a tensor differs from the expected one; either may not exist."""
    if has is None:
        return f"tensor {name} is missing"
    if wanted is None:
        return f"unexpected tensor {name}"
    return f"{name} is {_spelled(has)}, not {_spelled(wanted)}"


def _spelled(kind: Kind) -> str:
    """Describe a type and a shape, which may come from an untrusted file."""
    return shown(f"{kind[0]} {list(kind[1])}", REPEATED)
