"""`TicTacToe-v0` for a single game: a thin Gymnasium environment around `match.Match`."""

from typing import TYPE_CHECKING, Any, SupportsFloat

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from tttenv.env.arguments import (
    Start,
    generator_kept,
    one_action,
    plain_seed,
    require_game,
    resolve_opponent,
)
from tttenv.env.match import Illegal, Match, Seat
from tttenv.env.observation import (
    LastStones,
    Observation,
    Observer,
    TextObserver,
    draw,
    known_render_mode,
)
from tttenv.game.rules import Rules
from tttenv.game.types import Boards
from tttenv.policy import OBSERVATIONS, Policy
from tttenv.utils.arrays import one_of
from tttenv.utils.optional_dependencies import has_window

if TYPE_CHECKING:  # needs pygame-ce, which only "human" uses
    from tttenv.drawing.window import Window

QUICK = (int, np.int64)  # action types that need no conversion


class TicTacToe(gymnasium.Env[Observation, np.int64]):
    """m,n,k-games against an opponent or in self-play.

    ## Description
    Two sides take turns placing a stone on an empty cell of a board with m rows and n columns; X
    moves first. The first side with k or more in a row, column or diagonal wins; a full board is a
    draw. Small boards are solved, so an agent's strength can be certified exactly
    (`tttenv.certify`).

    ## Action Space
    `Discrete(m * n)`: the cell to play, numbered row by row from the top left. Occupied cells are
    illegal. `info["action_mask"]` (int8) and `action_masks()` (bool) mark the legal cells; both are
    all zeros on a finished board.

    ## Observation Space
    The board in the agent's view, finished or not; with `opponent=None` in the next mover's view.

    | obs | space | content |
    |-----|-------|---------|
    | "onehot" | `Box(0, 1, (3 * m * n,), float32)` | three flattened planes: mine, theirs, empty |
    | "board" | `Box(-1, 1, (m * n,), int8)` | 1 mine, -1 theirs, 0 empty |
    | "dict" | `Dict` | `observation` as "onehot", and `action_mask`, int8 (m * n,) |
    | "text" | `Text` | the rules, the board and who moves, in English: see `tttenv.text` |

    ## Rewards
    For the agent: +1 for a win, -1 for a loss, `draw` for a draw and 0 for every move before the
    end; an illegal move counts as a loss. With `opponent=None` each reward is the mover's. The game
    is zero-sum if `draw` is 0. Otherwise it is general-sum: both sides receive `draw`, so with
    `opponent=None` the other side's reward is not the negative of the mover's.

    ## Starting State
    An empty board if the agent is X; a board with the opponent's first stone if it is O.
    `reset(options={"board": ..., "seat": ...})` starts from any reachable undecided board, given in
    the view of the agent, which is to move. A board may also be a text like "OOX_X____". With a
    board, `seat` must agree with the number of stones; without one, it sets the agent's seat for
    this game only.

    ## Episode End
    Terminated by a win, a draw or an illegal move. Never truncated.

    ## Information
    `reset` and `step` return `{"action_mask": int8 (m * n,)}`. The last step of a game adds
    `outcome`, an int8 for the agent (with `opponent=None` for the mover), whatever its reward:

    | outcome | `tttenv.Outcome` | how the game ended |
    |---------|------------------|--------------------|
    | 1 | `WIN` | the agent has a line |
    | 2 | `DRAW` | the board is full |
    | 3 | `LOSS` | the opponent has a line |
    | 4 | `ILLEGAL` | the agent chose an occupied cell |

    ## Arguments

    | argument | default | meaning |
    |----------|---------|---------|
    | `m` | `3` | rows, 1 to 19 |
    | `n` | `3` | columns, 1 to 19 |
    | `k` | `3` | in a row to win, 2 to the longer side |
    | `opponent` | `"random"` | a player's spec, a `Policy`, or `None`: the agent moves for both |
    | `seat` | `"random"` | "X", "O" or "random" for each episode; ignored with `opponent=None` |
    | `illegal` | `"lose"` | "lose": an illegal move loses; "raise": `ValueError`, nothing changes |
    | `obs` | `"onehot"` | "onehot", "board", "dict" or "text" |
    | `render_mode` | `None` | "ansi", "rgb_array" or "human": a pygame window, drawn at each step |
    | `draw` | `0.0` | the agent's reward for a draw, from -1 to 1 |

    `env.unwrapped.set_opponent(...)` replaces the opponent immediately; from `None` to an opponent,
    or back, it ends the game, and `reset` has to follow.

    ## Randomness
    With an opponent, each step draws one 64-bit key from `np_random`. A reset after a finished game
    reuses the key of its last step; every other reset draws a new key. The key seeds splitmix64,
    and the upper 53 bits of each of its outputs give a uniform random number in [0, 1): the first
    samples the opponent's move, the second a random seat (O if at least 0.5), the third the
    opponent's opening move. With `opponent=None` nothing is random and no key is drawn.

    ## Version History
    * v0: first version.
    """

    metadata: dict[str, Any] = {
        "render_modes": ["ansi", "rgb_array", "human"],
        "render_fps": 2,
    }
    rules_type: type[Rules] = Rules  # a subclass may play a variant of the game

    def __init__(
        self,
        m: int = 3,
        n: int = 3,
        k: int = 3,
        opponent: str | Policy | None = "random",
        seat: Seat = "random",
        illegal: Illegal = "lose",
        obs: str = "onehot",
        render_mode: str | None = None,
        draw: float = 0.0,
    ) -> None:
        self.rules = self.rules_type(m, n, k)
        other = resolve_opponent(opponent, self.rules)
        one_of("obs", obs, (*OBSERVATIONS, "text"))
        self.observer: Observer | TextObserver = (
            TextObserver(self.rules) if obs == "text" else Observer(self.rules, obs)
        )
        self.match = Match(self.rules, 1, other, seat, illegal, draw, self.observer.planes)
        self.observation_space = self.observer.space
        self.action_space = spaces.Discrete(self.rules.cells)
        self.render_mode = known_render_mode(render_mode, self.metadata)
        if not has_window():  # Gymnasium's checker tries every listed mode
            modes = [mode for mode in self.metadata["render_modes"] if mode != "human"]
            self.metadata = {**self.metadata, "render_modes": modes}
        self.window: Window | None = None
        self._last_stones: LastStones = {}
        self.everything = np.ones(1, np.bool_)  # mask of the games to reset: all of them

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start a new game.

        If an exception is raised, including by the opponent, the previous game and `np_random` are
        restored.

        Args:
            seed: of `np_random`; None: it goes on.
            options: see Starting State.

        Raises:
            ValueError: for an unknown option or a board that cannot be played on.
        """
        human = self.render_mode == "human"
        if options is None and seed is None and not human and not self.match.asks:
            self.match.reset(self.everything, self.np_random)  # this cannot fail
            return self._now()
        start = Start.of(self.match, options)
        with generator_kept(self):
            super().reset(seed=plain_seed(seed))
            with self.match.attempt(self.np_random, always=human):
                start.begin(self.match, self.np_random, seed is not None)
                return self._now()

    def step(
        self, action: np.int64
    ) -> tuple[Observation, SupportsFloat, bool, bool, dict[str, Any]]:
        """Play the agent's cell and the opponent's reply.

        If an exception is raised, including by the opponent, nothing has changed and the step can
        be retried.

        Raises:
            ValueError: for an action off the board or of the wrong type, for an occupied cell with
                `illegal="raise"`, and for an opponent that returns an invalid move.
            gymnasium.error.ResetNeeded: if the game is over or `reset` was never called.
        """
        if not self.match.active:
            require_game(closed=False, going=False)
        if self.render_mode != "human":
            return self._played(action)
        with self.match.attempt(self.np_random, always=True):  # rendering may fail
            return self._played(action)

    def _played(
        self, action: np.int64
    ) -> tuple[Observation, SupportsFloat, bool, bool, dict[str, Any]]:
        """Run `step` for a game in progress."""
        plain = type(action) in QUICK and 0 <= action < self.rules.cells
        if plain and self.match.illegal == "lose":
            self.match.step_one(int(action), self.np_random)
        else:
            self.match.step(one_action(action), self.np_random)
        observed, info = self._now()
        outcome, over = self.match.games.outcomes[0], not self.match.active
        if over:
            info["outcome"] = outcome
        return observed, self.match.payoffs.each[outcome], over, False, info

    def sample_action(self) -> int:
        """Sample a legal cell with the action space's generator, faster than it does."""
        if not self.match.active:
            require_game(closed=False, going=False)
        rng, single = self.action_space.np_random, self.match.single
        return int(self.match.sample(rng)[0]) if single is None else single.sample(rng.random())

    def action_masks(self) -> NDArray[np.bool_]:
        """Return the legal cells, bool (m * n,); all False on a finished board."""
        mask: NDArray[np.bool_] = self.match.legal()[0]
        return mask

    def set_opponent(self, opponent: str | Policy | None) -> None:
        """Replace the opponent from the next move on, in the current game too.

        From None to an opponent, or back, the agent's view changes: a `reset` is then needed first.
        """
        self.match.replace_opponent(resolve_opponent(opponent, self.rules))

    @property
    def board(self) -> Boards:
        """A copy of the board from the agent's perspective, int8 (m * n,)."""
        board: Boards = self.match.boards[0]
        return board

    def render(self) -> Any:
        """Return the board as text ("ansi") or image ("rgb_array"), or show it ("human").

        The image, uint8 (m * 64, n * 64, 3), outlines the last stone, if it can be inferred from
        the boards rendered before, and draws the winning line in the winner's colour. Without a
        display, "human" draws offscreen.
        """
        if self.render_mode != "human":
            return draw(self.match, 0, self.render_mode, self._last_stones)
        from tttenv.drawing.render import LastStone
        from tttenv.drawing.window import Window

        self.window = self.window or Window(self.rules, f"tic-tac-toe {self.rules}")
        if self.window.open:  # else the user has closed it, and the games go on without it
            board = self.match.games.board_to_move(0)
            last = self._last_stones.setdefault(0, LastStone())
            self.window.show(board, last=last.of(self.rules, board))
            if not self.window.hold(1 / self.metadata["render_fps"]):
                self.window.close()
        return None

    def close(self) -> None:
        """End the game, and close the window if there is one; a `reset` starts again."""
        self.match.active = 0
        if self.window:
            self.window.close()
            self.window = None

    def _now(self) -> tuple[Observation, dict[str, Any]]:
        if self.render_mode == "human":
            self.render()
        observed, mask = self.observer.observe_one(self.match)
        return observed, {"action_mask": mask}
