"""What `make check` counts, compared with the budgets in pyproject.toml: `python -m tests.budgets`.

Lines of Python without docstrings, and the public functions that raise an error of which their
docstring says nothing. Docstrings are not counted: a budget that counts them is met by writing less
of the manual.
"""

import ast
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CORE = ("game", "exact", "reach", "env", "certificates", "networks.py", "policy.py", "utils")
PARTS = {
    "source": ("tttenv", "learners", "scripts"),
    "tests": ("tests",),
    "core": tuple(f"tttenv/{name}" for name in CORE),
}
MANUAL = ("tttenv", "learners")  # whose docstrings the documentation shows
COMMAND = "main"  # of a command, whose errors are printed
UNSAID = {"NotImplementedError", "AssertionError", "SystemExit"}  # no user catches these
FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef


def files(places: tuple[str, ...]) -> list[Path]:
    """Return all Python files in folders of the repository, or which the places are themselves."""
    found = [[ROOT / p] if p.endswith(".py") else (ROOT / p).rglob("*.py") for p in places]
    return sorted(file for several in found for file in several)


def lines(places: tuple[str, ...]) -> int:
    """Count the lines of Python files without those of docstrings."""
    return sum(code_lines(file.read_text(encoding="utf-8")) for file in files(places))


def code_lines(source: str) -> int:
    """Count the lines of a module, comments and blank lines included, without its docstrings."""
    documented = ast.Module | ast.ClassDef | FUNCTIONS
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, documented)]
    texts = [node.body[0] for node in nodes if ast.get_docstring(node, clean=False) is not None]
    return len(source.splitlines()) - sum(
        (text.end_lineno or 0) - text.lineno + 1 for text in texts
    )


def functions(body: list[ast.stmt]) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield the public functions of a module and the public methods of its public classes."""
    for node in body:
        if isinstance(node, FUNCTIONS | ast.ClassDef) and node.name.startswith("_"):
            continue
        if isinstance(node, FUNCTIONS) and node.name != COMMAND:
            yield node
        elif isinstance(node, ast.ClassDef | ast.If | ast.Try):
            yield from functions(node.body)


def raised(node: ast.AST) -> Iterator[str]:
    """Yield the names of the exceptions that a function's own body makes and raises."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, FUNCTIONS | ast.ClassDef | ast.Lambda):
            continue
        if isinstance(child, ast.Raise) and isinstance(child.exc, ast.Call):
            name = ast.unparse(child.exc.func).rpartition(".")[2]
            if name[0].isupper() and name not in UNSAID:  # not a function that makes one
                yield name
        yield from raised(child)


def silent(source: str) -> list[str]:
    """Return "line: function raises names" for each one whose docstring does not name them all."""
    found = []
    for function in functions(ast.parse(source).body):
        words = (ast.get_docstring(function) or "").replace(".", " ").replace(":", " ").split()
        if names := set(raised(function)) - {word.strip("`,;()") for word in words}:
            text = ", ".join(sorted(names))
            found.append(f"{function.lineno}: {function.name} raises {text} without saying so")
    return found


def undocumented() -> list[str]:
    """Return "file:line: ..." for each public function that raises without saying so."""
    return [
        f"{file.relative_to(ROOT)}:{line}"
        for file in files(MANUAL)
        if not any(part.startswith("_") for part in file.parts if part != "__init__.py")
        for line in silent(file.read_text(encoding="utf-8"))
    ]


def main() -> int:
    """Print how the counts compare with the budgets; return 1 if one is above."""
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    offenders = undocumented()
    counts = {
        **{part: (lines(PARTS[part]), most) for part, most in tools["line-budget"].items()},
        "manual": (len(offenders), tools["manual-budget"]["silent"]),
    }
    for part, (count, most) in counts.items():
        what = "functions that raise without saying so" if part == "manual" else "lines of Python"
        if count > most:
            print(f"{part}: {count:,} {what}, {count - most:,} over the budget")
        elif count < most:
            print(f"{part}: {count:,} {what}: lower the budget by {most - count:,}")
    over = [part for part, (count, most) in counts.items() if count > most]
    if "manual" in over or "--list" in sys.argv:
        print(*offenders, sep="\n")
    return int(bool(over))


if __name__ == "__main__":
    sys.exit(main())
