"""The learners that can be trained by name, and how long each usually takes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tttenv.registry import Row, Table


@dataclass(frozen=True)
class LearnerRow(Row):
    """A learner: its class, what it is, and for how long it is trained and how often certified."""

    steps: int = 1000  # at the most, unless told otherwise
    every: int = 10  # steps between certificates
    preset_steps: Mapping[str, int] = field(default_factory=dict)  # where a preset takes others


# To add a learner: a file in this folder with a class that satisfies `base.Learner`, and its row
# here. Scripts, tests, TensorBoard and the benchmark pick it up by its name.
LEARNERS: Table[Any] = Table(
    "learner",
    {
        "selfplay": LearnerRow(
            "learners.selfplay:SelfPlay",
            "masked one-hot MLP, one net a seat, learning from its own games (Algorithm A)",
            steps=2000,
            every=5,
            preset_steps={"published": 3000},
        ),
    },
)


def row(name: str) -> LearnerRow:
    """The row of learner `name`.

    Raises:
        ValueError: for an unknown name, listing the known ones.
    """
    if name not in LEARNERS.rows:
        raise ValueError(f"unknown learner {name!r}; known are {', '.join(LEARNERS)}")
    found = LEARNERS.rows[name]
    assert isinstance(found, LearnerRow)
    return found
