"""Reading untrusted safetensors files, whose header is checked before any tensor is created.

The format: eight bytes with the header's length, the header as JSON, the tensors' bytes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, TypedDict

from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load

from tttenv.utils.schema import REPEATED, Meta, checked
from tttenv.utils.untrusted import parse_json, shown

PREFIX = 8  # bytes of the header's length, little-endian
LONGEST = 2**24  # bytes of a header
LONGEST_AXIS = 2**62  # numbers

Kind = tuple[str, tuple[int, ...]]  # a tensor's type, as "F32", and its shape


class _Entry(TypedDict):
    """What a header says of a tensor."""

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


def _spelled(kind: Kind | None) -> str:
    """Describe a tensor's type and shape, which may come from an untrusted file."""
    return shown(f"{kind[0]} {list(kind[1])}", REPEATED) if kind else "nothing"
