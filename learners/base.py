"""Base class of the learners, which learn step by step, have a current policy and can be saved."""

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from torch import Tensor

from tttenv.game.rules import Rules
from tttenv.parallel.tasks import Backend
from tttenv.policy import Player
from tttenv.utils.compile_time import now_by_processor

ConfigT = TypeVar("ConfigT")  # of a learner's settings


@dataclass(frozen=True)
class LearnerTraits:
    """Abilities of a learner besides learning; each is true only if its method is there."""

    any_board: bool = False  # weights learned on one board can play on all others
    same_k: bool = False  # of these only on boards with the same k
    # Outputs of its player within this of the best are ties, see `tttenv.policy.first_best`; it is
    # copied to the card of a checkpoint. None if the player does not compare outputs.
    tolerance: float | None = None
    searches: bool = False  # its weights guide a tree search: it has `search_player`
    starts_from: bool = False  # it can start from weights trained elsewhere: it has `start_from`
    examines: bool = False  # it examines its own player: it has `doubts`
    divides: bool = False  # its `actors`, if it has any, do parts of its steps


class Learner(ABC, Generic[ConfigT]):
    """A learner, which only learns: it writes no files and prints nothing.

    All its random numbers come from generators seeded by `config.seed`. It creates tensors with
    torch's own constructors, so that they are on the device chosen by the training loop.

    A checkpoint may come from an untrusted source. A learner with `empty_weights` and `player` is
    played from its weights alone: no environment or opponent is created, and nothing that its
    config names is run or read. Without them, to play a checkpoint its learner is created.

    `step` adds to two attributes, which are no part of the state: `moves`, the number of moves
    learned from, those of the learner in games that are played to learn; without games, the number
    of positions; and `spent`, the processor seconds of parts of a step, by `timed`. With trait
    `divides`, workers in `actors` do parts of a step; nothing that it learns depends on them.

    Args:
        config: an instance of `Config`.
        rules: the game.

    Raises:
        ValueError: for a config or rules that the learner does not support.
    """

    Config: ClassVar[type]  # a frozen dataclass: `seed` and the learner's own fields
    presets: ClassVar[Mapping[str, Any]]  # "default", "published" and others, as Configs
    traits = LearnerTraits()  # those of an instance may depend on its config

    def __init_subclass__(cls, **more: Any) -> None:
        """Refuse a class whose traits contradict its methods."""
        super().__init_subclass__(**more)
        own = {name for kind in cls.__mro__[: cls.__mro__.index(Learner)] for name in vars(kind)}
        if not isinstance(traits := cls.traits, LearnerTraits):
            raise TypeError(f"{cls.__name__}: traits must be a LearnerTraits, not {traits!r}")
        methods = {"searches": "search_player", "starts_from": "start_from", "examines": "doubts"}
        for trait, method in methods.items():
            if (stated := getattr(traits, trait)) != (method in own):
                problem = "is missing" if stated else "is there"
                raise TypeError(f"{cls.__name__}: {trait} is {stated}, but {method} {problem}")
        if traits.any_board and "empty_weights" not in own:
            raise TypeError(f"{cls.__name__}: any_board is True, but empty_weights is missing")
        if traits.same_k and not traits.any_board:
            raise TypeError(f"{cls.__name__}: same_k is True, but any_board is not")

    def __init__(self, config: ConfigT, rules: Rules) -> None:
        self.config, self.rules = config, rules
        self.moves = 0
        self.actors: Backend | None = None  # set by the training loop
        self.spent = defaultdict[str, float](float)

    @contextmanager
    def timed(self, part: str) -> Iterator[None]:
        """Add the processor seconds of a block of code to `spent` under the part's name."""
        start = now_by_processor()
        yield
        self.spent[part] += now_by_processor() - start

    @abstractmethod
    def step(self) -> dict[str, float]:
        """Learn for one step, and return metrics by name, plotted as `train/NAME`."""

    @abstractmethod
    def policy(self) -> Player:
        """Return a frozen snapshot of the current policy, unaffected by later steps."""

    @abstractmethod
    def state_dict(self) -> dict[str, Any]:
        """Return the complete state: weights, optimiser, tables, games and generators, as dicts.

        The key "weights" holds, by name, the tensors that `policy` needs and nothing else.
        """

    @abstractmethod
    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore a state from `state_dict()` bit for bit; `policy` needs only "weights"."""

    @classmethod
    def empty_weights(cls, config: ConfigT, rules: Rules) -> dict[str, Tensor] | None:
        """Return tensors with the names, shapes and types of the weights, on the meta device.

        Args:
            config: an instance of `Config`.
            rules: the game to play; with trait `any_board`, it may be another than the one learned.

        Returns:
            The tensors; None, as here, if the learner does not play from its weights alone.

        Raises:
            ValueError: for rules that the learner cannot play.
        """
        return None

    @classmethod
    def player(cls, config: ConfigT, rules: Rules, weights: dict[str, Tensor]) -> Player:
        """Return the player with the given weights.

        Args:
            config: an instance of `Config`.
            rules: the game to play.
            weights: tensors with the names, shapes and types of `empty_weights`.

        Raises:
            ValueError: for weights that the player cannot have.
            NotImplementedError: here; the learner does not play from its weights alone.
        """
        raise NotImplementedError(f"{cls.__name__} does not play from its weights alone")

    @classmethod
    def search_player(
        cls,
        config: ConfigT,
        rules: Rules,
        weights: dict[str, Tensor],
        simulations: int,
        threes: int,
    ) -> Player:
        """Return a player that runs a tree search guided by the weights (trait `searches`).

        Args:
            config: an instance of `Config`.
            rules: the game to play.
            weights: tensors as in `empty_weights`.
            simulations: the number per move.
            threes: the number of positions searched for wins by threats and threes before that.

        Raises:
            ValueError: for numbers out of range; here, as the learner's player does not search.
        """
        raise ValueError(f"the players of {cls.__name__} do not search")

    def start_from(self, weights: dict[str, Tensor]) -> None:
        """Initialize the learner from weights trained on any board (trait `starts_from`).

        Args:
            weights: of a learner of the same class.

        Raises:
            RuntimeError: for weights of another size.
            ValueError: here, as the learner cannot start from weights.
        """
        raise ValueError(f"{type(self).__name__} cannot start from the weights of a checkpoint")

    def doubts(self) -> bool | None:
        """Return whether the last examination of its player found failures (trait `examines`).

        None if it is never examined. While it fails, certificates examine fewer positions, as they
        would only find the same failures.
        """
        return None
