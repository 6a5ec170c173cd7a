"""Protocols for learners, which learn step by step, have a current policy and can be saved."""

from typing import Any, ClassVar, Protocol, runtime_checkable

from torch import Tensor

from tttenv.game.rules import Rules
from tttenv.policy import Player


@runtime_checkable
class Learner(Protocol):
    """Protocol of a learner, which only learns: it writes no files and prints nothing.

    All its random numbers come from generators seeded by `config.seed`. It creates tensors with
    torch's own constructors, so that they are on the device chosen by the training loop.
    """

    Config: ClassVar[type]  # a frozen dataclass: `seed` and the learner's own fields
    presets: ClassVar[dict[str, Any]]  # "default", "published" and others, as Configs

    def __init__(self, config: Any, rules: Rules) -> None:
        """Create an untrained learner.

        Args:
            config: an instance of `Config`.
            rules: the game.

        Raises:
            ValueError: for a config or rules that it does not support.
        """

    def step(self) -> dict[str, float]:
        """Learn for one step, and return metrics by name, plotted as `train/NAME`."""
        ...

    def policy(self) -> Player:
        """Return a frozen snapshot of the current policy, unaffected by later steps."""
        ...

    def state_dict(self) -> dict[str, Any]:
        """Return the complete state: weights, optimiser, tables, games and generators, as dicts.

        The key "weights" holds, by name, the tensors that `policy` needs and nothing else.
        """
        ...

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore a state from `state_dict()` bit for bit; `policy` needs only "weights"."""
        ...


@runtime_checkable
class PlaysFromWeights(Protocol):
    """Learner whose player can be created from its weights alone, like all in `LEARNERS`.

    A checkpoint may come from an untrusted source: to play it, no environment or opponent is
    created, and nothing that its config names is run or read.

    A learner whose player picks the first of the best cells by computed outputs also has an
    attribute `tolerance` for `tttenv.policy.first_best`, which is copied to the checkpoint's card.
    A learner whose weights have the same shapes on all boards, or on all with the same k, and can
    play any of these, has a true attribute `any_board`, and in the second case also `same_k`.
    `learners.alphazero.AlphaZero` shows what else a learner may have: `search_player` (its weights
    guide a tree search), `start_from` (it starts from weights trained on another board), `doubts`
    (what its examinations found).
    """

    @classmethod
    def empty_weights(cls, config: Any, rules: Rules) -> dict[str, Tensor]:
        """Return tensors with the names, shapes and types of the weights, on the meta device.

        Raises:
            ValueError: for rules that the learner cannot play.
        """
        ...

    @classmethod
    def player(cls, config: Any, rules: Rules, weights: dict[str, Tensor]) -> Player:
        """Return the player with the given weights, shaped as in `empty_weights`."""
        ...
