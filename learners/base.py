"""The protocol of a learner: it learns step by step, has a current policy, and can be saved."""

from typing import Any, ClassVar, Protocol, runtime_checkable

from torch import Tensor

from tttenv.game.rules import Rules
from tttenv.policy import Policy


@runtime_checkable
class Learner(Protocol):
    """A learner only learns: it writes no files, prints nothing, and does not measure itself.

    All its random numbers come from generators seeded by `config.seed`. It makes tensors by torch's
    own constructors, so that they are on the device that the training loop has chosen.
    """

    Config: ClassVar[type]  # a frozen dataclass: `seed` and the learner's own fields
    presets: ClassVar[dict[str, Any]]  # "default", "published" and others, as Configs

    def __init__(self, config: Any, rules: Rules) -> None:
        """Make an untrained learner.

        Args:
            config: an instance of `Config`.
            rules: the game.

        Raises:
            ValueError: for a config or rules that it cannot learn with.
        """

    def step(self) -> dict[str, float]:
        """Learn for one step; returns numbers by name, to be plotted as `train/NAME`."""
        ...

    def policy(self) -> Policy:
        """Return the current policy: a frozen snapshot that later steps do not change."""
        ...

    def state_dict(self) -> dict[str, Any]:
        """Return the whole state: weights, optimiser, tables, games, generators, in dicts.

        The key "weights" holds, by name, the tensors that `policy` needs and nothing else.
        """
        ...

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore `state_dict()`, bit for bit; "weights" alone is enough for `policy`."""
        ...


@runtime_checkable
class PlaysFromWeights(Protocol):
    """A learner whose player can be made from its weights alone; all rows of `LEARNERS` are.

    A checkpoint may come from an untrusted source: to play it, neither an environment nor an
    opponent is made, and nothing that its config names is run or read.

    A learner whose player takes the first of the best by computed numbers has an attribute
    `tolerance` besides, of `tttenv.policy.first_best`, which the checkpoint's card repeats. One
    whose weights have the same shapes on all boards, and play any, has an attribute `any_board`,
    which is true.
    """

    @classmethod
    def empty_weights(cls, config: Any, rules: Rules) -> dict[str, Tensor]:
        """Return tensors with the weights' names, shapes and types, without contents: on "meta".

        Raises:
            ValueError: for rules that it cannot play.
        """
        ...

    @classmethod
    def player(cls, config: Any, rules: Rules, weights: dict[str, Tensor]) -> Policy:
        """Return the policy of a learner with these weights, shaped as in `empty_weights`."""
        ...


@runtime_checkable
class SearchesFromWeights(Protocol):
    """A learner whose weights can guide a tree search, by `NAME:simulations=64`."""

    @classmethod
    def search_player(
        cls,
        config: Any,
        rules: Rules,
        weights: dict[str, Tensor],
        simulations: int,
        threes: int,
    ) -> Policy:
        """Return the player of a search with this many simulations per move.

        Before it, so many positions are searched for wins by threats and threes; 0 for none.

        Raises:
            ValueError: for a number out of range.
        """
        ...


@runtime_checkable
class StartsFromWeights(Protocol):
    """A learner that can start from weights learned elsewhere, for example on a smaller board."""

    def start_from(self, weights: dict[str, Tensor]) -> None:
        """Take the weights of another learner of its kind, of any rules, before the first step.

        Raises:
            RuntimeError: for other names or shapes.
        """
        ...


@runtime_checkable
class PlaysByActors(Protocol):
    """A learner whose moves actors can search, see `learners.actors`."""

    actors: Any  # None: it searches itself


@runtime_checkable
class ExaminesItself(Protocol):
    """A learner that looks for mistakes in its own play on boards that cannot be enumerated."""

    @property
    def doubts(self) -> bool | None:
        """Whether the player has lost or is still to be examined; None if it is never examined.

        As long as it doubts, a certificate would only find the same; it looks less far then, and
        further when it no longer doubts.
        """
        ...
