"""Networks that the page can play on larger boards: weights and descriptions."""

import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tttenv import Rules
from tttenv.certificates.certificate import Certificate
from tttenv.players.stored.checkpoint import plays_canonically, read_card
from tttenv.policy import TOLERANCE
from tttenv.report.load_players import portable_name
from tttenv.report.markup import Markup
from tttenv.report.markup import packed as packed_bytes
from tttenv.utils.untrusted import shown

LEARNER = "alphazero"  # its players are residual networks, see learners.residual_net
SMALLEST, LARGEST = 3, 15  # minimum and maximum rows and columns of a board in a page
MOST = 120_000  # maximum weights of a network in a page


@dataclass(frozen=True)
class Network:
    """A network for the page.

    Attributes:
        about: JSON-serializable name, rules, shape and certificate.
        weights: the float32 weights of the policy's layers, in the order in which
            page/worker/network.js reads them: first the lowest bytes of all weights, last the
            highest.
    """

    about: dict[str, Any]
    weights: Markup


def packed(folder: Path, name: str, rules: Rules, certificate: Certificate) -> Network | None:
    """Pack a checkpoint's network for the page; return None if the page cannot play it.

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
    about = {
        "name": name,
        "spec": shown(portable_name(folder)),
        "about": "a residual network trained by AlphaZero",
        "rules": str(rules),
        "channels": config.channels,
        "blocks": config.blocks,
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


def _layers(blocks: int) -> list[str]:
    within = [f"blocks.{n}.{part}" for n in range(blocks) for part in ("first", "pooled", "second")]
    layers = ["first", *within, "last", "last_pooled"]
    return [f"{layer}.{kind}" for layer in layers for kind in ("weight", "bias")]
