"""Protocols of a learner: it learns step by step, has a current policy, and can be saved."""

from typing import Any, ClassVar, Protocol, runtime_checkable

from torch import Tensor

from tttenv.game.rules import Rules
from tttenv.policy import Policy


@runtime_checkable
class Learner(Protocol):
    """Protocol of a learner, which only learns: it writes no files and prints nothing.

    All its random numbers come from generators seeded by `config.seed`. It makes tensors by torch's
    own constructors, so that they are on the device that the training loop has chosen.
    """

    Config: ClassVar[type]  # a frozen dataclass: `seed` and the learner's own fields
    presets: ClassVar[dict[str, Any]]  # "default", "published" and others, as Configs

    def __init__(self, config: Any, rules: Rules) -> None:
        """Create an untrained learner.

        Args:
            config: an instance of `Config`.
            rules: the game.

        Raises:
            ValueError: for a config or rules that it cannot learn with.
        """

    def step(self) -> dict[str, float]:
        """Learn for one step; return numbers by name, plotted as `train/NAME`."""
        ...

    def policy(self) -> Policy:
        """Return a frozen snapshot of the current policy, which later steps do not change."""
        ...

    def state_dict(self) -> dict[str, Any]:
        """Return the complete state: weights, optimiser, tables, games and generators, as dicts.

        The key "weights" holds, by name, the tensors that `policy` needs and nothing else.
        """
        ...

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore the result of `state_dict()` bit for bit; `policy` needs "weights" only."""
        ...


@runtime_checkable
class PlaysFromWeights(Protocol):
    """Learner whose player can be created from its weights alone, as all in `LEARNERS` can.

    A checkpoint may come from an untrusted source: to play it, neither an environment nor an
    opponent is made, and nothing that its config names is run or read.

    A learner whose player takes the first of the best by computed numbers has an attribute
    `tolerance` besides, of `tttenv.policy.first_best`, which the checkpoint's card repeats. One
    whose weights have the same shapes on all boards, and play any, has an attribute `any_board`,
    which is true.
    """

    @classmethod
    def empty_weights(cls, config: Any, rules: Rules) -> dict[str, Tensor]:
        """Return tensors with the names, shapes and types of the weights, on the meta device.

        Raises:
            ValueError: for rules that it cannot play.
        """
        ...

    @classmethod
    def player(cls, config: Any, rules: Rules, weights: dict[str, Tensor]) -> Policy:
        """Return the policy that plays from these weights, shaped as in `empty_weights`."""
        ...


@runtime_checkable
class SearchesFromWeights(Protocol):
    """Learner whose weights can guide a tree search, with `NAME:simulations=64`."""

    @classmethod
    def search_player(
        cls,
        config: Any,
        rules: Rules,
        weights: dict[str, Tensor],
        simulations: int,
        threes: int,
    ) -> Policy:
        """Return a player that searches with this many simulations per move.

        Before it, so many positions are searched for wins by threats and threes; 0 for none.

        Raises:
            ValueError: for a number out of range.
        """
        ...


@runtime_checkable
class StartsFromWeights(Protocol):
    """Learner that can start from weights trained elsewhere, for example on a smaller board."""

    def start_from(self, weights: dict[str, Tensor]) -> None:
        """Load the weights of a learner of the same kind, of any rules, before the first step.

        Raises:
            RuntimeError: for other names or shapes.
        """
        ...


@runtime_checkable
class PlaysByActors(Protocol):
    """Learner whose moves can be searched by actors; see `learners.actors`."""

    actors: Any  # None: it searches itself


@runtime_checkable
class ExaminesItself(Protocol):
    """Learner that searches its own play for mistakes on boards too large to enumerate."""

    @property
    def doubts(self) -> bool | None:
        """Whether the player has lost or has not been examined yet; None if it is never examined.

        As long as it doubts, a certificate would only find the same; it looks less far then, and
        further when it no longer doubts.
        """
        ...
