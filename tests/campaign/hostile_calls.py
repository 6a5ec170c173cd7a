"""Hostile calls to environments: whatever is refused has changed nothing, and says so in a line.

A case is one environment, single, wrapped by Gymnasium, batched, PettingZoo's or
Stable-Baselines3's, on one of nine boards on both sides of the border at twelve cells, where games
are no longer looked up. Between legal moves come wrong actions, options, seeds and players, and
opponents that raise or answer rubbish in the middle of a step. After every refused call boards,
ends, rewards, opponent and generators are what they were before it; what is refused is refused by
ValueError or an error of Gymnasium's, and an opponent's own error comes through as it is.
"""

import random
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np

from tttenv import Rules
from tttenv.env import TicTacToe
from tttenv.opponents import player
from tttenv.vector import VectorTicTacToe

from . import rubbish
from .running import Log

BOARDS = [(3, 3, 3), (2, 2, 2), (1, 5, 3), (3, 4, 3), (2, 4, 3)]  # looked up
BOARDS += [(1, 13, 3), (4, 4, 4), (5, 5, 4), (15, 15, 5)]  # not
PLAYERS = ["random", "first", "tactical", "epsilon:player=first,epsilon=0.3", None]
CALLS = 500  # in a case
LONGEST = 700  # characters of a message
RIGHT = (ValueError, gym.error.Error)


class BrokenError(RuntimeError):
    """What a failing opponent raises."""


class HostileCalls:
    """See above."""

    total = None

    def __init__(self, place: Path, log: Log) -> None:
        self.log = log
        self.players: dict[tuple[str | None, Rules], Any] = {}
        warnings.simplefilter("ignore")
        gym.logger.min_level = gym.logger.ERROR + 1
        # Environments share what takes long to make, as long as one of them is there.
        self.kept = [TicTacToe(*size) for size in BOARDS]

    def case(self, number: int, rng: random.Random) -> None:
        """One environment and some hundred calls."""
        rules = Rules(*rng.choice(BOARDS))
        kind = rng.choice(list(KINDS))
        flaky = Flaky(rules, rng)
        opponent = flaky if rng.random() < 0.4 else self._player(rng.choice(PLAYERS), rules)
        made = {"illegal": rng.choice(("lose", "raise")), **_size(rules)}
        skin: Skin = KINDS[kind](made, opponent, rng)
        self.what = f"{kind} {rules}"
        self._refused("before reset", skin, lambda: skin.step(skin.legal()), True)
        skin.begin(rng.getrandbits(32))
        for _ in range(CALLS):
            draw = rng.random()
            if draw < 0.25:
                self._move(skin, flaky, rng)
            elif draw < 0.6:
                action = skin.wrong_action()
                self._refused("step", skin, lambda action=action: skin.step(action), True, action)
            elif draw < 0.75:
                options = rubbish.wrong_options(rules.cells, skin.games, rng)
                if skin.ignores(options):
                    continue
                reset = lambda options=options: skin.reset(options=options)  # noqa: E731
                self._refused("reset", skin, reset, True, options)
            elif draw < 0.85:
                seed = rng.choice(rubbish.wrong_seeds())
                reset = lambda seed=seed: skin.reset(seed=seed)  # noqa: E731
                if skin.seeded:
                    self._refused("seed", skin, reset, True, seed)
            elif draw < 0.98:
                name = rng.choice(rubbish.wrong_players())
                swap = lambda name=name: skin.set_opponent(name)  # noqa: E731
                if skin.opposed:
                    self._refused("set_opponent", skin, swap, True, name)
            else:
                wrong = rubbish.wrong_arguments(rng)
                if not set(wrong) & set(skin.without):
                    self._refused("make", skin, lambda wrong=wrong: skin.make(wrong), True, wrong)
        skin.close()

    def close(self) -> None:
        """Nothing runs on."""

    def _player(self, name: str | None, rules: Rules) -> Any:
        """A sound opponent, made once."""
        if (name, rules) not in self.players:
            self.players[name, rules] = name and player(name, rules)
        return self.players[name, rules]

    def _move(self, skin: "Skin", flaky: "Flaky", rng: random.Random) -> None:
        """A legal move; the opponent may fail at it."""
        if skin.over():
            skin.reset()
            return
        before = skin.told()
        flaky.armed = skin.asks(flaky) and rng.random() < 0.4
        try:
            skin.step(skin.legal())
        except Exception as error:
            self.log.count("failing opponents")
            expected = isinstance(error, (BrokenError, *RIGHT))
            self.log.check(expected, "a failing opponent ends in another error", self._of(error))
            self.log.check(skin.told() == before, "an opponent's failure changed a game", self.what)
        finally:
            flaky.armed = False

    def _refused(
        self,
        call: str,
        skin: "Skin",
        work: Callable[[], Any],
        surely: bool,
        given: Any = None,
    ) -> None:
        """A call that must be refused, and what it leaves."""
        before = skin.told()
        self.log.count("calls")
        try:
            work()
        except Exception as error:
            self.log.count("refused")
            if not isinstance(error, (*RIGHT, *skin.theirs)):
                kind = f"{call} ends in {type(error).__name__}"
                self.log.fail(kind, f"{self._of(error)}; given {_shown(given)}")
            elif isinstance(error, RIGHT):
                self._message(call, str(error), given)
        else:
            if surely:
                self.log.fail(f"{call} takes what is wrong", f"{self.what}: {_shown(given)}")
                skin.reset()
                return
        after = skin.told()
        if after != before:
            parts = [key for key in before if before[key] != after.get(key)]
            told = f"{self.what}: {parts}; given {_shown(given)}"
            self.log.fail(f"a refused {call} changed something", told)

    def _message(self, call: str, told: str, given: Any) -> None:
        if told and told.isprintable() and len(told) <= LONGEST:  # nothing to be told of
            return
        what = f"{self.what}: {told[:150]!r}; given {_shown(given)}"
        self.log.check(told and "\n" not in told, f"{call}: not one line", what)
        self.log.check(told.isprintable(), f"{call}: control characters", what)
        self.log.check(len(told) <= LONGEST, f"{call}: a message is too long", what)

    def _of(self, error: Exception) -> str:
        return f"{self.what}: {type(error).__name__}: {str(error)[:150]}"


