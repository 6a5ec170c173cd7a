"""Observations of the games of a match: arrays, a dict or a text."""

import string
from typing import Any, TypeAlias

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from tttenv.env.games import StepOutput
from tttenv.env.match import Match
from tttenv.game.rules import Rules
from tttenv.policy import OBSERVATIONS
from tttenv.utils.arrays import one_of

Observation: TypeAlias = Any  # an array; for obs="dict" a dict of arrays, for "text" a str
CHARACTERS = string.ascii_letters + string.digits + string.punctuation + " \n"  # of a text


class Observer:
    """Observations of a match's games in one format: "onehot", "board" or "dict".

    Args:
        rules: the game.
        obs: the kind.

    Attributes:
        space: the space of one game's observation.
        planes: whether a match observes one-hot planes for it; else boards.

    Raises:
        ValueError: for an unknown kind.
    """

    def __init__(self, rules: Rules, obs: str) -> None:
        one_of("obs", obs, tuple(OBSERVATIONS))
        self.planes, self.named, cells = obs != "board", obs == "dict", rules.cells
        onehot = spaces.Box(0, 1, (3 * cells,), np.float32)
        board = spaces.Box(-1, 1, (cells,), np.int8)
        mask = spaces.Box(0, 1, (cells,), np.int8)
        both = spaces.Dict({"observation": onehot, "action_mask": mask})
        kinds: dict[str, spaces.Space[Any]] = {"onehot": onehot, "board": board, "dict": both}
        self.space = kinds[obs]

    def observe(self, match: Match) -> tuple[Observation, NDArray[np.int8]]:
        """Return the observations and int8 masks (games, cells) of all games for the agent."""
        output = match.games.outputs.take()
        match.games.observe(output)
        return self.observed(output), output.masks

    def observe_one(self, match: Match) -> tuple[Observation, NDArray[np.int8]]:
        """Return the observation and the mask (cells,) of a match of one game, as new arrays."""
        if self.planes and not self.named and match.single is not None:
            return match.single.observe()
        output = match.games.outputs.take()
        match.games.observe(output)
        observation, mask = output.observations[0].copy(), output.masks[0].copy()
        if self.named:
            return {"observation": observation, "action_mask": mask.copy()}, mask
        return observation, mask

    def observed(self, output: StepOutput) -> Observation:
        """Return the observations of a step, as a dict with a copy of the masks if obs="dict"."""
        if self.named:
            return {"observation": output.observations, "action_mask": output.masks.copy()}
        return output.observations

    def final(self, output: StepOutput) -> Observation:
        """Return the final observations of a step, as a structured array if obs="dict".

        `rows[i]["observation"]` is one game's observation; the masks are zeros.
        """
        if not self.named:
            return output.finals
        size = output.finals.shape[1]
        fields = [("observation", "f4", (size,)), ("action_mask", "i1", (size // 3,))]
        rows = np.zeros(len(output.finals), fields)
        rows["observation"] = output.finals
        return rows


class TextObserver:
    """Observer that describes a match of one game in English, to prompt a language model."""

    planes = False

    def __init__(self, rules: Rules) -> None:
        # Imported here, since no other observation needs the solver and the prover.
        from tttenv.text.prompts import observation

        self.rules, self._describe = rules, observation
        longest = len(observation(rules, rules.start(), over=False))  # all boards take as much room
        self.space = spaces.Text(longest, charset=CHARACTERS)

    def observe_one(self, match: Match) -> tuple[str, NDArray[np.int8]]:
        """Return the text and the mask (cells,) of a match of one game."""
        text = self._describe(self.rules, match.board_to_move(0), bool(match.over[0]))
        return text, match.legal()[0].astype(np.int8)
