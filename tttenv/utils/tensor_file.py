"""The header of a safetensors file, checked before its tensors are read.

The format: eight bytes with the header's length, the header as JSON, the tensors' bytes.
"""

from dataclasses import dataclass
from typing import Any

from tttenv.utils.untrusted import parse_json, shown

PREFIX = 8  # bytes of the header's length, little-endian
LONGEST = 2**24  # bytes of a header


@dataclass(frozen=True)
class Header:
    """The contents of a safetensors file's header."""

    tensors: dict[str, tuple[str, tuple[int, ...]]]  # type, as "F32", and shape by name
    metadata: dict[str, str]


def header(data: bytes, name: object) -> Header:
    """Read the header of a safetensors file.

    Args:
        data: the whole file.
        name: of the file, for the message.

    Raises:
        ValueError: if the header is damaged or longer than the file.
    """
    length = int.from_bytes(data[:PREFIX], "little")
    if len(data) < PREFIX or length > min(LONGEST, len(data) - PREFIX):
        raise ValueError(f"{shown(name)} is no file of tensors: its header is cut or too long")
    content = parse_json(data[PREFIX : PREFIX + length], name)
    if not isinstance(content, dict):
        raise ValueError(f"{shown(name)} is no file of tensors: its header is no object")
    metadata = content.pop("__metadata__", {})
    if not isinstance(metadata, dict) or not all(isinstance(v, str) for v in metadata.values()):
        raise ValueError(f"{shown(name)} is no file of tensors: its metadata are no texts")
    tensors = {key: _entry(key, value, name) for key, value in content.items()}
    return Header(tensors, metadata)


def _entry(key: str, value: Any, name: object) -> tuple[str, tuple[int, ...]]:
    if isinstance(value, dict):
        kind, shape = value.get("dtype"), value.get("shape")
        if isinstance(kind, str) and isinstance(shape, list):
            whole = all(isinstance(n, int) and not isinstance(n, bool) and n >= 0 for n in shape)
            if whole:
                return kind, tuple(shape)
    raise ValueError(
        f"{shown(name)} is no file of tensors: it says of {shown(repr(key), 80)}"
        f" {shown(repr(value), 80)}"
    )
