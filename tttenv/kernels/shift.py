"""Passes over a batch of table games that its leader and any number of helpers share."""

import numpy as np

from tttenv.kernels import compiled, table_step
from tttenv.kernels.desk import (
    ASLEEP,
    BUSY,
    DISMISSED,
    NEXT,
    OPEN,
    PLACES,
    TOTAL,
    Desk,
    add,
    array_at,
    begin,
    close,
    pointer,
    told,
)
from tttenv.kernels.passes import (
    CHOOSE,
    CHUNK,
    COLUMNS,
    GAMES,
    KIND,
    Known,
    Own,
    Shown,
    prepare,
    work,
)
from tttenv.kernels.random import STEP
from tttenv.kernels.table_step import Numbers, Opponent, Playable
from tttenv.kernels.types import Cells

KEY, TABLE, CHUNKS = range(GAMES + 1, GAMES + 4)  # on the sheet; then addresses
AT, TURNED, LISTS, PICKED, DICE, BOOK, STATE = range(CHUNKS + 1, CHUNKS + 8)
CELLS, OUTCOMES, OVER, FINALS, PLANES, MASKS, LIST = range(STATE + 1, STATE + 8)
REACHED, LAST = range(LIST + 1, LIST + 3)
assert LAST < PLACES
DONE = -1


@compiled
def lead(
    desk: Desk,
    kind: int,
    until: int,
    seat: int,
    chunk: int,
    own: Own,
    shown: Shown,
    opponent: Opponent,
    known: Known,
) -> int:
    """Lead the passes from one kind until another.

    Returns:
        DONE, or the kind to go on with as soon as a helper is done who is held up in a chunk.
    """
    lay(desk, chunk, own, shown, opponent)
    while kind <= until:
        prepare(kind, seat, chunk, own, shown[-1])
        desk[KIND] = kind
        desk[TOTAL] = 0
        begin(desk)
        work(desk, own, shown, opponent, known)
        close(desk)
        kind += 1
        if told(desk, BUSY):
            return kind
    prepare(kind, seat, chunk, own, shown[-1])
    return DONE


@compiled
def lay(desk: Desk, chunk: int, own: Own, shown: Shown, opponent: Opponent) -> None:
    """Write the sheet."""
    at, turned, lists, picked, dice, book, state = own
    cells, outcomes, over, finals, planes, masks, ended = shown
    reached, last = opponent
    desk[GAMES], desk[CHUNK], desk[TABLE], desk[CHUNKS] = len(at), chunk, len(last), len(book)
    desk[AT], desk[TURNED], desk[LISTS] = at.ctypes.data, turned.ctypes.data, lists.ctypes.data
    desk[PICKED], desk[DICE] = picked.ctypes.data, dice.ctypes.data
    desk[BOOK], desk[STATE] = book.ctypes.data, state.ctypes.data
    desk[CELLS], desk[OUTCOMES] = cells.ctypes.data, outcomes.ctypes.data
    desk[OVER], desk[FINALS] = over.ctypes.data, finals.ctypes.data
    desk[PLANES], desk[MASKS] = planes.ctypes.data, masks.ctypes.data
    desk[LIST], desk[REACHED], desk[LAST] = ended.ctypes.data, reached.ctypes.data, last.ctypes.data


@compiled
def choose(
    desk: Desk,
    chunk: int,
    key: np.uint64,
    at: Numbers,
    playable: Playable,
    many: Playable,
    cells: Cells,
) -> None:
    """Lead `table_step.choose`."""
    desk[KIND], desk[GAMES], desk[CHUNK], desk[KEY] = CHOOSE, len(at), chunk, np.int64(key)
    desk[AT], desk[CELLS] = at.ctypes.data, cells.ctypes.data
    begin(desk)
    choose_some(desk, key, at, playable, many, cells)
    close(desk)


@compiled
def choose_some(
    desk: Desk, key: np.uint64, at: Numbers, playable: Playable, many: Playable, cells: Cells
) -> None:
    """Take chunks from the desk and choose cells, until none is left."""
    while True:
        a = add(desk, NEXT, desk[CHUNK])
        if a >= len(at):
            break
        b = min(a + desk[CHUNK], len(at))
        table_step.choose(at[a:b], key + np.uint64(a) * STEP, playable, many, cells[a:b])


@compiled
def serve(desk: Desk, known: Known, patience: int) -> None:
    """Help whoever leads at the desk, until there has been nothing to do for a while."""
    add(desk, ASLEEP, -1)
    idle = 0
    while idle < patience and not told(desk, DISMISSED):
        idle += 1
        if not told(desk, OPEN):
            continue
        add(desk, BUSY, 1)
        if told(desk, OPEN) and told(desk, NEXT) < desk[GAMES]:
            idle = 0
            help_out(desk, known)
        add(desk, BUSY, -1)
    add(desk, ASLEEP, 1)


@compiled
def help_out(desk: Desk, known: Known) -> None:
    """Take part in what lies on the desk."""
    steps, views, allowed, playable, many = known
    n, at = desk[GAMES], array_at(pointer(desk[AT]), desk[GAMES], np.uint32)
    cells = array_at(pointer(desk[CELLS]), n, np.int64)
    if desk[KIND] == CHOOSE:
        choose_some(desk, np.uint64(desk[KEY]), at, playable, many, cells)
        return
    own = (
        at,
        array_at(pointer(desk[TURNED]), n, np.bool_),
        array_at(pointer(desk[LISTS]), n, np.uint32),
        array_at(pointer(desk[PICKED]), n, np.uint8),
        array_at(pointer(desk[DICE]), n, np.float64),
        array_at(pointer(desk[BOOK]), (desk[CHUNKS], COLUMNS), np.int64),
        array_at(pointer(desk[STATE]), 4, np.uint64),
    )
    shown = (
        cells,
        array_at(pointer(desk[OUTCOMES]), n, np.int8),
        array_at(pointer(desk[OVER]), n, np.bool_),
        array_at(pointer(desk[FINALS]), n, views.dtype),
        array_at(pointer(desk[PLANES]), n, views.dtype),
        array_at(pointer(desk[MASKS]), n, allowed.dtype),
        array_at(pointer(desk[LIST]), n, np.uint32),
    )
    opponent = (
        array_at(pointer(desk[REACHED]), (desk[TABLE], steps.shape[1]), np.float64),
        array_at(pointer(desk[LAST]), desk[TABLE], np.int64),
    )
    work(desk, own, shown, opponent, known)
