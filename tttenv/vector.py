"""Short import path for `tttenv.env.vector`."""

from tttenv.env.vector import VectorTicTacToe

__all__ = ["VectorTicTacToe"]