class Flaky:
    """A player that fails while it is armed: raises, or answers rubbish, one way or the other."""

    def __init__(self, rules: Rules, dice: random.Random) -> None:
        self.sound, self.dice, self.armed = player("random", rules), dice, False

    def __call__(self, boards: Any) -> Any:
        """Move probabilities, or a failure."""
        if not self.armed:
            return self.sound(boards)
        kind = self.dice.randrange(len(FAILURES))
        return FAILURES[kind](boards)


def _raises(boards: Any) -> Any:
    raise BrokenError("no answer")


def _spoils(boards: Any) -> Any:
    boards[:] = 1
    raise BrokenError("spoiled")


FAILURES: list[Callable[[Any], Any]] = [
    _raises,
    _raises,
    _spoils,
    lambda boards: None,
    lambda boards: "rubbish",
    lambda boards: np.full(boards.shape, np.nan),
    lambda boards: np.full(boards.shape, -1.0),
    lambda boards: np.zeros(boards.shape),
    lambda boards: np.ones((len(boards) + 1, boards.shape[1])),
    lambda boards: np.ones(boards.shape, complex),
    lambda boards: (boards != 0) * 1.0 if (boards != 0).any() else np.zeros(boards.shape),
    lambda boards: rubbish.Exploding(),
    lambda boards: [[1], [2, 3]],
    lambda boards: {},
]


class Skin:
    """An environment of a kind, called in one way; this one is the single environment."""

    seeded = opposed = True  # takes seeds, takes opponents
    theirs: tuple[type[Exception], ...] = ()  # errors of the library around it
    without: tuple[str, ...] = ()  # arguments that it has not
    games = 1

    def __init__(self, made: dict[str, Any], opponent: Any, dice: random.Random) -> None:
        self.made, self.dice = made, dice
        self.obs = dice.choice(("onehot", "board", "dict"))
        self.env: Any = self.make({"opponent": opponent, "seat": dice.choice(("X", "O", "random"))})

    def make(self, more: dict[str, Any]) -> Any:
        """An environment with other arguments."""
        return TicTacToe(**{**self.made, "obs": self.obs, **more})

    @property
    def match(self) -> Any:
        """The games within."""
        return self.env.unwrapped.match

    def begin(self, seed: int) -> None:
        """The first reset, so that all dice follow from the case."""
        self.env.reset(seed=seed)

    def step(self, action: Any) -> None:
        """One step."""
        self.env.step(action)

    def reset(self, seed: Any = None, options: Any = None) -> None:
        """Begin anew."""
        self.env.reset(seed=seed, options=options)

    def set_opponent(self, opponent: Any) -> None:
        """Swap the opponent."""
        self.env.unwrapped.set_opponent(opponent)

    def legal(self) -> Any:
        """A legal action."""
        return int(self.dice.choice(np.flatnonzero(self.match.legal()[0]).tolist() or [0]))

    def wrong_action(self) -> Any:
        """An action that is none."""
        return self.dice.choice(rubbish.wrong_actions(self.match.rules.cells))

    def over(self) -> bool:
        """Whether a reset is due."""
        return bool(self.match.over.any())

    def asks(self, opponent: Any) -> bool:
        """Whether it plays against this opponent."""
        return self.match.opponent is opponent

    def ignores(self, options: Any) -> bool:
        """Whether these options are nothing to it."""
        return False

    def close(self) -> None:
        """Close it; afterwards it refuses to go on."""
        self.env.close()

    def told(self) -> dict[str, Any]:
        """All that it knows about its games, to be compared."""
        match, base = self.match, self.env.unwrapped
        rng = getattr(base, "_np_random", None)
        return {
            "boards": match.boards.tobytes(),
            "over": match.over.tobytes(),
            "rewards": match.rewards.tobytes(),
            "active": match.active,
            "opponent": id(match.opponent),
            "generator": rng.bit_generator.state if rng is not None else None,
            "seed": getattr(base, "_np_random_seed", None),
        }


