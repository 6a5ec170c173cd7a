"""Structs in compiled code, and measured compile time."""

import logging
import pickle
import time
from dataclasses import dataclass, replace
from types import SimpleNamespace

import numba
import numpy as np
import pytest
from numba.core import event
from numpy.typing import NDArray

from tttenv.game.rules_kernel import completes
from tttenv.utils import compile_time
from tttenv.utils.compile_time import Stopwatch, watch
from tttenv.utils.compiled import bare, inner
from tttenv.utils.struct import Struct


@dataclass(frozen=True, eq=False)
class Inside(Struct):
    """Struct within another."""

    numbers: NDArray[np.int16]
    share: float


@dataclass(frozen=True, eq=False)
class Whole(Struct):
    """Struct with a field of every kind."""

    below: Inside
    k: int
    pair: tuple[int, int]
    wanted: bool
    table: NDArray[np.int64]
    turned: NDArray[np.int8]  # not contiguous


def whole():
    below = Inside(np.arange(3, dtype=np.int16), 0.5)
    table, view = np.arange(24).reshape(2, 3, 4), np.arange(8, dtype=np.int8).reshape(4, 2)
    return Whole(below, 7, (10, 20), True, table, view[:, ::-1])


@inner
def _add(w: Whole, i: int) -> float:
    w.table[1, 2, 3] += i
    return w.below.share + w.below.numbers[2] + w.turned[3, 0] + w.k + w.pair[1] - w.pair[0]


@bare
def total(w: Whole) -> float:
    return _add(w, 1) if w.wanted else -_add(w, w.below.numbers[1])


def test_compiled_functions_read_and_write_the_arrays_of_a_struct():
    w = whole()
    assert total(w) == 0.5 + 2 + 7 + 7 + 10
    assert w.table[1, 2, 3] == 24
    assert total(replace(w, wanted=False, turned=np.ones((4, 4), np.int8)[:, ::2])) == -20.5
    assert total(pickle.loads(pickle.dumps(w))) == 26.5
    assert w.table[1, 2, 3] == 25  # the copy has its own
    assert len(total.signatures) == 2  # the copy is contiguous
    assert len(_add.signatures) <= 2  # for constants and all widths; 0 if `total` was cached


def test_inner_functions_cannot_be_called_from_python():
    total(whole())
    with pytest.raises(TypeError, match="_add can only be called by compiled functions"):
        _add(whole(), 1)


def one_more(n):
    return n + 1


one_more.__module__ = "tttenv.players.search.alphabeta_kernel"
_one_more = numba.njit(one_more)


def three_more(n):
    return _one_more(_one_more(_one_more(n)))


three_more.__module__ = one_more.__module__


def test_what_is_compiled_is_counted_beforehand(caplog):
    shown = []

    class Seen(event.Listener):
        def on_start(self, _):
            shown.append(watch.progress)

        def on_end(self, _):
            shown.append(watch.progress)

    watch._logged.discard("alpha-beta")
    seen = Seen()
    event.register("numba:compile", seen)
    try:
        with caplog.at_level("INFO", "tttenv"):
            assert numba.njit(three_more)(1) == 4
    finally:
        event.unregister("numba:compile", seen)
    assert caplog.messages == ["tttenv: compiling alpha-beta, once on this machine (2 functions)"]
    assert shown[:3] == [f"compiling alpha-beta ({done} of 2)" for done in (0, 0, 1)]
    assert watch.progress == ""


def test_stopwatches_stand_still_while_compiling():
    started, clock = time.perf_counter(), Stopwatch()
    compiled = numba.njit(lambda n: n + 1)
    assert compiled(1) == 2
    assert 0 < clock.compile_seconds <= time.perf_counter() - started
    assert clock.seconds < clock.compile_seconds


@pytest.mark.parametrize(
    ("level", "seconds", "lines"),
    [(logging.NOTSET, 0.0, 1), (logging.NOTSET, 60.0, 0), (logging.WARNING, 0.0, 0)],
)
def test_a_program_is_told_once_that_compiling_takes_long(
    level, seconds, lines, monkeypatch, caplog
):
    caplog.set_level(level, "tttenv")
    monkeypatch.setattr(compile_time, "SLOW", seconds)
    fresh, compilation = type(watch)(), SimpleNamespace(data={"dispatcher": completes})
    for _ in range(3):
        fresh.on_start(compilation)
        fresh.on_end(compilation)
    logged = [one.getMessage() for one in caplog.records if one.levelno == logging.WARNING]
    assert len(logged) == lines
    assert all("`tttenv compile`" in line for line in logged)
