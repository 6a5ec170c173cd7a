"""Hostile calls of environments: a rejected call must change nothing and give a one-line error.

A case is one environment, single, wrapped by Gymnasium, batched, or another library's (`skins`), on
one of nine boards on both sides of the border at twelve cells, where games are no longer looked up.
Between legal moves come wrong actions, options, seeds and players, and
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
from tttenv.env.env import TicTacToe
from tttenv.players import player

from . import rubbish
from .running import Log
from .skins import KINDS, Skin

BOARDS = [(3, 3, 3), (2, 2, 2), (1, 5, 3), (3, 4, 3), (2, 4, 3)]  # looked up
BOARDS += [(1, 13, 3), (4, 4, 4), (5, 5, 4), (15, 15, 5)]  # not
PLAYERS = ["random", "first", "tactical", "epsilon:player=first,epsilon=0.3", None]
CALLS = 500  # in a case
LONGEST = 700  # characters of a message
RIGHT = (ValueError, gym.error.Error)


class BrokenError(RuntimeError):
    """Error raised by a failing opponent."""


class HostileCalls:
    """Family of cases described above."""

    total = None

    def __init__(self, place: Path, log: Log) -> None:
        self.log = log
        self.players: dict[tuple[str | None, Rules], Any] = {}
        warnings.simplefilter("ignore")
        gym.logger.min_level = gym.logger.ERROR + 1
        # Environments share what takes long to make, as long as one of them is there.
        self.kept = [TicTacToe(*size) for size in BOARDS]

    def case(self, number: int, rng: random.Random) -> None:
        """Make some hundred calls of one environment."""
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
                options = skin.wrong_options()
                if skin.ignores(options):
                    continue
                reset = lambda options=options: skin.reset(options=options)  # noqa: E731
                self._refused("reset", skin, reset, True, options)
            elif draw < 0.85:
                seed = rng.choice(rubbish.wrong_seeds())
                reset = lambda seed=seed: skin.reset(seed=seed)  # noqa: E731
                if skin.seeded and not skin.takes_seeds(seed):
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
        """Do nothing, since nothing is left running."""

    def _player(self, name: str | None, rules: Rules) -> Any:
        """Return a valid opponent, created once."""
        if (name, rules) not in self.players:
            self.players[name, rules] = name and player(name, rules)
        return self.players[name, rules]

    def _move(self, skin: Skin, flaky: "Flaky", rng: random.Random) -> None:
        """Make a legal move, or reset a finished game; the opponent may fail."""
        before = skin.visible_state()
        flaky.armed = skin.asks(flaky) and rng.random() < 0.4
        try:
            if skin.over():
                skin.reset()
            else:
                skin.step(skin.legal())
        except Exception as error:
            self.log.count("failing opponents")
            expected = isinstance(error, (BrokenError, *RIGHT))
            self.log.check(expected, "a failing opponent ends in another error", self._of(error))
            self.log.check(
                skin.visible_state() == before, "an opponent's failure changed a game", self.what
            )
        finally:
            flaky.armed = False

    def _refused(
        self,
        call: str,
        skin: Skin,
        work: Callable[[], Any],
        surely: bool,
        given: Any = None,
    ) -> None:
        """Make a call that must be rejected, and check that nothing has changed."""
        before = skin.visible_state()
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
        after = skin.visible_state()
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
    """Player that fails while it is armed, by raising or by invalid output."""

    def __init__(self, rules: Rules, dice: random.Random) -> None:
        self.sound, self.dice, self.armed = player("random", rules), dice, False

    def __call__(self, boards: Any) -> Any:
        """Return move probabilities, or fail."""
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


def _size(rules: Rules) -> dict[str, int]:
    return {"m": rules.m, "n": rules.n, "k": rules.k}


def _shown(given: Any) -> str:
    try:
        return f"{type(given).__name__} {given!r}"[:120]
    except Exception:
        return type(given).__name__
