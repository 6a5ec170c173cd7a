"""Files that one command writes and another reads, and a check of both commands."""

import importlib
import re
import shlex
import shutil
from dataclasses import dataclass

import pytest

from tttenv.cli.main import COMMANDS

REFUSED = "is refused"
MADE_ANEW = "is made anew"
LEFT_OUT = "is left out, with a warning"


@dataclass(frozen=True)
class Pair:
    """File, the command line that writes it and the one that reads it."""

    writer: str
    reader: str
    file: str  # a pattern, in the folder where both run
    damaged: str = REFUSED  # what becomes of a damaged file

    def __str__(self):
        return f"{self.reader.partition(' ')[0]} {self.file}"


def run(line):
    """Run a command or a script in this process and in the current folder."""
    name, *args = shlex.split(line)
    if name in COMMANDS.rows:
        COMMANDS.load(name)(args, f"tttenv {name}")
    else:
        importlib.import_module(f"scripts.{name}").main(args)


class Handover:
    """Runner of both commands of pairs, which runs each writer once.

    Args:
        new_folder: makes a folder.
    """

    def __init__(self, new_folder):
        self.new_folder = new_folder
        self.written = {}  # the folders in which writers have run

    def check(self, pair, capfd):
        """Check that the reader accepts the file as written, and notices when it is damaged."""
        with pytest.MonkeyPatch.context() as patch, open("/dev/null") as nobody:
            patch.setattr("sys.stdin", nobody)  # plays or asks an engine
            file = self._copied(pair, patch)
            written_at = file.stat().st_mtime_ns
            capfd.readouterr()
            run(pair.reader)
            assert file.name not in capfd.readouterr().err
            if pair.damaged == MADE_ANEW:
                assert file.stat().st_mtime_ns == written_at
            file = self._copied(pair, patch)
            file.write_bytes(b"damaged")
            if pair.damaged == REFUSED:
                named = "|".join(re.escape(part) for part in (file.name, file.parent.name))
                with pytest.raises(ValueError, match=rf"^[^\n]*({named})[^\n]*$"):
                    run(pair.reader)
                return
            run(pair.reader)
            if pair.damaged == MADE_ANEW:
                assert file.read_bytes() != b"damaged"
            else:
                assert file.name in capfd.readouterr().err

    def _copied(self, pair, patch):
        """Return the file in a copy of all that the writer wrote, now the current folder."""
        if pair.writer not in self.written:
            folder = self.new_folder("written")
            patch.chdir(folder)
            run(pair.writer)
            self.written[pair.writer] = folder
        copy = self.new_folder("copy") / "of"
        shutil.copytree(self.written[pair.writer], copy)
        patch.chdir(copy)
        return min(copy.glob(pair.file))
