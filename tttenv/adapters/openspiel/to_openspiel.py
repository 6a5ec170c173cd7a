"""Our players in OpenSpiel: policies and bots for its Python code, tables for its C++ code."""

from typing import Any, TypeAlias

import numpy as np

from tttenv.adapters import wanted
from tttenv.adapters.openspiel.states import board_of, game
from tttenv.exact import tabulate
from tttenv.exact.enumeration import enumerable, positions, require_enumerable
from tttenv.game.rules import Rules
from tttenv.players import player as named
from tttenv.policy import Policy, sample, validated

with wanted("pyspiel", "open_spiel"):
    import pyspiel
    from open_spiel.python.policy import Policy as Theirs

Moves: TypeAlias = list[tuple[int, float]]  # actions and their probabilities


class BoardPolicy(Theirs):
    """An OpenSpiel policy that follows our player; created by `policy`."""

    def __init__(self, rules: Rules, player: Policy) -> None:
        super().__init__(game(rules), [0, 1])
        self.rules, self.player = rules, player

    def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
        """Return the probabilities of the legal actions in a state."""
        board = board_of(self.rules, state)[None]
        probs = validated(board, self.player(board.copy()))[0]
        return {action: float(probs[action]) for action in state.legal_actions()}


class BoardBot(pyspiel.Bot):
    """An OpenSpiel bot that samples our player's moves with its own generator."""

    def __init__(self, rules: Rules, player: Policy, seed: int) -> None:
        super().__init__()
        self.rules, self.player, self.rng = rules, player, np.random.default_rng(seed)

    def restart_at(self, state: Any) -> None:
        """Do nothing, since the bot has no memory."""

    def step(self, state: Any) -> int:
        """Sample an action in a state; if the player fails, the generator does not advance."""
        board = board_of(self.rules, state)[None]
        probs = validated(board, self.player(board.copy()))
        return int(sample(probs, self.rng.random(1))[0])


def policy(rules: Rules, player: str | Policy) -> BoardPolicy:
    """Convert a player or spec to an OpenSpiel policy for both sides."""
    return BoardPolicy(rules, _ours(rules, player))


def bot(rules: Rules, player: str | Policy, seed: int = 0) -> BoardBot:
    """Convert a player or spec to an OpenSpiel bot for both sides, which samples with `seed`."""
    return BoardBot(rules, _ours(rules, player), seed)


def table(rules: Rules, player: str | Policy) -> dict[str, Moves]:
    """Return a player's moves in every information state, for OpenSpiel's C++ code.

    Use it with `pyspiel.nash_conv`, `pyspiel.TabularBestResponse` and `pyspiel.TabularPolicy`.
    There are 294,778 histories on 3,3,3.

    Raises:
        ValueError: if the game is too large to enumerate, or the player returns invalid
            probabilities.
    """
    require_enumerable(rules)
    known, found = positions(rules), tabulate(rules, _ours(rules, player)).table
    after: list[list[int]] = known.successors.tolist()
    moves = [
        [(cell, prob) for cell, (prob, to) in enumerate(zip(probs, row, strict=True)) if to >= 0]
        for probs, row in zip(found.tolist(), after, strict=True)
    ]
    histories: dict[str, Moves] = {}
    layer = [("", 0)]
    while layer:
        histories.update((history, moves[at]) for history, at in layer if moves[at])
        layer = [
            (f"{history}, {cell}" if history else str(cell), after[at][cell])
            for history, at in layer
            for cell, _ in moves[at]
        ]
    return histories


def _ours(rules: Rules, player: str | Policy) -> Policy:
    made = named(player, rules) if isinstance(player, str) else player
    impure = getattr(made, "impure", None)
    return tabulate(rules, made) if enumerable(rules) and not impure else made
