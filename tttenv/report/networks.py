"""The networks that the page plays on larger boards: their weights and game data."""

import base64
import importlib
from pathlib import Path
from typing import Any

import numpy as np

from tttenv import Rules
from tttenv.certificates.certificate import Certificate
from tttenv.game.symmetry import maps
from tttenv.players.checkpoint import plays_canonically, read_card
from tttenv.policy import TOLERANCE

LEARNER = "alphazero"  # its players are residual networks, see learners.residual_net
WIDEST = 49  # maximum cells of a board in a page
MOST = 120_000  # maximum weights of a network in a page


def packed(
    folder: Path, name: str, rules: Rules, certificate: Certificate
) -> dict[str, Any] | None:
    """Return a network and its game, JSON-serializable; None if the page cannot play it.

    The weights are those of the policy's layers, float32, little-endian, in base64, in the order in
    which page/worker/network.js reads them.

    Args:
        folder: the checkpoint, whose player is the network alone.
        name: the network's display name.
        rules: the checkpoint's game.
        certificate: the player's certificate.

    Raises:
        ValueError: if the checkpoint is missing or damaged.
    """
    if not playable(read_card(folder), rules):
        return None
    home = importlib.import_module("learners.training.checkpoint")  # needs torch
    config, weights = home.load_weights(folder, LEARNER)
    numbers = {key: tensor.numpy() for key, tensor in weights.items()}
    parts = [numbers[f"net.{key}"] for key in _layers(config.blocks)]
    parts += [numbers["net.moves.weight"][:1], numbers["net.moves.bias"][:1]]
    flat = np.concatenate([part.ravel() for part in parts])
    if flat.size > MOST or not np.isfinite(flat).all():
        return None
    return {
        "name": name,
        **{"m": rules.m, "n": rules.n, "k": rules.k},
        "lines": rules.lines.tolist(),
        "maps": maps(rules).tolist(),
        "channels": config.channels,
        "blocks": config.blocks,
        "weights": base64.b64encode(flat.astype("<f4").tobytes()).decode(),
        "worst": certificate.worst_case,
        "never_loses": certificate.never_loses,
        "reached": certificate.reached,
    }


def playable(card: dict[str, Any], rules: Rules) -> bool:
    """Return whether the page can play a card's network, apart from its number of weights."""
    near = card.get("choice", {}).get("tolerance")
    if card["learner"] != LEARNER or not plays_canonically(card) or near != TOLERANCE:
        return False
    return rules.cells <= WIDEST and len(rules.lines) > 0 and rules.k >= 3


def _layers(blocks: int) -> list[str]:
    """Return the names of the weights of all layers but the last, in order."""
    within = [f"blocks.{n}.{part}" for n in range(blocks) for part in ("first", "pooled", "second")]
    layers = ["first", *within, "last", "last_pooled"]
    return [f"{layer}.{kind}" for layer in layers for kind in ("weight", "bias")]
