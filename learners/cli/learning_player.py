"""A TD(0) player that keeps learning while it plays, as in the lecture notes."""

from dataclasses import replace
from typing import Any

from tttenv.exact import positions
from tttenv.game.rules import Rules
from tttenv.game.types import Probs
from tttenv.players import checkpoint_of, rules_of
from tttenv.policy import Player

# "Platform" notes (2018), section 9: before each move 500 episodes from the position at hand.
WHILE_PLAYING = {"alpha": 0.2, "epsilon": 0.1, "opening": 0, "games": 50, "batches": 10}


class LearningPlayer(Player):
    """A td0 learner as a player: it runs `learn` before each move, and saves nothing.

    Args:
        spec: the folder of a td0 checkpoint, or "td0" for an untrained learner.
        rules: the game.
        seed: the seed of its random numbers.

    Raises:
        ValueError: for anything but td0, or a checkpoint for other rules.
    """

    def __init__(self, spec: str, rules: Rules, seed: int) -> None:
        stored = None if spec == "td0" else checkpoint_of(spec)
        if spec != "td0" and stored is None:
            raise ValueError(f"--learn needs td0 or the folder of a td0 checkpoint, not {spec!r}")
        if stored and stored[1]:
            raise ValueError(f"--learn needs a td0 checkpoint without options, not {spec!r}")
        if stored and rules_of(spec) != rules:
            raise ValueError(f"the player in {spec} plays {rules_of(spec)}, not {rules}")
        super().__init__(rules, name=spec)
        from learners.td0 import TD0
        from learners.training.checkpoint import (
            load_weights,  # torch, only for what is going to learn
        )

        config, weights = load_weights(stored[0], "td0") if stored else (TD0.Config(), None)
        self.learner = TD0(replace(config, seed=seed, **WHILE_PLAYING), rules)
        if weights is not None:
            self.learner.load_state_dict({"weights": weights})
        self.policy = self.learner.policy()

    def __call__(self, boards: Any) -> Probs:
        """Return move probabilities (batch, cells) for boards (batch, cells)."""
        return self.policy(boards)

    def learn(self, board: Any) -> None:
        """Run 500 episodes starting from a board (cells,)."""
        self.learner.root = int(positions(self.learner.rules).index(board))
        self.learner.step()
        self.policy = self.learner.policy()
