"""Versions of the code that computes a result: our sources and the numerical libraries."""

import hashlib
import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

PACKAGES = ("tttenv", "learners")  # whatever a task calls, it may call these
LIBRARIES = ("numpy", "numba", "gymnasium", "torch", "stable-baselines3", "sb3-contrib")


@cache
def code_version(package: str) -> dict[str, str]:
    """Return the versions that a result depends on: sources, Python and libraries, by name.

    All sources of the package count, so that the results of edited code are never mistaken for
    earlier ones although the package's version number is the same.

    Args:
        package: the imported package of the task's function.
    """
    found = {"python": f"{sys.version_info.major}.{sys.version_info.minor}"}
    for name in sorted({*PACKAGES, package}):
        if (folder := _folder(name)) is not None:
            found[f"sources of {name}"] = _digest(folder)
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue  # an extra that is not installed
    return found


def _folder(package: str) -> Path | None:
    """Return a package's source folder, or None for a script or a test module."""
    if package == "__main__":
        return None
    spec = find_spec(package)
    if spec is None or spec.origin is None or spec.submodule_search_locations is None:
        return None
    return Path(spec.origin).parent


def _digest(folder: Path) -> str:
    """Return a digest of the names and contents of all Python files in a folder."""
    total = hashlib.sha256()
    for file in sorted(folder.rglob("*.py")):
        content = file.read_bytes()
        total.update(f"{file.relative_to(folder).as_posix()} {len(content)}\n".encode())
        total.update(content)
    return total.hexdigest()
