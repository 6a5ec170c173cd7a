"""Digests of a player's files, by which a player is recognised after an interruption."""

import ast
import hashlib
import os
import shlex
import shutil
from contextlib import suppress
from pathlib import Path

from tttenv.players import checkpoint_of, full, inner_specs
from tttenv.players.bundled import CARD
from tttenv.utils.registry import parse
from tttenv.utils.untrusted import read_bytes

LARGEST_CARD = 2**22  # maximum bytes
# What reading a file that is no Python raises, or one that is nested too deeply:
UNREADABLE = (MemoryError, OSError, RecursionError, SyntaxError, ValueError)
TEMPLATES = "additional_chat_templates"  # a folder in a language model's folder


def digests(spec: str) -> list[str]:
    """Return the digests of the files and folders named in a spec or its options.

    A checkpoint is identified by its card; a program by each word of its command that is a file or
    `--option=file`, and, if its first word is none, by the program that the system finds. With a
    Python file count the modules that it imports from its own folder.

    Raises:
        ValueError: for a spec that cannot be parsed, and a card that cannot be read.
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
        else:
            named = _named(value) if option == "command" else [Path(value)] * os.path.isfile(value)
            files = [each for file in named for each in (file, *_imported(file))]
            found += [_file_digest(file) for file in files]
    return found


def _named(value: str) -> list[Path]:
    """Return the files that a command names: itself, or its words."""
    words = [value]
    with suppress(ValueError):  # not a command: quotes that do not close
        words = shlex.split(value)
    program = words and shutil.which(words[0])
    words = [value, *([program] if program else []), *words]
    words += [word.partition("=")[2] for word in words]
    return [Path(word) for word in dict.fromkeys(words) if os.path.isfile(word)]


def _imported(file: Path) -> list[Path]:
    """Return the modules beside a Python file that it imports, directly or not; none is run."""
    found, left = set[Path](), [file] if file.suffix == ".py" else []
    while left:
        each = left.pop()
        names = set()
        with suppress(*UNREADABLE):  # playing a file that is no Python says so
            for node in ast.walk(ast.parse(each.read_bytes())):
                if isinstance(node, ast.Import):
                    names |= {alias.name for alias in node.names}
                elif isinstance(node, ast.ImportFrom):
                    names |= {f"{node.module or ''}.{alias.name}" for alias in node.names}
        for name in names:
            parts = [part for part in name.split(".") if part]
            for home in (file.parent, each.parent):
                within = [home.joinpath(*parts[:size]) for size in range(1, len(parts) + 1)]
                paths = [path / "__init__.py" for path in within]
                paths += [path.with_name(f"{path.name}.py") for path in within]
                new = {path for path in paths if path.is_file()} - found - {file}
                found |= new
                left += new
    return sorted(found)


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
