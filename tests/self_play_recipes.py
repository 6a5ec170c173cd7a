"""The programs of the guide to self-play, run from its text."""

from pathlib import Path
from types import SimpleNamespace

PAGE = Path(__file__).parents[1] / "docs/how-to/self-play.md"
START = "```python\n# "
RECIPES = {
    block.partition(":")[0]: block.partition("\n```")[0]
    for block in PAGE.read_text(encoding="utf-8").split(START)[1:]
}


def recipe(library):
    """Return the names that a library's program defines."""
    names = {"__name__": library}
    exec(compile(f"# {RECIPES[library]}", library, "exec"), names)
    return SimpleNamespace(**names)
