"""Private folders for compiled code, which no other user may be able to write to."""

import os
import stat
from contextlib import suppress
from pathlib import Path

OTHERS = stat.S_IWGRP | stat.S_IWOTH  # the rights of others to write
PRIVATE = 0o700  # the rights of a folder that is made here


class SharedFolderError(OSError):
    """A folder is writable by another user."""


def private_folder(folder: Path) -> Path:
    """Return a folder that only this user can write to, creating it if necessary.

    On systems without file owners (Windows) it is created without checks.

    Args:
        folder: the folder; a relative path starts at the working directory.

    Returns:
        Its real path, with all links resolved.

    Raises:
        SharedFolderError: if another user owns it or a link in its path, or can write to it or
            rename it; a parent that others can write to must have the sticky bit, like /tmp.
        OSError: if it cannot be created or inspected.
    """
    folder = Path(os.path.abspath(folder))
    if not hasattr(os, "geteuid"):
        folder.mkdir(parents=True, exist_ok=True)
        return folder
    for place in [*reversed(folder.parents), folder]:
        if place.is_symlink() and not _trusted(os.lstat(place)):
            raise SharedFolderError(f"{place} is somebody else's link")
    real = Path(os.path.realpath(folder))
    missing = [place for place in [real, *real.parents] if not place.exists()]
    above = real.parents[len(missing) - 1] if missing else real
    if not _trusted(os.stat(above)):
        raise SharedFolderError(f"{above} belongs to somebody else")
    for place in reversed(missing):
        with suppress(FileExistsError):  # another process may be quicker
            place.mkdir(PRIVATE)
    for parent in real.parents:
        _require_lasting(parent)
    _require_private(os.lstat(real), real)
    return real


def _require_private(status: os.stat_result, folder: Path) -> None:
    """Raise SharedFolderError unless a folder is this user's and no other user can write to it."""
    if status.st_uid != os.geteuid():
        raise SharedFolderError(f"{folder} belongs to somebody else")
    if status.st_mode & OTHERS:
        raise SharedFolderError(f"others can write to {folder}")


def _trusted(status: os.stat_result) -> bool:
    """Return whether a file or folder belongs to this user or to root."""
    return status.st_uid in (os.geteuid(), 0)


def _require_lasting(parent: Path) -> None:
    """Raise SharedFolderError if another user could replace this user's folders in `parent`."""
    status = os.stat(parent)
    shared = status.st_mode & OTHERS
    if not shared or (status.st_mode & stat.S_ISVTX and _trusted(status)):
        return
    if shared == stat.S_IWGRP and _group_of_one(status.st_gid):
        return
    raise SharedFolderError(f"others can write to {parent}")


def _group_of_one(group: int) -> bool:
    """Return whether a group is the user's private group, of the same name."""
    import grp  # only where there are owners
    import pwd

    try:
        user, found = pwd.getpwuid(os.geteuid()), grp.getgrgid(group)
    except KeyError:
        return False
    alone = set(found.gr_mem) <= {user.pw_name}
    return user.pw_gid == group and found.gr_name == user.pw_name and alone
