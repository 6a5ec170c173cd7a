"""Libraries that the package's extras install, and the commands to install them."""

from functools import cache
from importlib.util import find_spec

LEARN = frozenset(
    ("torch", "threadpoolctl", "tensorboard", "stable_baselines3", "sb3_contrib", "filelock", "PIL")
)
# Of other libraries.
EXTRAS = {
    "ray": "ray",
    "openai": "llm",
    "transformers": "hf",
    "huggingface_hub": "hub",
    "onnx": "onnx",
    "onnxruntime": "onnx",
    "pygame": "window",
    "wandb": "wandb",
    "mlflow": "mlflow",
}
NO_WINDOW = "windows are drawn by pygame-ce, which is not installed: pip install 'tttenv[window]'"


@cache
def has_window() -> bool:
    """Return whether pygame-ce, which draws windows, is installed, without importing it."""
    return find_spec("pygame") is not None


def require_learn() -> None:
    """Raise ModuleNotFoundError for a missing library of the learners, and import none of them."""
    for name in sorted(LEARN):
        if find_spec(name) is None:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def to_install(error: ImportError) -> str | None:
    """Return a sentence that says how to install the missing library, or None if unknown."""
    name = (error.name or "").partition(".")[0]
    extra = "learn" if name in LEARN else EXTRAS.get(name)
    if extra is None:
        return None
    return f"this needs {name}, which is not installed: pip install 'tttenv[{extra}]'"
