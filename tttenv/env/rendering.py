"""Rendering of boards as text and as images, for both environments."""

from collections import defaultdict
from typing import Any, TypeAlias

import gymnasium

from tttenv.drawing import render as pictures
from tttenv.env.match import Match
from tttenv.utils.arrays import one_of
from tttenv.utils.optional_dependencies import NO_WINDOW, has_window


def known_render_mode(render_mode: str | None, metadata: dict[str, Any]) -> str | None:
    """Check that the environment supports the render mode, and return it.

    Raises:
        gymnasium.error.DependencyNotInstalled: for "human" without pygame-ce.
        ValueError: for an unknown mode.
    """
    if render_mode is not None:
        one_of("render_mode", render_mode, tuple(metadata["render_modes"]))
        if render_mode == "human" and not has_window():
            raise gymnasium.error.DependencyNotInstalled(NO_WINDOW)
    return render_mode


LastStones: TypeAlias = defaultdict[int, pictures.LastStone]  # by game, created when rendered


def new_last_stones() -> LastStones:
    """Return an empty record of the last stone of each game."""
    return defaultdict(pictures.LastStone)


def draw(match: Match, game: int, render_mode: str | None, last: LastStones) -> Any:
    """Render one game's board as text or image; warn and return None without a render mode."""
    if render_mode is None:
        gymnasium.logger.warn("render() draws nothing without a render_mode such as 'ansi'")
        return None
    rules, board = match.rules, match.board_to_move(game)
    if render_mode == "ansi":
        return pictures.ansi(rules, board)
    return pictures.rgb(rules, board, last=last[game].of(rules, board))
