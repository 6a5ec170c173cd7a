"""Data for the page: every position, its value, every player's moves, networks' weights."""

import base64
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tttenv import Rules
from tttenv.certificates import phrases
from tttenv.certificates.all_positions import TINY
from tttenv.certificates.certificate import Certificate
from tttenv.certificates.snapshots import Moves
from tttenv.exact import positions, solve
from tttenv.game.line_planes_kernel import PLANES
from tttenv.game.symmetry import orbits
from tttenv.players import programs
from tttenv.players.stored.checkpoint import WEIGHTS, file_of, plays_canonically, read_data
from tttenv.policy import TOLERANCE
from tttenv.report.load_players import RULES, Network, Shown, portable_name
from tttenv.report.markup import packed as packed_bytes
from tttenv.utils.tensor_file import header
from tttenv.utils.untrusted import shown

FORMS = Path(programs.__file__).with_name("bot_forms.json")  # forms that pasted bots have
LEARNER = "alphazero"  # its players are residual networks, see learners.residual_net
SMALLEST, LARGEST = 3, 15  # minimum and maximum rows and columns of a board in a page
UNUSED = ("net.moves", "net.hidden", "net.results")  # layers, apart from the policy's first plane
MOST = 120_000  # maximum weights of a network in a page


def tables(players: list[Shown], networks: Sequence[Network] = ()) -> dict[str, Any]:
    """Return all tables as JSON-serializable data; arrays are little-endian bytes in base64.

    Args:
        players: those for 3,3,3, in the order of the page.
        networks: those of larger boards, whose weights stand in elements of their own.
    """
    game = positions(RULES)
    return {
        "successors": _packed(game.successors, "<i2"),  # (positions, cells), -1 where none
        "ranks": _packed(solve(RULES).ranks, "i1"),  # (positions,), see tttenv.exact.solution
        "classes": _packed(classes(), "<i2"),  # (positions,): symmetry classes
        "start": next((n for n, p in enumerate(players) if p.steps is not None), 0),
        "players": [_player(player) for player in players],
        "networks": [one.about | {"element": element_of(n)} for n, one in enumerate(networks)],
        "forms": json.loads(FORMS.read_text(encoding="utf-8")),
    }


def element_of(number: int) -> str:
    """Return the id of the element that contains a network's weights, by its number."""
    return f"network-{number}"


def classes() -> NDArray[np.int64]:
    """Return each position's symmetry class (positions,), numbered by first appearance."""
    _, which = orbits(RULES, positions(RULES).boards)
    _, first = np.unique(which, return_index=True)
    return np.asarray(first.argsort().argsort()[which])


def quantised(player: Shown) -> NDArray[np.uint8]:
    """Quantize probabilities of legal moves: 255 is certain, and moves above 1e-6 are not 0."""
    legal = positions(RULES).successors >= 0
    probs = player.moves[legal]
    steps = np.clip(np.round(255 * probs), 1, np.where(probs < 1 - phrases.ROUNDING, 254, 255))
    return np.where(probs > TINY, steps, 0).astype(np.uint8)


def choices(moves: Moves) -> NDArray[np.uint8]:
    """Pack indices of legal moves, lowest bits first, each into the fewest bits possible."""
    game = positions(RULES)
    legal = game.successors[game.decisions] >= 0
    number = legal.cumsum(axis=1)[np.arange(len(moves)), moves] - 1
    width = np.ceil(np.log2(legal.sum(axis=1)))
    places = np.arange(4)
    bits = number[:, None] >> places & 1
    return np.packbits(bits[places < width[:, None]].astype(np.uint8), bitorder="little")


def _player(player: Shown) -> dict[str, Any]:
    about: dict[str, Any] = {
        "name": player.name,
        "spec": player.spec,
        "about": player.about,
        "certificate": player.certificate.to_dict(),
        "moves": _packed(quantised(player), "u1"),
    }
    if player.snapshots and player.curve:
        earlier = [_packed(choices(moves), "u1") for moves in player.snapshots.values()]
        about |= {"earlier": earlier, "steps": [*player.snapshots, player.curve.steps[-1]]}
    return about


def _packed(array: NDArray[Any], kind: str) -> str:
    return base64.b64encode(np.ascontiguousarray(array, kind).tobytes()).decode()


def network(folder: Path, name: str, rules: Rules, certificate: Certificate) -> Network | None:
    """Pack a checkpoint's network for the page.

    Args:
        folder: the checkpoint.
        name: the player's name in the page.
        rules: its game.
        certificate: its certificate.

    Returns:
        The network, or None if the page cannot play it.

    Raises:
        ValueError: if the weights are not those of the card, or of other shapes.
    """
    card, files = read_data(folder, WEIGHTS)
    if not playable(card, rules):
        return None
    found = header(files[WEIGHTS], folder / str(file_of(card, WEIGHTS)))
    channels = found.length("net.first.weight")
    blocks = sum(key.endswith("first.bias") for key in found.tensors) - 1  # one before the blocks
    expected = {f"net.{key}": ("F32", shape) for key, shape in _shapes(channels, blocks).items()}
    refusal = f"the weights in {shown(folder)} do not fit {LEARNER}"
    numbers = found.arrays(expected, refusal)
    parts = [numbers[key] for key in expected if not key.startswith(UNUSED)]
    parts += [numbers["net.moves.weight"][:1], numbers["net.moves.bias"][:1]]
    flat = np.concatenate([part.ravel() for part in parts])
    if flat.size > MOST or not np.isfinite(flat).all():
        return None
    about = {
        "name": name,
        "spec": shown(portable_name(folder)),
        "about": "a residual network trained by AlphaZero",
        "rules": str(rules),
        "channels": channels,
        "blocks": blocks,
        "certificate": certificate.to_dict(),
    }
    by_significance = flat.astype("<f4").view(np.uint8).reshape(-1, 4).T  # deflates better
    return Network(about, packed_bytes(by_significance.tobytes()))


def playable(card: dict[str, Any], rules: Rules) -> bool:
    """Return whether the page can play the network of a card, apart from its size."""
    near = card.get("choice", {}).get("tolerance")
    if card["learner"] != LEARNER or not plays_canonically(card) or near != TOLERANCE:
        return False
    return min(rules.m, rules.n) >= SMALLEST and max(rules.m, rules.n) <= LARGEST and rules.k >= 3


def _shapes(channels: int, blocks: int) -> dict[str, tuple[int, ...]]:
    """Return the shapes of a network's tensors; those for the page first, in its order."""
    pooled: tuple[int, ...] = (channels, 2 * channels)
    block = {"first": (channels, channels, 3, 3), "pooled": pooled}
    block["second"] = block["first"]
    layers: dict[str, tuple[int, ...]] = {"first": (channels, PLANES, 3, 3)}
    for number in range(blocks):
        layers |= {f"blocks.{number}.{part}": shape for part, shape in block.items()}
    layers |= {"last": (channels, channels, 1, 1), "last_pooled": pooled}
    layers |= {"moves": (2, channels, 1, 1), "hidden": pooled, "results": (3, channels)}
    tensors: dict[str, tuple[int, ...]] = {}
    for layer, shape in layers.items():
        tensors |= {f"{layer}.weight": shape, f"{layer}.bias": shape[:1]}
    return tensors
