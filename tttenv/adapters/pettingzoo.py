"""Adapter to PettingZoo: the two sides as alternating agents, with action masks."""

from typing import Any, Literal

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from tttenv.adapters import wanted
from tttenv.env.env import TicTacToe
from tttenv.env.match import Illegal
from tttenv.game.outcomes_kernel import GOING, ILLEGAL, SEEN_BY_OTHER
from tttenv.game.types import Boards
from tttenv.policy import OBSERVATIONS
from tttenv.utils.arrays import described, one_of

with wanted("pettingzoo"):
    import pettingzoo
    from pettingzoo.utils import wrappers

AGENTS = ["player_1", "player_2"]  # X, which moves first, and O: PettingZoo's own names


class raw_env(pettingzoo.AECEnv):  # noqa: N801  # PettingZoo's name
    """m,n,k-games for two agents, "player_1" (X, which moves first) and "player_2" (O).

    Actions are cells, numbered row by row from the top left. An observation is a dict of
    `observation`, the board in that agent's view, and `action_mask`, int8 (m * n,): the legal cells
    for the agent to move, all zeros for the other and when the game is over. Rewards come only at
    the end of a game: 1 for the winner and -1 for the loser, or `draw` for both, so the game is
    general-sum if that is not 0. The environment is deterministic.

    Args:
        m: rows, 1 to 19.
        n: columns, 1 to 19.
        k: in a row to win, 2 to the longer side.
        obs: "onehot", float32 (3 * m * n,): mine, theirs, empty; or "board", int8 (m * n,).
        illegal: "lose": playing an occupied cell ends the game, -1 for its player and 0 for the
            other; "raise": `ValueError`, nothing changes.
        render_mode: None, "ansi", "rgb_array", or "human", which prints every board as text.
        draw: each agent's reward for a draw, from -1 to 1.
    """

    metadata: dict[str, Any] = {
        "name": "tictactoe_v3",  # under unknown names api_test warns about masks in observations
        "render_modes": ["human", "ansi", "rgb_array"],
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(
        self,
        m: int = 3,
        n: int = 3,
        k: int = 3,
        obs: Literal["onehot", "board"] = "onehot",
        illegal: Illegal = "lose",
        render_mode: str | None = None,
        draw: float = 0.0,
    ) -> None:
        one_of("obs", obs, ("onehot", "board"))
        self.obs, self.render_mode = obs, render_mode
        drawn = "ansi" if render_mode == "human" else render_mode
        self.game = TicTacToe(m, n, k, None, "random", illegal, obs, drawn, draw)
        self.rules, self.possible_agents = self.game.rules, AGENTS[:]
        mask = spaces.Box(0, 1, (self.rules.cells,), np.int8)
        both = {"observation": self.game.observation_space, "action_mask": mask}
        self.observation_spaces = {agent: spaces.Dict(both) for agent in AGENTS}
        self.action_spaces = {agent: spaces.Discrete(self.rules.cells) for agent in AGENTS}
        self.state_space = spaces.Box(-1, 1, (self.rules.cells,), np.int8)
        self.agent_selection = ""
        self.terminations: dict[str, bool] = {}
        self.truncations: dict[str, bool] = {}

    def observation_space(self, agent: str) -> Any:
        """Return the space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return the action space of an agent: the cells."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a game on an empty board, or on the undecided `options["board"]`.

        Args:
            seed: ignored, as nothing is random.
            options: "board", in the view of the side to move (cells,), or a text like "OOX_X____";
                others are ignored, as PettingZoo's tests require.

        Raises:
            ValueError: for a board that is finished or cannot be reached.
        """
        if not isinstance(options, dict | None):
            raise ValueError(f"options must be a dict or None, not {described(options)}")
        board = {"board": options["board"]} if options and "board" in options else None
        self.game.reset(options=board)
        self.agents = AGENTS[:]
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
        self.agent_selection = AGENTS[int(self.rules.seat(self.board))]
        self._show()

    def step(self, action: int | None) -> None:
        """Play the current agent's move; a refused one changes nothing.

        Args:
            action: a cell; None for an agent whose game is over.

        Raises:
            ValueError: for no cell, and for an occupied one with `illegal="raise"`.
            gymnasium.error.ResetNeeded: before the first reset, and after the last agent's None.
        """
        mover: str = self.agent_selection
        if self.terminations.get(mover) or self.truncations.get(mover):
            self._was_dead_step(action)
            return
        move: Any = action  # which it checks
        _, _, over, _, info = self.game.step(move)
        other = AGENTS[mover == AGENTS[0]]
        outcome, pay = info.get("outcome", GOING), self.game.match.payoffs.each
        # An illegal move is not a win for the other agent: its reward is 0, as in mid-game.
        others = GOING if outcome == ILLEGAL else SEEN_BY_OTHER[outcome]
        self._cumulative_rewards[mover] = 0.0
        self.rewards = {mover: pay[outcome], other: pay[others]}
        self._accumulate_rewards()
        self.terminations = dict.fromkeys(AGENTS, over)
        self.agent_selection = other
        self._show()

    @property
    def board(self) -> Boards:
        """A copy of the board (cells,) from the mover's perspective, even if the game is over."""
        return self.game.match.games.board_to_move(0)

    def state(self) -> Boards:
        """Return the board, int8 (m * n,): 1 for X, -1 for O, regardless of the side to move."""
        return self._seen_by(AGENTS[0])

    def observe(self, agent: str) -> dict[str, NDArray[Any]]:
        """Return the board from the perspective of `agent`, and its action mask."""
        board, mask = self._seen_by(agent), np.zeros(self.rules.cells, np.int8)
        if agent == self.agent_selection and not self.terminations.get(agent, True):
            mask[board == 0] = 1
        return {"observation": OBSERVATIONS[self.obs](board), "action_mask": mask}

    def render(self) -> Any:
        """Return the board as text ("ansi") or image ("rgb_array"); "human" prints it as text."""
        shown = self.game.render()
        return print(shown) if self.render_mode == "human" else shown

    def close(self) -> None:
        """Do nothing, since there is nothing to close; PettingZoo's tests require the method."""

    def _seen_by(self, agent: str) -> Boards:
        return self.board * (1 if AGENTS[int(self.rules.seat(self.board))] == agent else -1)

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()


def env(**kwargs: Any) -> Any:
    """Return the environment with PettingZoo's usual wrappers; arguments as in `raw_env`.

    An illegal move terminates and truncates the game, unless it raises.
    """
    game: Any = raw_env(**kwargs)
    if game.game.match.illegal == "lose":
        game = wrappers.TerminateIllegalWrapper(game, illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(game))


pettingzoo.register("aec", "tttenv/TicTacToe-v0", entry_point=env)
