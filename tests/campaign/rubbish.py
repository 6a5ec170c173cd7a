"""Invalid arguments for environments: actions, options, seeds, names of players."""

import random
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np


class BurstError(RuntimeError):
    """Error raised by `Exploding`."""


class Exploding:
    """Object that raises on any use."""

    def _burst(self, *_: Any, **__: Any) -> Any:
        raise BurstError("boom\nand more")

    __array__ = __int__ = __index__ = __float__ = __len__ = __iter__ = __bool__ = __eq__ = _burst
    __repr__ = __str__ = __getitem__ = __lt__ = __ge__ = __le__ = __gt__ = _burst
    __hash__ = object.__hash__


@cache
def odd_things() -> list[Any]:
    """Return objects that are no number, board, seed or player."""
    return [
        *("x", "4", "x" * 10_000, "\x1b[2J\x00\n", b"4", 1.5, float("nan"), float("inf"), 1j),
        *(object(), Exploding(), {}, {"a": 1}, set(), (), [], [[]], [[1], [2, 3]], [None], ["1"]),
        *(slice(3), Ellipsis, np.float32(2), np.complex64(1), np.datetime64("2020-01-01")),
        *(np.array("x"), np.array([1.0]), np.array([1j]), np.array([], np.int64)),
        *(np.array([object()]), np.ma.array([1], mask=[1]), np.zeros((1, 0)), np.full((2, 2), 0.5)),
        *(np.zeros(1, [("a", "i4")]), np.array([b"1"]), np.full((1,), np.nan), range(0)),
        *(Exception("1"), 10**400, -(10**400)),
    ]


@cache
def wrong_actions(cells: int) -> list[Any]:
    """Return objects that are no action on a board with `cells` cells."""
    return [
        *odd_things(),
        *(None, -1, cells, cells + 7, 2**31, 2**63 - 1, 2**63, 2**64, -(2**63), 2**70),
        *(np.int64(-1), np.int8(-5), np.uint64(2**64 - 1), np.uint8(cells), [1, 2], [[0, 1]]),
        *(np.arange(7), np.zeros((3, 3), np.int64), float(cells), np.float64(0.0), [0.0], "0"),
    ]


def wrong_batches(cells: int, games: int, dice: random.Random) -> Any:
    """Return an object that is no batch of actions for `games` games."""
    good = [dice.randrange(cells) for _ in range(games)]
    bad = list(good)
    bad[dice.randrange(games)] = dice.choice((-1, cells, 2**62, -(2**63)))
    kinds: list[Callable[[], Any]] = [
        lambda: bad,
        lambda: np.array(bad),
        lambda: np.array(good, np.float64),
        lambda: np.array([*good, 0]),
        lambda: np.array(good[1:], np.int64),
        lambda: np.array([good, good]),
        lambda: np.array(good).reshape(-1, 1) if games > 1 else np.zeros((1, 2), np.int64),
        lambda: np.array(good) == 0,
        lambda: [*good[1:], None],
        lambda: [*good[1:], "x"],
        lambda: [*good[1:], [0]],
        lambda: np.array(good, object),
        lambda: np.array(good, np.complex128),
        lambda: np.ma.array(good, mask=True),
        lambda: tuple(map(str, good)),
        lambda: dict.fromkeys(good),
        lambda: {*good},
        lambda: iter(good),
    ]
    if games == 1 or dice.random() < 0.3:
        return dice.choice(odd_things())
    return dice.choice(kinds)()


def wrong_options(cells: int, games: int, dice: random.Random) -> Any:
    """Return an object that is not valid as the options of a reset."""
    cell = dice.randrange(cells)
    one = np.eye(cells, dtype=np.int64)[cell]
    boards: list[Any] = [
        *(one, 2 * one, 1.5 * one, -3 * one, one * 1j, np.full(cells, np.nan), np.ones(cells)),
        *(np.ones(cells + 1), np.zeros((cells, cells + 1)), np.ma.array(one, mask=one)),
        *("X" * cells, "O" * cells, "_" * (cells - 1), "_" * (cells + 1), "Z" * cells),
        *("X\x1b" * cells, one.astype(object), one.astype(str), [one.tolist(), []], one.tolist()),
        *(np.ones(cells, np.int8), (one * 127).astype(np.int8), [list("x" * cells)]),
    ]
    things: list[Any] = [{"board": dice.choice([*boards, *odd_things()])} for _ in range(3)]
    things += [{"seat": thing} for thing in dice.sample([0, "", "Z", "x", "XO", *odd_things()], 2)]
    things += [{"board": "_" * cells, "seat": "O"}, {"bord": 1}, {1: 2}, {"board": 1, "x": 2}]
    things += [thing for thing in odd_things() if not isinstance(thing, dict) or thing]
    return dice.choice([*things, 0, "", [], 1, 3.5, True, False, (("seat", "X"),)])


@cache
def wrong_seeds() -> list[Any]:
    """Return objects that are no seed."""
    return [thing for thing in odd_things() if thing is not None and type(thing) is not int] + [-1]


@cache
def wrong_players() -> list[Any]:
    """Return objects that name no player."""
    odd = [thing for thing in odd_things() if not callable(thing)]
    return [
        *odd,
        *("", ":", "random:x", "random:x=1", "epsilon:epsilon=2", "epsilon:epsilon=x", "nobody"),
        *("a" * 5000, "a/" * 3000, "a/../b", "\0", "/\0/", "/", "/dev/zero", "/dev/zero/", "./"),
        *(
            "external",
            "external:command=",
            "gomocup",
            "gomocup:command=x,k=3",
            "sb3",
            "sb3:path=/none",
            "epsilon:player=(epsilon:",
        ),
        *("mcts:iterations=x", "mcts:iterations=-1", "mcts:iterations=" + "9" * 5000, "(" * 900),
        *("epsilon:player=nobody", "epsilon:player=(" * 200, "tactical:a=b", "first,", "RANDOM"),
        *("\ud800", "\x1b[2J/", "é/ü", "~", "~/", "..", "/etc/passwd", "epsilon:player=(/etc/)"),
        *(5, True, 0, [], ["random"], {"a": 1}, b"random", bytearray(b"random")),
    ]


def wrong_arguments(dice: random.Random) -> dict[str, Any]:
    """Return arguments of an environment, one of which is invalid."""
    odd = odd_things()
    small = (0, -1, 20, 2**40, 2.0, "3", None, *odd)
    words = (None, 0, "x", "random ", *odd)
    kinds: dict[str, tuple[Any, ...]] = {
        "m": small,
        "n": small,
        "k": (0, 1, -1, 400, 3.0, None, *odd),
        "seat": ("", "Z", *words),
        "illegal": words,
        "obs": words,
        "render_mode": tuple(word for word in words if word is not None),
        "opponent": tuple(wrong_players()),
    }
    name = dice.choice(list(kinds))
    return {name: dice.choice(kinds[name])}
