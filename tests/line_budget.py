"""Lines of Python compared with the budget in pyproject.toml: `python -m tests.line_budget`."""

import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PARTS = {"source": ("tttenv", "learners", "scripts"), "tests": ("tests",)}


def lines(folders: tuple[str, ...]) -> int:
    """Count the lines of all Python files in folders of the repository."""
    files = [file for folder in folders for file in (ROOT / folder).rglob("*.py")]
    return sum(len(file.read_bytes().splitlines()) for file in files)


def main() -> int:
    """Print how the lines compare with the budget; return 1 if there are more."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    over = False
    for part, budget in settings["tool"]["line-budget"].items():
        count = lines(PARTS[part])
        over |= count > budget
        if count > budget:
            print(f"{part}: {count:,} lines of Python, {count - budget:,} over the budget")
        elif count < budget:
            print(f"{part}: {count:,} lines of Python: lower the budget by {budget - count:,}")
    return int(over)


if __name__ == "__main__":
    sys.exit(main())
