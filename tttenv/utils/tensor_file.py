"""Safetensors files: reading untrusted ones, and writing large ones without a copy.

The header of an untrusted file is checked before any tensor is created.

The format: eight bytes with the header's length, the header as JSON, the tensors' bytes.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, TypedDict

from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load

from tttenv.utils.schema import Between, checked
from tttenv.utils.untrusted import parse_json, shown

PREFIX = 8  # bytes of the header's length, little-endian
LONGEST = 2**24  # bytes of a header
LONGEST_AXIS = 2**62  # numbers
REPEATED = 80  # characters of a name in a message


Kind = tuple[str, tuple[int, ...]]  # a tensor's type, as "F32", and its shape


class _Entry(TypedDict):
    """What a header says of a tensor."""

    dtype: str
    shape: list[Annotated[int, Between(0, LONGEST_AXIS)]]


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
        """Return the tensors of the file, which must be those `expected` and no others, by name.

        `refusal` begins messages.
        """
        for name in [*expected, *self.tensors]:
            if (has := self.tensors.get(name)) != (wanted := expected.get(name)):
                told = " instead of ".join(map(_spelled, (has, wanted)))
                raise ValueError(f"{refusal}: {shown(name, REPEATED)}: {told}")
        try:
            return load(self.data)
        except (SafetensorError, ValueError) as error:
            raise ValueError(f"{refusal}: {shown(error)}") from None


def header(data: bytes, name: object) -> Header:
    """Read the header of a whole safetensors file; `name` is the file's, for the message."""
    length = int.from_bytes(data[:PREFIX], "little")
    refusal = f"{shown(name)} is not a file of tensors"
    if len(data) < PREFIX or length > min(LONGEST, len(data) - PREFIX):
        raise ValueError(f"{refusal}: its header is truncated or too long")
    content = checked(dict[str, Any], parse_json(data[PREFIX : PREFIX + length], name), refusal)
    metadata = checked(dict[str, str], content.pop("__metadata__", {}), refusal)
    entries = checked(dict[str, _Entry], content, refusal)
    tensors = {key: (entry["dtype"], tuple(entry["shape"])) for key, entry in entries.items()}
    return Header(data, tensors, metadata)


def pieces(
    arrays: Mapping[str, NDArray[Any]], metadata: Mapping[str, str]
) -> Iterator[bytes | memoryview]:
    """Yield the contents of a safetensors file piece by piece, without copying any array.

    The arrays are contiguous, of integers or floats; `metadata` holds texts by name.
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


def _spelled(kind: Kind | None) -> str:
    """Describe a tensor's type and shape, which may come from an untrusted file."""
    return shown(f"{kind[0]} {list(kind[1])}", REPEATED) if kind else "nothing"
