"""`tttenv.game.rules`, importable by its short name."""

from tttenv.game.rules import Rules

__all__ = ["Rules"]
