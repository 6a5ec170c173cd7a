"""Settings of learners, read from the learners' files without what else these import.

This makes `tttenv train LEARNER --help` and errors in options immediate: PyTorch takes seconds.
"""

import ast
import sys
from collections.abc import Mapping
from functools import cache
from importlib.machinery import SourceFileLoader
from importlib.util import find_spec
from types import CodeType, ModuleType
from typing import Any


@cache
def presets_of(target: str) -> Mapping[str, Any]:
    """Return the presets of a learner, whose `Config` is a copy of the learner's own.

    Args:
        target: the learner as "module:class".

    Returns:
        The presets by name; empty if the class does not list them itself.
    """
    module, learner = target.split(":")
    source = find_spec(module)
    assert source is not None
    settings = ModuleType(target)
    settings.__file__ = source.origin  # whose comments become the help of the fields
    sys.modules[target] = settings
    _SettingsLoader(target, str(source.origin), learner).exec_module(settings)
    presets: Mapping[str, Any] = vars(settings).get("presets", {})
    return presets


class _SettingsLoader(SourceFileLoader):
    """Loader of the presets in a learner's class, and of the statements above that they need."""

    def __init__(self, name: str, path: str, learner: str) -> None:
        super().__init__(name, path)
        self.learner = learner

    def get_code(self, fullname: str) -> CodeType:
        """Compile the statements; they are never cached, unlike those of the whole file."""
        statements = ast.parse(self.get_data(self.path)).body
        kept: list[ast.stmt] = []
        for one in statements:
            if isinstance(one, ast.ClassDef) and one.name == self.learner:
                kept = [inner for inner in one.body if "presets" in _defined(inner)]
        for statement in reversed(statements):
            if _defined(statement) & {name for one in kept for name in _names(one)}:
                kept.insert(0, statement)
        code: CodeType = self.source_to_code(ast.Module(kept, []), self.path)
        return code


def _names(statement: ast.stmt) -> set[str]:
    return {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}


def _defined(statement: ast.stmt) -> set[str]:
    """Return the names that a statement defines."""
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return {alias.asname or alias.name for alias in statement.names}
    if isinstance(statement, ast.ClassDef | ast.FunctionDef):
        return {statement.name}
    if isinstance(statement, ast.Assign | ast.AnnAssign):
        stored = (node for node in ast.walk(statement) if isinstance(node, ast.Name))
        return {node.id for node in stored if isinstance(node.ctx, ast.Store)}
    return set()


def check_range(config: Any, low: float, high: float, *names: str) -> None:
    """Raise ValueError if a field of a learner's config is not from `low` to `high`."""
    learner = type(config).__module__.partition(":")[0].rpartition(".")[2]
    for name in names:
        if not low <= (value := getattr(config, name)) <= high:
            raise ValueError(f"{learner}: {name} must be from {low:,} to {high:,}, not {value}")
