"""Failing opponents: a call that fails changes nothing."""

import numpy as np
import pytest
from pairs import pairs
from played_boards import random_cells
from reference import spell
from test_copies import held_by, plain

from tttenv import Rules, player
from tttenv.env.env import TicTacToe
from tttenv.env.vector import VectorTicTacToe

SIZES = [(3, 3, 3), (3, 4, 3), (1, 13, 3), (4, 4, 4), (5, 5, 4)]
SEATS = ["X", "O", "random"]


class Unusual(BaseException):
    """Exception that nobody expects."""


def raises(error):
    def fault(boards):
        raise error

    return fault


def spoils(boards):
    """Write into the given boards, then fail."""
    boards[:] = 1
    raise OSError("spoiled")


FAULTS = {
    "timeout": raises(TimeoutError("past its time")),
    "value": raises(ValueError("no")),
    "interrupt": raises(KeyboardInterrupt()),
    "exit": raises(SystemExit(1)),
    "memory": raises(MemoryError()),
    "unusual": raises(Unusual()),
    "spoils": spoils,
    "nan": lambda boards: np.full(boards.shape, np.nan),
    "shape": lambda boards: np.ones((len(boards) + 1, boards.shape[1])),
    "taken": lambda boards: np.where(boards != 0, 1.0, 0.0),
}


class Flaky:
    """Player that fails at the query after `after` others, unless that is None."""

    def __init__(self, healthy, fault):
        self.healthy, self.fault, self.after = healthy, fault, None

    def __call__(self, boards):
        """Fail, or return probabilities."""
        if self.after == 0:
            return self.fault(boards)
        if self.after is not None:
            self.after -= 1
        return self.healthy(boards)


def held(answer):
    """Return the arrays inside the result of a call."""
    if isinstance(answer, np.ndarray):
        return [answer]
    parts = answer.values() if isinstance(answer, dict) else answer
    parts = parts if isinstance(answer, dict | tuple) else []
    return [array for part in parts for array in held(part)]


class Pair:
    """Environment whose opponent sometimes fails, and its twin whose opponent never does."""

    def __init__(self, make, opponent, fault):
        self.flaky = Flaky(opponent, fault)
        self.tried, self.twin = make(self.flaky), make(opponent)
        self.failures, self.latest = 0, ()

    def call(self, method, *args, **kwargs):
        """Call a method on both, with failures at the first and the second query, then without."""
        for after in (0, 1, None):
            before, copies = held_by(self.tried), [array.copy() for array in self.latest]
            self.flaky.after = after
            try:
                answer = getattr(self.tried, method)(*args, **kwargs)
            except BaseException:
                if after is None:
                    raise
                self.failures += 1
                assert held_by(self.tried) == before
                for array, copy in zip(self.latest, copies, strict=True):
                    assert np.array_equal(array, copy)
                continue
            break
        self.flaky.after = None
        self.latest = held(answer)
        other = getattr(self.twin, method)(*args, **kwargs)
        assert plain(answer) == plain(other)
        for ours, theirs in zip(held_by(self.tried)[1:], held_by(self.twin)[1:], strict=True):
            assert ours == theirs  # but the generator, of which each has its own
        return answer


def play(pair, turns, games):
    """Make steps and resets with failures in each of them."""
    dice, over = np.random.default_rng(0), True
    pair.call("reset", seed=3)
    for turn in range(turns):
        if games is None:
            cell = random_cells(pair.tried.action_masks()[None], dice, 0.05)[0]
            over = pair.call("step", cell)[2]
        else:
            pair.call("step", random_cells(pair.tried.action_masks(), dice, 0.05))
        if games is None and over:
            pair.call("reset", options={"seat": "O"} if turn % 3 == 0 else None)
        elif turn % 13 == 12:
            pair.call("reset", seed=turn if turn % 2 else None, options={"seat": "O"})


@pytest.mark.parametrize(
    ("fault", "rules", "seat", "mode"),
    pairs(FAULTS, SIZES, SEATS, ["one game", "SameStep", "NextStep"]),
)
def test_a_call_that_fails_has_changed_nothing(rules, seat, fault, mode):
    alone, obs = mode == "one game", ("onehot", "board", "dict")[len(fault) % 3]

    def make(opponent):
        given = {"opponent": opponent, "seat": seat, "obs": obs}
        if alone:
            return TicTacToe(*rules, **given)
        return VectorTicTacToe(11, *rules, **given, autoreset_mode=mode)

    pair = Pair(make, player("tactical", Rules(*rules)), FAULTS[fault])
    play(pair, 25, None if alone else 11)
    openings = 5 if seat != "X" and rules == SIZES[0] else 0  # which may fail, too
    assert pair.failures > (20 if alone else 25 + openings)


@pytest.mark.parametrize("rules", [(3, 3, 3), (5, 5, 4)], ids=spell)
@pytest.mark.parametrize("kind", [TicTacToe, VectorTicTacToe])
def test_a_first_reset_that_fails_leaves_no_game_and_no_generator(rules, kind):
    def fail(boards):
        raise TimeoutError

    env = kind(m=rules[0], n=rules[1], k=rules[2], opponent=fail, seat="O")
    for seed in (None, 5):
        with pytest.raises(TimeoutError):
            env.reset(seed=seed)
        assert env._np_random is env._np_random_seed is None
        assert env.match.active == 0
