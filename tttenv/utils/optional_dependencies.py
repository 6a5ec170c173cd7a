"""Libraries that only an extra of the package installs: which they are, and what to install."""

from functools import cache
from importlib.util import find_spec

LEARN = frozenset(
    ("torch", "threadpoolctl", "tensorboard", "stable_baselines3", "sb3_contrib", "filelock", "PIL")
)
EXTRAS = {"ray": "ray", "openai": "llm", "onnxruntime": "onnx"}  # of other libraries
NO_WINDOW = "windows are drawn by pygame-ce, which is not installed: pip install 'tttenv[window]'"


@cache
def has_window() -> bool:
    """Whether windows can be drawn: pygame-ce is installed, which this does not load."""
    return find_spec("pygame") is not None


def require_learn() -> None:
    """Look for what the learners need, without loading it, before long work begins.

    Raises:
        ModuleNotFoundError: naming the first library that is not installed.
    """
    for name in sorted(LEARN):
        if find_spec(name) is None:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def to_install(error: ImportError) -> str | None:
    """What to install for an import that failed, in a sentence; None for libraries of no extra."""
    name = (error.name or "").partition(".")[0]
    extra = "learn" if name in LEARN else EXTRAS.get(name)
    if extra is None:
        return None
    return f"this needs {name}, which is not installed: pip install 'tttenv[{extra}]'"