class Made(Skin):
    """`gymnasium.make`, in its usual wrappers."""

    theirs = (AssertionError, TypeError, AttributeError)  # of its checker, and of its own specs

    def make(self, more: dict[str, Any]) -> Any:
        """By its id."""
        return gym.make("TicTacToe-v0", disable_env_checker=True, **{**self.made, **more})


class Batch(Skin):
    """The vector environment."""

    def make(self, more: dict[str, Any]) -> Any:
        """Some games, sometimes on threads, sometimes in arrays that are used again."""
        self.games = self.dice.choice((1, 2, 7))
        copy, threads = self.dice.random() < 0.5, self.dice.choice((1, 1, 2))
        given = {**self.made, "obs": self.obs, **more}
        return VectorTicTacToe(self.games, copy=copy, threads=threads, **given)

    def legal(self) -> Any:
        """A legal cell for every game."""
        masks = self.match.legal()
        return np.array([self.dice.choice(np.flatnonzero(row).tolist() or [0]) for row in masks])

    def wrong_action(self) -> Any:
        """No batch of actions."""
        return rubbish.wrong_batches(self.match.rules.cells, self.match.over.size, self.dice)

    def over(self) -> bool:
        """Games are dealt anew by themselves."""
        return self.match.active < self.match.over.size


class Zoo(Skin):
    """PettingZoo's environment without wrappers."""

    seeded = opposed = False
    without = ("opponent", "seat")

    def make(self, more: dict[str, Any]) -> Any:
        """For two agents."""
        from tttenv.adapters.pettingzoo import raw_env

        known = {name: value for name, value in more.items() if name not in self.without}
        return raw_env(**{**self.made, "obs": "board", **known})

    def asks(self, opponent: Any) -> bool:
        """It has no opponent."""
        return False

    def ignores(self, options: Any) -> bool:
        """Only a board is something to it."""
        return not isinstance(options, dict) or set(options) != {"board"}

    def wrong_action(self) -> Any:
        """An action that is none; but whose game is over moves None."""
        action = super().wrong_action()
        return -1 if action is None and self.over() else action

    def reset(self, seed: Any = None, options: Any = None) -> None:
        """Begin anew."""
        self.env.reset(seed=seed, options=options)

    def told(self) -> dict[str, Any]:
        """The games, and whose turn it is."""
        base = self.env.unwrapped
        names = ("agents", "agent_selection", "rewards", "terminations", "truncations")
        names += ("_cumulative_rewards",)
        return {**super().told(), **{name: repr(getattr(base, name, None)) for name in names}}


class Batches3(Batch):
    """The environment for Stable-Baselines3."""

    seeded = False  # its base class deals with seeds

    def make(self, more: dict[str, Any]) -> Any:
        """Some games."""
        from tttenv.adapters.sb3 import VecEnv

        self.games = self.dice.choice((1, 2, 7))
        return VecEnv(self.games, **{**self.made, "obs": self.obs, **more})

    @property
    def match(self) -> Any:
        """The games within."""
        return self.env.games.match

    def begin(self, seed: int) -> None:
        """The first reset, so that all dice follow from the case."""
        self.env.seed(seed)
        self.env.reset()

    def reset(self, seed: Any = None, options: Any = None) -> None:
        """Begin anew."""
        self.env._options = [options] * self.env.num_envs
        try:
            self.env.reset()
        finally:
            self.env._reset_options()

    def ignores(self, options: Any) -> bool:
        """What is empty is nothing to say."""
        try:
            return not options
        except Exception:
            return True

    def set_opponent(self, opponent: Any) -> None:
        """Swap the opponent."""
        self.env.env_method("set_opponent", opponent)

    def told(self) -> dict[str, Any]:
        """The games within."""
        match, rng = self.match, self.env.games._np_random
        return {
            "boards": match.boards.tobytes(),
            "over": match.over.tobytes(),
            "rewards": match.rewards.tobytes(),
            "active": match.active,
            "opponent": id(match.opponent),
            "generator": rng.bit_generator.state if rng is not None else None,
        }


KINDS: dict[str, Callable[..., Skin]] = {
    "single": Skin,
    "made": Made,
    "vector": Batch,
    "pettingzoo": Zoo,
    "sb3": Batches3,
}


def _size(rules: Rules) -> dict[str, int]:
    return {"m": rules.m, "n": rules.n, "k": rules.k}


def _shown(given: Any) -> str:
    try:
        return f"{type(given).__name__} {given!r}"[:120]
    except Exception:
        return type(given).__name__
