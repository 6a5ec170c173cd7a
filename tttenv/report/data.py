"""Data for the page's board: every position, its exact value and every player's moves."""

import base64
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tttenv.certificates import phrases
from tttenv.certificates.certificate import TINY
from tttenv.certificates.snapshots import Moves
from tttenv.exact import positions, solve
from tttenv.game.symmetry import orbits
from tttenv.report.load_players import RULES, Shown
from tttenv.report.networks import Network


def tables(players: list[Shown], networks: Sequence[Network] = ()) -> dict[str, Any]:
    """Return all tables as JSON-serializable data; arrays are little-endian bytes in base64.

    Positions are indexed as in `tttenv.exact.positions`.
    """
    game = positions(RULES)
    return {
        "successors": _packed(game.successors, "<i2"),  # (positions, cells), -1 where none
        "ranks": _packed(solve(RULES).ranks, "i1"),  # (positions,), see tttenv.exact.solution
        "classes": _packed(classes(), "<i2"),  # (positions,): symmetry classes
        "start": next((n for n, p in enumerate(players) if p.steps is not None), 0),
        "players": [_player(player) for player in players],
        "networks": [one.about | {"element": element_of(n)} for n, one in enumerate(networks)],
    }


def element_of(number: int) -> str:
    """Return the id of the element that contains a network's weights, by its number."""
    return f"network-{number}"


def classes() -> NDArray[np.int64]:
    """Return each position's symmetry class (positions,), numbered by first appearance."""
    _, which = orbits(RULES, positions(RULES).boards)
    _, first = np.unique(which, return_index=True)
    renumbered = np.empty(len(first), np.int64)
    renumbered[np.argsort(first)] = np.arange(len(first))
    return np.asarray(renumbered[which])


def quantised(player: Shown) -> NDArray[np.uint8]:
    """Quantize a player's probabilities of all legal moves to integers from 0 to 255.

    As in the certificate, a move counts as played if its probability is above 1e-6; it is then at
    least 1. Only a move that is always played is 255.
    """
    legal = positions(RULES).successors >= 0
    probs = player.table.table[legal]
    steps = np.clip(np.round(255 * probs), 1, np.where(probs < 1 - phrases.ROUNDING, 254, 255))
    return np.where(probs > TINY, steps, 0).astype(np.uint8)


def choices(moves: Moves) -> NDArray[np.uint8]:
    """Pack the moves in all undecided positions into bits, lowest bits first.

    Each position takes the minimum number of bits for the index of a legal move.
    """
    game = positions(RULES)
    legal = game.successors[game.decisions] >= 0
    number = legal.cumsum(axis=1)[np.arange(len(moves)), moves] - 1
    width = np.ceil(np.log2(legal.sum(axis=1)))
    places = np.arange(4)
    bits = number[:, None] >> places & 1
    return np.packbits(bits[places < width[:, None]].astype(np.uint8), bitorder="little")


def _player(player: Shown) -> dict[str, Any]:
    told: dict[str, Any] = {
        "name": player.name,
        "spec": player.spec,
        "about": player.about,
        "certificate": player.certificate,
        "moves": _packed(quantised(player), "u1"),
    }
    if player.snapshots and player.curve:
        earlier = [_packed(choices(moves), "u1") for moves in player.snapshots.values()]
        told |= {"earlier": earlier, "steps": [*player.snapshots, player.curve.steps[-1]]}
    return told


def _packed(array: NDArray[Any], kind: str) -> str:
    return base64.b64encode(np.ascontiguousarray(array, kind).tobytes()).decode()
