"""`tttenv.env.vector`, importable by its short name."""

from tttenv.env.vector import VectorTicTacToe

__all__ = ["VectorTicTacToe"]
