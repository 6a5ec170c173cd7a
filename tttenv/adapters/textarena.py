"""TextArena environment for games between two language models.

Example::

    import textarena, tttenv.adapters.textarena
    env = textarena.make("MnkGame-v0", rules="4,4,3")

Player 0 is X. Each observation is a prompt of `tttenv.text`, and an action is the text of an
answer, read strictly. The information of a step has the exact verdict on the move.
"""

from dataclasses import asdict
from typing import Any

from tttenv import text
from tttenv.adapters import wanted
from tttenv.game.rules import Rules
from tttenv.utils.arrays import one_of

with wanted("textarena", extra="language"):
    import textarena
    from textarena.envs.registration import register_with_versions
    from textarena.wrappers import LLMObservationWrapper

NAME = "MnkGame-v0"
PLAYERS = ("X", "O")


class MnkGame(textarena.Env):  # type: ignore[misc]  # TextArena is not typed
    """Two-player, turn-based m,n,k-game.

    Args:
        rules: m rows, n columns, k in a row.
        notation: the notation of the prompts: "grid", "coordinates" or "moves".
        legal: list the legal moves in the prompts.
        errors: the number of consecutive answers without a legal move that are forgiven; the next
            one loses.

    Raises:
        ValueError: for unknown rules or an unknown notation.
    """

    def __init__(
        self, rules: str = "3,3,3", notation: str = "grid", legal: bool = False, errors: int = 0
    ) -> None:
        one_of("notation", notation, tuple(text.NOTATIONS))
        self.rules, self.notation, self.legal = Rules.of(rules), notation, legal
        self.errors = errors
        self.state: Any = None
        self.board = self.rules.start()

    def reset(self, num_players: int = 2, seed: int | None = None) -> None:
        """Start a game; there is no randomness."""
        self.board = self.rules.start()
        self.state = textarena.TwoPlayerState(
            num_players=num_players, seed=seed, error_allowance=self.errors
        )
        self.state.reset(
            game_state={"rules": str(self.rules)}, role_mapping=dict(enumerate(PLAYERS))
        )
        self._describe()

    def step(self, action: str) -> tuple[bool, dict[str, Any]]:
        """Parse a player's answer, and play its move.

        Returns:
            Whether the game is over, and `tttenv.text.Verdict` of the answer as a dict.
        """
        player = self.state.current_player_id
        kind = textarena.ObservationType
        self.state.add_observation(
            from_id=player, message=action, observation_type=kind.PLAYER_ACTION
        )
        found = text.verdict(self.rules, self.board, action)
        if found.cell is None:
            self.state.set_invalid_move(reason=f"no legal move: {found.reason}.")
        else:
            self.board = self.rules.play(self.board, found.cell)
            if self.rules.lost(self.board):
                self.state.set_winner(player_id=player, reason=f"{PLAYERS[player]} has won.")
            elif self.rules.over(self.board):
                self.state.set_draw(reason="The game is a draw.")
        self.state.step_info = asdict(found)
        done, info = self.state.step()
        if not done:
            self._describe()
        return done, info

    def _describe(self) -> None:
        """Send a prompt to the player to move."""
        self.state.add_observation(
            to_id=self.state.current_player_id,
            message=text.prompt(self.rules, self.board, self.notation, self.legal),
            observation_type=textarena.ObservationType.GAME_BOARD,
        )


register_with_versions(NAME, MnkGame, {"default": [LLMObservationWrapper], "-raw": []})
