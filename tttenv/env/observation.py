"""Observations of the games of a match, as arrays, dicts or text, and rendering."""

import string
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector.utils import read_from_shared_memory
from numpy.typing import NDArray

from tttenv.drawing import render as pictures
from tttenv.env.games import StepOutput
from tttenv.env.match import Match
from tttenv.game.rules import Rules
from tttenv.players.language.prompts import observation
from tttenv.policy import OBSERVATIONS
from tttenv.utils.arrays import one_of
from tttenv.utils.optional_dependencies import NO_WINDOW, has_window

Observation: TypeAlias = Any  # an array; for obs="dict" a dict of arrays, for "text" a str
LastStones: TypeAlias = dict[int, pictures.LastStone]  # by game, made when one is rendered
READ_TEXTS: Any = read_from_shared_memory.dispatch(spaces.Text)
CHARACTERS = string.ascii_letters + string.digits + string.punctuation + " \n"  # of a text


class Observer:
    """Observations of a match's games in one format: "onehot", "board" or "dict".

    Args:
        rules: the game.
        obs: the format, a key of `tttenv.policy.OBSERVATIONS`.

    Attributes:
        space: the space of one game's observation.
        planes: whether a match observes one-hot planes for it; else boards.
    """

    def __init__(self, rules: Rules, obs: str) -> None:
        one_of("obs", obs, tuple(OBSERVATIONS))
        self.planes, self.named, cells = obs != "board", obs == "dict", rules.cells
        self.space: spaces.Space[Any] = spaces.Box(0, 1, (3 * cells,), np.float32)
        if obs == "board":
            self.space = spaces.Box(-1, 1, (cells,), np.int8)
        elif obs == "dict":
            mask = spaces.Box(0, 1, (cells,), np.int8)
            self.space = spaces.Dict({"observation": self.space, "action_mask": mask})

    def observe(self, match: Match) -> tuple[Observation, NDArray[np.int8]]:
        """Return the observations and int8 masks (games, cells) of all games for the agent."""
        output = match.games.outputs.take()
        match.games.observe(output)
        return self.observed(output), output.masks

    def observe_one(self, match: Match) -> tuple[Observation, NDArray[np.int8]]:
        """Return the observation and the mask (cells,) of a match of one game, as new arrays."""
        if self.planes and not self.named and match.single is not None:
            return match.single.observe()
        seen, masks = self.observe(match)
        if self.named:
            return {name: part[0].copy() for name, part in seen.items()}, masks[0].copy()
        return seen[0].copy(), masks[0].copy()

    def observed(self, output: StepOutput) -> Observation:
        """Return the observations of a step, as a dict with a copy of the masks if obs="dict"."""
        if self.named:
            return {"observation": output.observations, "action_mask": output.masks.copy()}
        return output.observations

    def final(self, output: StepOutput) -> Observation:
        """Return the final observations of a step, as a structured array if obs="dict"."""
        if not self.named:
            return output.finals
        size = output.finals.shape[1]
        fields = [("observation", "f4", (size,)), ("action_mask", "i1", (size // 3,))]
        rows = np.zeros(len(output.finals), fields)
        rows["observation"] = output.finals
        return rows


class BoardText(spaces.Text):
    """Space of texts that asynchronous vector environments read again after each step.

    Gymnasium reads other texts in shared memory once, before the first one (its issue 1164).
    """


class SharedTexts(Sequence[str]):
    """The current texts in shared memory; a copy is a tuple of those of that moment."""

    def __init__(self, read: Callable[[], tuple[str, ...]]) -> None:
        self.read = read

    def __len__(self) -> int:
        return len(self.read())

    def __getitem__(self, which: Any) -> Any:
        return self.read()[which]

    def __deepcopy__(self, _: Any) -> tuple[str, ...]:
        return self.read()


@read_from_shared_memory.register(BoardText)
def _shared_texts(space: BoardText, shared_memory: Any, n: int = 1) -> SharedTexts:
    return SharedTexts(partial(READ_TEXTS, space, shared_memory, n))


class TextObserver:
    """Observer that describes a match of one game in English, to prompt a language model."""

    planes = False

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        longest = len(observation(rules, rules.start(), over=False))  # all boards take as much room
        self.space = BoardText(longest, charset=CHARACTERS)

    def observe_one(self, match: Match) -> tuple[str, NDArray[np.int8]]:
        """Return the text and the mask (cells,) of a match of one game."""
        text = observation(self.rules, match.games.board_to_move(0), bool(match.over[0]))
        return text, match.legal()[0].astype(np.int8)


def known_render_mode(render_mode: str | None, metadata: dict[str, Any]) -> str | None:
    """Return the render mode if the environment supports it here.

    Args:
        render_mode: the mode, or None.
        metadata: the environment's, with its `render_modes`.

    Raises:
        ValueError: for an unknown mode.
        gymnasium.error.DependencyNotInstalled: for "human" without pygame.
    """
    if render_mode is not None:
        one_of("render_mode", render_mode, tuple(metadata["render_modes"]))
        if render_mode == "human" and not has_window():
            raise gymnasium.error.DependencyNotInstalled(NO_WINDOW)
    return render_mode


def draw(match: Match, game: int, render_mode: str | None, last: LastStones) -> Any:
    """Render one game's board; warn without a render mode.

    Args:
        match: the games.
        game: the number of the game in it.
        render_mode: "ansi", "rgb_array" or None.
        last: the last stones of the games rendered before, which are updated.

    Returns:
        Text, an image, uint8 (64 * m, 64 * n, 3), or None without a render mode.
    """
    if render_mode is None:
        gymnasium.logger.warn("render() draws nothing without a render_mode such as 'ansi'")
        return None
    rules, board = match.rules, match.games.board_to_move(game)
    if render_mode == "ansi":
        return pictures.ansi(rules, board)
    stone = last.setdefault(game, pictures.LastStone())
    return pictures.rgb(rules, board, last=stone.of(rules, board))
