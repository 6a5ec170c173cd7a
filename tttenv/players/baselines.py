"""Baseline players: random, first empty cell, one-ply tactics, and variants of other players."""

from functools import partial

import numpy as np

from tttenv.game.rules import Rules, require_line_wins
from tttenv.game.types import Boards, Probs
from tttenv.players import player as named
from tttenv.policy import Blend, FunctionPlayer, Player, Traits, Uniform, uniform_over
from tttenv.utils.registry import Spec


def random(rules: Rules) -> Player:
    """Return the player that plays every legal move with the same probability."""
    return Uniform(rules)


def first(rules: Rules) -> Player:
    """Return the player that plays the first empty cell, row by row."""
    return FunctionPlayer(rules, partial(_first, np.eye(rules.cells)), Traits(alone=True), "first")


def _first(corners: Probs, boards: Boards) -> Probs:
    probs: Probs = corners[(boards == 0).argmax(axis=1)]
    return probs


def tactical(rules: Rules) -> Player:
    """Return the player that wins at once, else blocks an immediate win, else plays randomly."""
    require_line_wins(rules, "tactical")
    # Its marks are images on images, and among them it mixes evenly.
    known = Traits(alone=True, equivariant=True)
    return FunctionPlayer(rules, partial(_tactical, rules), known, "tactical")


def _tactical(rules: Rules, boards: Boards) -> Probs:
    allowed = boards == 0
    for side in (-1, 1):  # own wins come second, so that they replace blocks
        wins = rules.winning_cells(boards, side)
        allowed = np.where(wins.any(axis=1, keepdims=True), wins, allowed)
    return uniform_over(allowed)


MINIMAX = Spec("minimax")


def epsilon(rules: Rules, player: Spec = MINIMAX, epsilon: float = 0.1) -> Player:
    """Return a player that moves randomly with probability `epsilon`, otherwise like `player`.

    Args:
        rules: the game.
        player: the other player's spec, in parentheses if it has options of its own.
        epsilon: from 0, always the other player, to 1, always random.

    Raises:
        ValueError: for other numbers, and for a player that is not known.
    """
    return Blend(named(player, rules), Uniform(rules), epsilon)


TACTICAL = Spec("tactical")


def pairing(rules: Rules, player: Spec = TACTICAL) -> Player:
    """Return a player that uses a pairing strategy where one exists, and otherwise `player`."""
    from tttenv.players.search.pairing import PairingPlayer  # which no other player here needs

    return PairingPlayer(named(player, rules))
