"""Digests of a player's files, by which a player is recognised after an interruption."""

import hashlib
import os
from pathlib import Path

from tttenv.players import checkpoint_of, full, inner_specs
from tttenv.players.bundled import CARD
from tttenv.utils.registry import parse
from tttenv.utils.untrusted import read_bytes

LARGEST_CARD = 2**22  # maximum bytes
TEMPLATES = "additional_chat_templates"  # a folder in a language model's folder


def digests(spec: str) -> list[str]:
    """Return the digests of the files and folders named in a spec or its options.

    A checkpoint is identified by its card, and a program by the first file of its command.
    """
    place = checkpoint_of(spec)
    if place is not None:
        return [hashlib.sha256(read_bytes(place[0] / CARD, LARGEST_CARD)).hexdigest()]
    name, options = parse(full(spec))
    inner, found = inner_specs(name, options), []
    for option, value in options.items():
        if option in inner:
            found += digests(value)
        elif option == "path" and os.path.isdir(value):
            found.append(folder_digest(Path(value)))
        else:  # a file, or a command: its program or script, since others may be written by it
            files = [word for word in (value, *value.split()) if os.path.isfile(word)]
            found += [_file_digest(Path(file)) for file in files[:1]]
    return found


def folder_digest(folder: Path) -> str:
    """Return the digest of the names and contents of all files in a language model's folder."""
    total = hashlib.sha256()  # of folders in it only TEMPLATES is read
    for file in sorted([*folder.iterdir(), *(folder / TEMPLATES).glob("*")]):
        if file.is_file():
            name = file.relative_to(folder).as_posix().encode(errors="surrogateescape")
            total.update(b"%b %b\n" % (name, _file_digest(file).encode()))
    return total.hexdigest()


def _file_digest(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
