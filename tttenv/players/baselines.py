"""Baseline players: random, first empty cell, one-ply tactics, and variants of other players."""

import numpy as np

from tttenv.game.rules import Rules, require_line_wins
from tttenv.game.types import Boards, Probs
from tttenv.players import player as named
from tttenv.policy import Blend, Player, Traits, Uniform, probability, uniform_over
from tttenv.utils.registry import Spec


def random(rules: Rules) -> Player:
    """Return the player that plays every legal move with the same probability."""
    return Uniform(rules)


class First(Player):
    """Player that plays the first empty cell."""

    def __init__(self, rules: Rules) -> None:
        super().__init__(rules, Traits(alone=True))
        self.corner = np.eye(rules.cells)

    def __call__(self, boards: Boards) -> Probs:
        """Return move probabilities (batch, cells) for boards (batch, cells)."""
        probs: Probs = self.corner[(boards == 0).argmax(axis=1)]
        return probs


def first(rules: Rules) -> Player:
    """Return the player that plays the first empty cell, row by row."""
    return First(rules)


class Tactical(Player):
    """Player that wins at once if it can, else blocks an immediate win, else plays randomly."""

    def __init__(self, rules: Rules) -> None:
        require_line_wins(rules, "tactical")
        # Its marks are images on images, and among them it mixes evenly.
        super().__init__(rules, Traits(alone=True, equivariant=True))

    def __call__(self, boards: Boards) -> Probs:
        """Return move probabilities (batch, cells) for boards (batch, cells)."""
        allowed = boards == 0
        for side in (-1, 1):  # own wins come second, so that they replace blocks
            wins = self.rules.winning_cells(boards, side)
            allowed = np.where(wins.any(axis=1, keepdims=True), wins, allowed)
        return uniform_over(allowed)


def tactical(rules: Rules) -> Player:
    """Return the player that wins at once, else blocks an immediate win, else plays randomly."""
    return Tactical(rules)


MINIMAX = Spec("minimax")


def epsilon(rules: Rules, player: Spec = MINIMAX, epsilon: float = 0.1) -> Player:
    """Return a player that moves randomly with probability `epsilon`, otherwise like `player`.

    Args:
        rules: the game.
        player: the spec of the other player; in parentheses if it has options of its own.
        epsilon: from 0, always the other player, to 1, always random.

    Raises:
        ValueError: for an unknown player or an epsilon outside 0 to 1.
    """
    probability(epsilon)  # before the other player is created, which may take long
    return Blend(named(player, rules), Uniform(rules), epsilon)


TACTICAL = Spec("tactical")


def pairing(rules: Rules, player: Spec = TACTICAL) -> Player:
    """Return a player that uses a pairing strategy where one exists, and otherwise `player`.

    Args:
        rules: the game.
        player: the spec of the other player; in parentheses if it has options of its own.

    Raises:
        ValueError: for an unknown player.
    """
    from tttenv.players.search.pairing import PairingPlayer  # which no other player here needs

    return PairingPlayer(named(player, rules))
