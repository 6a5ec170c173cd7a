"""Task results as files in a folder, one per task, named by a digest of its description."""

import hashlib
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tttenv.parallel.tasks import LONGEST_VALUE, Task, description, key, to_json
from tttenv.utils.files import write
from tttenv.utils.untrusted import parse_json, read_bytes

LONGEST = 2 * LONGEST_VALUE  # bytes of a file
OURS = re.compile(r"[0-9a-f]{64}\.json|\.[0-9a-f]{64}\.json\..+")  # results, and cut-off writings


@dataclass(frozen=True)
class Stored:
    """A value found in the folder."""

    value: Any


class ResultsFolder:
    """A folder of task results, which persist between runs.

    A file holds the description of its task, the value and a digest of the value. A file that is
    truncated, altered, not regular or has another description is ignored; so is one whose task has
    a folder that no longer exists.

    Args:
        folder: the folder, created with the first result.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def get(self, task: Task) -> Stored | None:
        """Return the stored value of a task, or None if there is no complete and matching file."""
        if task.folder is not None and not task.folder.is_dir():
            return None
        about = description(task)
        file = self._file(task)
        try:
            found = parse_json(read_bytes(file, LONGEST), file)
        except (FileNotFoundError, ValueError):
            return None
        if not isinstance(found, dict) or found.keys() != {"task", "value", "sha256"}:
            return None
        if found["task"] != about or found["sha256"] != _digest(to_json(found["value"])):
            return None
        return Stored(found["value"])

    def put(self, task: Task, value: str) -> None:
        """Store a task's value as JSON text.

        Raises:
            OSError: naming the file that could not be written.
        """
        about = to_json(description(task))
        text = f'{{"task": {about},\n "value": {value},\n "sha256": "{_digest(value)}"}}\n'
        write(self._file(task), text)

    def forget(self, task: Task) -> None:
        """Remove the stored value of a task, if any."""
        self._file(task).unlink(missing_ok=True)

    def remove(self) -> None:
        """Remove all results, and the folder if it is then empty."""
        with suppress(FileNotFoundError, NotADirectoryError):
            for file in list(self.folder.iterdir()):
                if OURS.fullmatch(file.name) and (file.is_symlink() or file.is_file()):
                    file.unlink(missing_ok=True)
        with suppress(OSError):
            self.folder.rmdir()

    def _file(self, task: Task) -> Path:
        return self.folder / f"{key(task)}.json"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
