"""Snapshots of deterministic players during training, on boards of up to nine cells, in a file."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save as save_arrays

from tttenv.certificates.curve import Curve, Point, landmarks
from tttenv.exact import Tabulated, enumerable, positions
from tttenv.game.rules import Rules
from tttenv.players.stored.checkpoint import SNAPSHOTS, file_of, read_data
from tttenv.policy import Policy
from tttenv.utils.tensor_file import header
from tttenv.utils.untrusted import shown

MOST = 20  # maximum snapshots of a run
CELLS = 9  # of the largest board with snapshots: a cell is one digit

Snapshot = tuple[int, str]  # a step, and the cell played in each undecided position
Moves = NDArray[np.uint8]  # the cells, (decisions,)


def extended(
    snapshots: Sequence[Snapshot], measures: Sequence[Point], policy: Policy, every: int
) -> tuple[Snapshot, ...]:
    """Append a snapshot of the last measured policy, then keep those at the curve's landmarks.

    Args:
        snapshots: the earlier ones, in order.
        measures: all points of the curve, the last of which measured the policy.
        policy: the player at that step.
        every: the steps between two measurements.
    """
    moves = moves_of(policy)
    whole = [*snapshots] if moves is None else [*snapshots, (int(measures[-1][0] or 0), moves)]
    kept = {measures[at][0] for at in landmarks(measures, every, MOST)}
    return tuple(one for one in whole if one[0] in kept)


def moves_of(policy: Policy) -> str | None:
    """Return the cells that a deterministic table plays, one digit per position, or None."""
    if not isinstance(policy, Tabulated) or policy.rules.cells > CELLS:
        return None
    chances = policy.at(positions(policy.rules).decisions)
    if not (chances.max(axis=1) == 1.0).all():
        return None
    return "".join(map(str, chances.argmax(axis=1).tolist()))


def table_of(rules: Rules, moves: Moves) -> Tabulated:
    """Tabulate the player that plays the given cells, which must be empty ones of the board.

    Args:
        rules: an enumerable game.
        moves: the cells (decisions,), one for each undecided position.

    Raises:
        ValueError: if a cell is off the board or taken.
    """
    game = positions(rules)
    if moves.size and moves.max() >= rules.cells:
        raise ValueError(f"a player plays on cell {moves.max()}, off the board")
    table = np.zeros(game.boards.shape, np.uint8)
    table[game.decisions, moves] = 1
    return Tabulated(rules, table)


def for_file(snapshots: Sequence[Snapshot]) -> bytes:
    """Return the file contents: "steps" (snapshots,), "moves" (snapshots, decisions)."""
    steps = np.array([step for step, _ in snapshots], np.int64)
    digits = np.array([np.frombuffer(moves.encode(), np.uint8) for _, moves in snapshots])
    return save_arrays({"steps": steps, "moves": digits - np.uint8(ord("0"))})


def read(folder: Path, card: Mapping[str, Any], rules: Rules, curve: Curve) -> dict[int, Moves]:
    """Load the snapshots of an untrusted checkpoint by step; empty if the card names none.

    Args:
        folder: the checkpoint's.
        card: its card.
        rules: the game.
        curve: the curve of the card, whose steps the snapshots have.

    Raises:
        ValueError: if the file is invalid or of another game or curve.
    """
    name = file_of(card, SNAPSHOTS)
    if name is None or not enumerable(rules) or rules.cells > CELLS:
        return {}
    file = folder / name
    try:
        found = header(read_data(folder, SNAPSHOTS)[1][SNAPSHOTS], file)
        count, decisions = found.length("steps"), len(positions(rules).decisions)
        if not 0 < count <= MOST:
            raise ValueError(f"it has {count} players; 1 to {MOST} are allowed")
        expected = {"steps": ("I64", (count,)), "moves": ("U8", (count, decisions))}
        arrays = found.arrays(expected, f"wanted are steps and moves of players on {rules}")
        steps, moves = arrays["steps"].tolist(), arrays["moves"]
        if steps != sorted({*steps} & {*curve.steps}):
            raise ValueError("its steps are not those of the curve, in order")
        for played in moves:
            table_of(rules, played)  # which refuses illegal moves
    except ValueError as error:
        raise ValueError(f"{shown(file)} has no valid snapshots: {shown(error)}") from None
    return dict(zip(steps, moves, strict=True))
