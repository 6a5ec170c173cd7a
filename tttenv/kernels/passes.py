"""Passes over a batch of table games, done in chunks that are taken from a desk."""

import numpy as np
from numpy.typing import NDArray

from tttenv.kernels import compiled, rounds, table_step
from tttenv.kernels.desk import NEXT, SHEET, TOTAL, Desk, add, array_at, pointer
from tttenv.kernels.outcomes import Outcomes
from tttenv.kernels.pcg import State, roll, roll_from, skip
from tttenv.kernels.table_step import END, Numbers, Opponent, Playable, Rows, Steps
from tttenv.kernels.types import Cells, Mask

# Kinds of passes. LAP is a whole step of lone agents; against an opponent it takes the last three.
CHOOSE, WIPE, LAP, STONES, REPLIES, OPENINGS = range(6)
EITHER, FIRST, SECOND = range(3)  # the agents' seat in new games: by a die, X, O
KIND, CHUNK, GAMES = range(SHEET, SHEET + 3)  # on the sheet: what to do, in parts of, on how many

# How many games of a chunk wait, ended, and are opened by the opponent; and how many dice the round
# rolls before the chunk's replies and its openings: the columns of a book, a row a chunk.
WAITING, ENDED, OPENED, REPLY_DICE, OPENING_DICE, COLUMNS = range(6)
Book = NDArray[np.int64]

# `at` and `turned` as in `table_step`, lists of games, cells, dice, the book, the generator's
# state:
Own = tuple[Numbers, Mask, Numbers, NDArray[np.uint8], NDArray[np.float64], Book, State]
# cells, outcomes, over, finals, planes, masks and ended as in `table_step.lap`:
Shown = tuple[Cells, Outcomes, Mask, Rows, Rows, Rows, Numbers]
# steps, views and allowed, playable and many, as in `table_step`:
Known = tuple[Steps, Rows, Rows, Playable, Playable]


@compiled
def work(desk: Desk, own: Own, shown: Shown, opponent: Opponent, known: Known) -> None:
    """Take chunks from the desk and do them, until none is left."""
    at, turned, lists, picked, dice, book, state = own
    cells, outcomes, over, finals, planes, masks, ended = shown
    steps, views, allowed, playable, many = known
    kind, chunk = desk[KIND], desk[CHUNK]
    while True:
        a = add(desk, NEXT, chunk)
        if a >= len(at):
            break
        b, row = min(a + chunk, len(at)), book[a // chunk]
        if kind == WIPE:
            size = finals.itemsize  # as bytes: quicker than row by row
            array_at(pointer(finals.ctypes.data + a * size), (b - a) * size, np.uint8)[:] = 0
            ended[a] = END
        elif kind == LAP:
            count = table_step.lap(
                at[a:b],
                cells[a:b],
                steps,
                outcomes[a:b],
                over[a:b],
                ended[a:b],
                views,
                allowed,
                finals[a:b],
                planes[a:b],
                masks[a:b],
            )
            add(desk, TOTAL, count)
        elif kind == STONES:
            row[WAITING] = rounds.stones(
                at[a:b], turned[a:b], cells[a:b], steps, outcomes[a:b], over[a:b], lists[a:b]
            )
        elif kind == REPLIES:
            end = a + row[WAITING]
            which = lists[a:end]
            roll_from(state, row[REPLY_DICE], dice[a:end])
            table_step.fall(at[a:b], which, dice[a:end], opponent, playable, many, picked[a:end])
            table_step.reply(at[a:b], which, picked[a:end], steps, outcomes[a:b], over[a:b])
            row[ENDED] = rounds.last_views(
                at[a:b], turned[a:b], over[a:b], ended[a:b], views, finals[a:b]
            )
        else:
            end = a + row[OPENED]
            which = lists[a:end]
            roll_from(state, row[OPENING_DICE], dice[a:end])
            table_step.fall(at[a:b], which, dice[a:end], opponent, playable, many, picked[a:end])
            rounds.open_games(at[a:b], which, picked[a:end], steps)
            table_step.observe(at[a:b], views, allowed, planes[a:b], masks[a:b])


@compiled
def prepare(kind: int, seat: int, chunk: int, own: Own, ended: Numbers) -> None:
    """What comes between two passes: where each chunk's dice begin, and the seats in new games.

    After the last the generator's state moves on by the dice of the round.
    """
    _, _, lists, _, dice, book, state = own
    rolled = book[:, WAITING].sum() if kind != REPLIES else 0
    if kind == REPLIES:
        for c in range(len(book)):
            book[c, REPLY_DICE] = rolled
            rolled += book[c, WAITING]
    elif kind == OPENINGS:
        skipped = state.copy()
        skip(skipped, rolled)
        for c in range(len(book)):
            new, a = book[c, ENDED], c * chunk
            if seat == EITHER:
                roll(skipped, dice[a : a + new])
                rolled += new
            count = 0
            for j in range(a, a + new):
                lists[a + count] = ended[j]
                count += (seat == SECOND) | ((seat == EITHER) & (dice[j] >= 0.5))
            book[c, OPENED] = count
        for c in range(len(book)):
            book[c, OPENING_DICE] = rolled
            rolled += book[c, OPENED]
    elif kind > OPENINGS:
        if seat == EITHER:
            rolled += book[:, ENDED].sum()
        skip(state, rolled + book[:, OPENED].sum())
