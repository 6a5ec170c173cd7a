"""Registry of the learners that can be trained by name, with their usual numbers of steps.

Their settings are read from their files without what else these import, so that `tttenv train
LEARNER --help` and errors in options are immediate: PyTorch takes seconds.
"""

import ast
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.machinery import SourceFileLoader
from importlib.util import find_spec
from types import CodeType, ModuleType
from typing import Any

from tttenv.utils.registry import Row, Table, unknown


@dataclass(frozen=True)
class LearnerRow(Row):
    """A learner's row: its class, one-line description, usual steps and intervals."""

    steps: int = 1000  # at the most, by default
    every: int = 10  # steps between certificates
    preset_steps: Mapping[str, int] = field(default_factory=dict)  # of presets with another number
    preset_every: Mapping[str, int] = field(default_factory=dict)  # the same for `every`
    compiled: tuple[str, ...] = ()  # parts of `tttenv compile` that its first step needs


# To add a learner: a file in this folder with a class that satisfies `base.Learner`, and its row
# here. Scripts, tests, TensorBoard and the benchmark pick it up by its name.
LEARNERS: Table[Any] = Table(
    "learner",
    {
        "selfplay": LearnerRow(
            "learners.selfplay:SelfPlay",
            "masked one-hot MLPs, one per seat, learning from their own games (Algorithm A)",
            steps=2000,
            every=5,
            preset_steps={"published": 3000},
        ),
        "td0": LearnerRow(
            "learners.td0:TD0",
            "table of afterstates, TD(0), playing both sides from exploring starts",
            steps=200,
            every=4,
            preset_steps={"published": 835},
        ),
        "qtable": LearnerRow(
            "learners.qtable:QTable",
            "table of moves, Q-learning backwards through every game, playing both sides",
            steps=200,
            every=2,
            preset_steps={"published": 140},
        ),
        "genetic": LearnerRow(
            "learners.genetic:Genetic",
            "a move for every symmetry class, evolved to lose from no position to any replies",
            steps=600,
            every=10,
            preset_steps={"published": 500},
        ),
        "supervised": LearnerRow(
            "learners.supervised:Supervised",
            "a classifier of best moves, trained on the solved game or a CSV file",
            steps=200,
            every=5,
            preset_steps={"published": 100},
        ),
        "lms": LearnerRow(
            "learners.lms:LMS",
            "a linear evaluator, least mean squares on features of the board",
            steps=2000,
            every=25,
            preset_steps={"published": 100, "published_x_first": 100},
        ),
        "dqn": LearnerRow(
            "learners.dqn:DQN",
            "masked deep Q-learning from replayed self-play, on any board",
            steps=6000,
            every=20,
            preset_steps={"published": 2200},
        ),
        "reinforce": LearnerRow(
            "learners.reinforce:Reinforce",
            "masked REINFORCE with a baseline, from its own games, on any board",
            steps=4000,
            every=10,
        ),
        "transformer": LearnerRow(
            "learners.transformer:Transformer",
            "a transformer on move lists without a board, trained on exact regrets",
            steps=2000,
            every=20,
            preset_steps={"imitation": 700},
        ),
        "alphazero": LearnerRow(
            "learners.alphazero:AlphaZero",
            "network and tree search from self-play, corrected by proofs, on any board",
            steps=20_000,
            every=50,
            preset_steps={"large": 6000},
            compiled=("the tree search", "what networks see"),
        ),
        "patterns": LearnerRow(
            "learners.patterns:Patterns",
            "alpha-beta searches distilled into a network of line patterns, on any board",
            steps=250,
            every=5,
            preset_steps={"large": 5000},
            preset_every={"large": 500},  # a certificate takes as long as tens of steps
            compiled=("alpha-beta",),
        ),
        "maskable_ppo": LearnerRow(
            "learners.maskable_ppo:MaskablePPO",
            "sb3-contrib's MaskablePPO against itself or a pool of opponents, on any board",
            steps=600,
            every=5,
            preset_steps={"published": 100},
        ),
    },
)


def row(name: str) -> LearnerRow:
    """Return the row of the learner with the given name.

    Raises:
        ValueError: for an unknown name, with the nearest known one and all others.
    """
    if name not in LEARNERS.rows:
        raise ValueError(unknown("learner", name, LEARNERS))
    found = LEARNERS.rows[name]
    assert isinstance(found, LearnerRow)
    return found


def presets(name: str) -> Mapping[str, Any]:
    """Return a learner's configs by preset."""
    found: Mapping[str, Any] = LEARNERS.load(name).presets
    return found


def parsed_presets(name: str) -> Mapping[str, Any]:
    """Return the fields of `presets` without loading PyTorch, for a command's help and options.

    Their `Config` is a copy of the learner's own, another class, and so is none for its learner.
    """
    return _presets_of(row(name).target) or presets(name)


@cache
def _presets_of(target: str) -> Mapping[str, Any]:
    """Return the presets that a learner, "module:class", lists in its class, or no presets."""
    module, learner = target.split(":")
    source = find_spec(module)
    assert source is not None
    settings = ModuleType(target)
    settings.__file__ = source.origin  # whose comments become the help of the fields
    sys.modules[target] = settings
    _SettingsLoader(target, str(source.origin), learner).exec_module(settings)
    found: Mapping[str, Any] = vars(settings).get("presets", {})
    return found


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
            nodes = (node for one in kept for node in ast.walk(one))
            if _defined(statement) & {node.id for node in nodes if isinstance(node, ast.Name)}:
                kept.insert(0, statement)
        code: CodeType = self.source_to_code(ast.Module(kept, []), self.path)
        return code


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


MOST = 2**24  # maximum of most counts in the learners' settings
LEAST = 1e-12  # minimum of rates that must be above 0


def check_range(config: Any, low: float, high: float, *names: str) -> None:
    """Raise ValueError if a field of a learner's config is given and not from `low` to `high`."""
    learner = type(config).__module__.partition(":")[0].rpartition(".")[2]
    for name in names:
        value = getattr(config, name)
        if value is not None and not low <= value <= high:
            raise ValueError(f"{learner}: {name} must be from {low:,} to {high:,}, not {value}")
