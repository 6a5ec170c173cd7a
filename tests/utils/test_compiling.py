"""Structs in compiled code, and the seconds that compiling takes."""

import pickle
import time
from dataclasses import dataclass, field, replace

import numba
import numpy as np
import pytest
from numpy.typing import NDArray

from tttenv.utils.bare import bare, inner
from tttenv.utils.compile_time import Stopwatch
from tttenv.utils.struct import STRIDED, Struct


@dataclass(frozen=True, eq=False)
class Inside(Struct):
    """A struct in another."""

    numbers: NDArray[np.int16]
    share: float


@dataclass(frozen=True, eq=False)
class Whole(Struct):
    """A struct with a field of every kind."""

    below: Inside
    k: int
    wanted: bool
    table: NDArray[np.int64]
    turned: NDArray[np.int8] = field(metadata=STRIDED)


def whole():
    below = Inside(np.arange(3, dtype=np.int16), 0.5)
    table, view = np.arange(24).reshape(2, 3, 4), np.arange(8, dtype=np.int8).reshape(4, 2)
    return Whole(below, 7, True, table, view[:, ::-1])


@inner
def _add(w: Whole, i: int) -> float:
    w.table[1, 2, 3] += i
    return w.below.share + w.below.numbers[2] + w.turned[3, 0] + w.k


@bare
def total(w: Whole) -> float:
    return _add(w, 1) if w.wanted else -_add(w, w.below.numbers[1])


def test_compiled_functions_read_and_write_the_arrays_of_a_struct():
    w = whole()
    assert total(w) == 0.5 + 2 + 7 + 7
    assert w.table[1, 2, 3] == 24
    assert total(replace(w, wanted=False, turned=np.ones((4, 2), np.int8))) == -(0.5 + 2 + 1 + 7)
    assert total(pickle.loads(pickle.dumps(w))) == 16.5
    assert w.table[1, 2, 3] == 25  # the copy has its own
    assert len(total.signatures) == 1
    assert len(_add.signatures) <= 1  # for constants and all widths; 0 if `total` was cached


def test_inner_functions_cannot_be_called_from_python():
    total(whole())
    with pytest.raises(TypeError, match="_add is called by compiled functions only"):
        _add(whole(), 1)


def test_stopwatches_stand_still_while_compiling():
    started, clock = time.perf_counter(), Stopwatch()
    compiled = numba.njit(lambda n: n + 1)
    assert compiled(1) == 2
    assert 0 < clock.compile_seconds <= time.perf_counter() - started
    assert clock.seconds < clock.compile_seconds
