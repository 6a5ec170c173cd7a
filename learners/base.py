"""What a learner is: it learns a little at a time, plays as it would now, and can be stored."""

from typing import Any, ClassVar, Protocol, runtime_checkable

from torch import Tensor

from tttenv.game.rules import Rules
from tttenv.policy import Policy


@runtime_checkable
class Learner(Protocol):
    """Learning and nothing else: no files, no printing, no logging, no self-measurement.

    All its randomness comes from generators seeded by `config.seed`. New tensors are made by
    torch's own constructors, so that they land on the device that the training loop has chosen.
    """

    Config: ClassVar[type]  # a frozen dataclass: `seed` and the learner's own fields
    presets: ClassVar[dict[str, Any]]  # "default", "published" and others, as Configs

    def __init__(self, config: Any, rules: Rules) -> None:
        """Begin untrained.

        Raises:
            ValueError: for a config or rules that it cannot learn with.
        """

    def step(self) -> dict[str, float]:
        """Learn a little and return what is worth plotting."""
        ...

    def policy(self) -> Policy:
        """How it would play now: a frozen snapshot that later steps do not change."""
        ...

    def state_dict(self) -> dict[str, Any]:
        """All of it: weights, optimiser, tables, games and generators' states, nested in dicts.

        Under "weights" stand, by name, the tensors that `policy` needs and nothing else.
        """
        ...

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from `state_dict()`, bit for bit; "weights" alone is enough for `policy`."""
        ...


@runtime_checkable
class PlaysFromWeights(Protocol):
    """A learner whose player can be made of its weights alone, as every learner of the table.

    A checkpoint may come from a stranger: to play it, neither an environment nor an opponent is
    made, and nothing that its config names is run or read.
    """

    @classmethod
    def empty_weights(cls, config: Any, rules: Rules) -> dict[str, Tensor]:
        """Tensors with the names, shapes and types of the weights, without contents: on "meta".

        Raises:
            ValueError: for rules that it cannot play.
        """
        ...

    @classmethod
    def player(cls, config: Any, rules: Rules, weights: dict[str, Tensor]) -> Policy:
        """How a learner with these weights plays, which are shaped as `empty_weights`."""
        ...
