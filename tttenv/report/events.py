"""Bounded reading of scalars from untrusted TensorBoard event files.

A file is a sequence of records: the length of the data (eight bytes), a checksum of the length
(four), the data, which is a protocol buffer, and a checksum of it (four).
"""

import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tttenv.utils.untrusted import MEBIBYTE, read_bytes, shown

LONGEST = 64 * MEBIBYTE  # maximum bytes of a file; a run with 10,000 measures has some 40 MiB
MOST = 256 * MEBIBYTE  # maximum bytes of all files in a folder
LENGTH, CHECKSUM = struct.Struct("<Q"), struct.Struct("<I")


class Scalars(NamedTuple):
    """Scalars from the event files in a folder."""

    values: dict[str, dict[int, float]]  # by tag and step
    cut: Path | None  # a file that ends within a record, as after its writer was killed


def files(folder: Path) -> list[Path]:
    """Return the event files in a folder, in order of creation."""
    return sorted(folder.glob("events.out.tfevents.*"))


def read(folder: Path, tags: Sequence[str]) -> Scalars:
    """Return the scalars with the given tags from the event files in a folder.

    A resumed run writes a new file, which first overrides the steps after its start in earlier
    files.

    Raises:
        ValueError: for a file that is not regular, too large or damaged, naming it.
    """
    from google.protobuf.message import DecodeError
    from tensorboard.compat.proto.event_pb2 import Event, SessionLog

    values: dict[str, dict[int, float]] = {tag: {} for tag in tags}
    room, cut = MOST, None
    for file in files(folder):
        data = read_bytes(file, min(room, LONGEST))
        room -= len(data)
        whole = 0  # bytes of complete records
        for record, checksum, end in records(data, file):
            whole = end
            event: Any = Event()
            try:
                event.ParseFromString(record)
            except DecodeError:
                raise ValueError(f"{shown(file)} is damaged: a record holds no event") from None
            began = event.HasField("session_log") and event.session_log.status == SessionLog.START
            told = [value for value in event.summary.value if value.tag in values]
            if not began and not told:
                continue
            _check(record, checksum, file)
            if began:
                for points in values.values():
                    for step in [step for step in points if step >= event.step]:
                        del points[step]
            for value in told:
                if value.WhichOneof("value") == "simple_value":
                    values[value.tag][event.step] = value.simple_value
        cut = cut or (file if whole < len(data) else None)
    return Scalars(values, cut)


def records(data: bytes, file: Path) -> Iterator[tuple[bytes, int, int]]:
    """Yield the complete records in a file: the data, its checksum and the record's end.

    Raises:
        ValueError: if a length is damaged.
    """
    at, head = 0, LENGTH.size + CHECKSUM.size
    while at + head <= len(data):
        length, checksum = data[at : at + LENGTH.size], data[at + LENGTH.size : at + head]
        _check(length, CHECKSUM.unpack(checksum)[0], file)
        end = at + head + LENGTH.unpack(length)[0]
        if end + CHECKSUM.size > len(data):
            return
        yield data[at + head : end], CHECKSUM.unpack_from(data, end)[0], end + CHECKSUM.size
        at = end + CHECKSUM.size


def _check(data: bytes, checksum: int, file: Path) -> None:
    from tensorboard.compat.tensorflow_stub.pywrap_tensorflow import masked_crc32c

    if masked_crc32c(data) != checksum:
        raise ValueError(f"{shown(file)} is damaged: a checksum does not hold")
