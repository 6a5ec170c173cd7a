"""Registry of the learners that can be trained by name, with their usual numbers of steps."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, cast

from tttenv.utils.registry import Row, Table, load

if TYPE_CHECKING:
    from learners.base import Learner


@dataclass(frozen=True)
class LearnerRow(Row):
    """A learner's row: its class, one-line description, usual steps and intervals."""

    steps: int = 1000  # at the most, by default
    every: int = 10  # steps between certificates
    preset_steps: Mapping[str, int] = field(default_factory=dict)  # of presets with another number
    preset_every: Mapping[str, int] = field(default_factory=dict)  # the same for `every`
    compiled: tuple[str, ...] = ()  # parts of `tttenv compile` that its first step needs


# To add a learner: a file in this folder with a subclass of `base.Learner`, and its row here.
# Scripts, tests, TensorBoard and the benchmark pick it up by its name.
LEARNERS: Table["type[Learner[Any]]"] = Table(
    "learner",
    {
        "selfplay": LearnerRow(
            "learners.selfplay:SelfPlay",
            "two small networks, one for X and one for O, that learn from their own games",
            steps=2000,
            every=5,
            preset_steps={"published": 3000},
        ),
        "td0": LearnerRow(
            "learners.td0:TD0",
            "a table of the values of positions, learned by TD(0) from its own games",
            steps=200,
            every=4,
            preset_steps={"published": 835},
        ),
        "qtable": LearnerRow(
            "learners.qtable:QTable",
            "a table of the values of moves, learned by Q-learning from its own games",
            steps=200,
            every=2,
            preset_steps={"published": 140},
        ),
        "genetic": LearnerRow(
            "learners.genetic:Genetic",
            "a table of moves, evolved by a genetic algorithm",
            steps=600,
            every=10,
            preset_steps={"published": 500},
        ),
        "supervised": LearnerRow(
            "learners.supervised:Supervised",
            "a network that learns the best moves from the solved game or a CSV file",
            steps=200,
            every=5,
            preset_steps={"published": 100},
        ),
        "lms": LearnerRow(
            "learners.lms:LMS",
            "a weighted sum of features of the board, fitted by least mean squares",
            steps=2000,
            every=25,
            preset_steps={"published": 100, "published_x_first": 100},
        ),
        "dqn": LearnerRow(
            "learners.dqn:DQN",
            "a deep Q-network that learns from its own games, on any board",
            steps=6000,
            every=20,
            preset_steps={"published": 2200},
        ),
        "reinforce": LearnerRow(
            "learners.reinforce:Reinforce",
            "a policy network trained by REINFORCE on its own games, on any board",
            steps=4000,
            every=10,
        ),
        "transformer": LearnerRow(
            "learners.transformer:Transformer",
            "a transformer that reads moves instead of boards, trained on exact values",
            steps=2000,
            every=20,
            preset_steps={"imitation": 700},
        ),
        "alphazero": LearnerRow(
            "learners.alphazero:AlphaZero",
            "a network and a tree search that learn from their own games, on any board",
            steps=20_000,
            every=50,
            preset_steps={"large": 6000},
            compiled=("the tree search", "what networks see"),
        ),
        "patterns": LearnerRow(
            "learners.patterns:Patterns",
            "a network of line patterns that learns from alpha-beta searches, on any board",
            steps=250,
            every=5,
            preset_steps={"large": 5000},
            preset_every={"large": 500},  # a certificate takes as long as tens of steps
            compiled=("alpha-beta",),
        ),
        "maskable_ppo": LearnerRow(
            "learners.maskable_ppo:MaskablePPO",
            "MaskablePPO of sb3-contrib, against itself or other players, on any board",
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
    return cast("LearnerRow", LEARNERS.row(name))


def presets(name: str) -> Mapping[str, Any]:
    """Return a learner's configs by preset, for most learners without loading PyTorch.

    Raises:
        ValueError: for an unknown learner.
    """
    row(name)
    settings = f"learners.settings.{name}"
    if find_spec(settings) is None:
        return LEARNERS.load(name).presets
    found: Mapping[str, Any] = load(f"{settings}:PRESETS")
    return found
