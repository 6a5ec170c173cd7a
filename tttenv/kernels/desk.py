"""A desk, through which threads share work in compiled code, without asking for the GIL.

A desk is a row of whole numbers, int64. One thread, the leader, lays work on it, as numbers and as
addresses of arrays, opens it, and works itself; any other thread that watches the desk takes part.
The work is cut into chunks, and each is its who takes it first. So nobody waits for a thread that
sleeps or is held up elsewhere, but only for those in the middle of a chunk.

A helper says that it is BUSY before it looks whether the desk is open, and the leader closes the
desk before it looks who is busy. All these reads and writes are sequentially consistent, so that
one of the two sees the other: nobody works from a sheet that is being written anew.
"""

from collections.abc import Callable
from typing import Any, cast

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array
from numpy.typing import NDArray

from tttenv.kernels import compiled

Desk = NDArray[np.int64]
# Where things lie: those that several threads write, a cache line apart; then the sheet.
OPEN, BUSY, NEXT, TOTAL, ASLEEP, DISMISSED, SHEET, PLACES = 0, 8, 16, 24, 32, 40, 48, 80
# OPEN: is there work? BUSY: how many helpers are at it, or looking. NEXT: the first thing that
# nobody has taken. TOTAL: what results add up to. ASLEEP: how many helpers do not watch.
# DISMISSED: they are to end. SHEET: from here on, what is to be done.
CLOSING = 20_000  # looks at who is busy before one waits in some other way; some 5 us


def new_desk(helpers: int) -> Desk:
    """A closed desk with so many helpers, all of them asleep."""
    desk = np.zeros(PLACES, np.int64)
    desk[ASLEEP] = helpers
    return desk


def _spot(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    row = cast("Any", make_array)(signature.args[0])(context, builder, args[0])
    return builder.gep(row.data, [args[1]])


def _told(typing: Any, desk: Any, where: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load_atomic(_spot(context, builder, signature, args), "seq_cst", 8)

    return types.int64(desk, types.intp), code


def _tell(typing: Any, desk: Any, where: Any, number: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store_atomic(args[2], _spot(context, builder, signature, args), "seq_cst", 8)
        return context.get_dummy_value()

    return types.void(desk, types.intp, types.int64), code


def _add(typing: Any, desk: Any, where: Any, number: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        spot = _spot(context, builder, signature, args)
        return builder.atomic_rmw("add", spot, args[2], "seq_cst")

    return types.int64(desk, types.intp, types.int64), code


def _pointer(typing: Any, address: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.inttoptr(args[0], ir.IntType(8).as_pointer())

    return types.voidptr(types.intp), code


# told(desk, where): the number that lies there. tell(desk, where, number): lays one there.
# add(desk, where, number): adds to what lay there, and returns that.
# array_at(pointer(address), shape, dtype): the array that lies there.
told = cast("Callable[[Desk, int], int]", intrinsic(_told))
tell = cast("Callable[[Desk, int, int], None]", intrinsic(_tell))
add = cast("Callable[[Desk, int, int], int]", intrinsic(_add))
pointer = cast("Callable[[int], Any]", intrinsic(_pointer))
array_at = cast("Any", numba).carray


@compiled
def begin(desk: Desk) -> None:
    """Open the desk: from now on its helpers take part."""
    desk[NEXT] = 0
    tell(desk, OPEN, 1)


@compiled
def close(desk: Desk) -> None:
    """Let nobody begin any more and wait a little until nobody is busy."""
    tell(desk, OPEN, 0)
    for _ in range(CLOSING):
        if told(desk, BUSY) == 0:
            return


@compiled
def settle(desk: Desk) -> None:
    """Wait until nobody is busy, whatever interrupts: arrays on the sheet may go afterwards."""
    while told(desk, BUSY) != 0:
        pass
