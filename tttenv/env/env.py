"""TicTacToe-v0 for one game: a thin Gymnasium skin over `match.Match`."""

from typing import TYPE_CHECKING, Any, SupportsFloat

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from tttenv.env.match import Illegal, Match, Seat, one_action
from tttenv.env.observation import (
    Observation,
    Observer,
    Start,
    draw,
    generator_kept,
    known_render_mode,
    new_last_stones,
    plain_seed,
    require_open,
    resolve_opponent,
    show,
)
from tttenv.game.rules import Rules
from tttenv.game.types import Boards
from tttenv.policy import Policy
from tttenv.utils.optional_dependencies import has_window

if TYPE_CHECKING:  # drawn by pygame-ce, which only "human" needs
    from tttenv.drawing.window import Window

QUICK = (int, np.int64)  # kinds of action that need no conversion


KEYBOARD = ("1234567890", "qwertyuiop", "asdfghjkl;", "zxcvbnm,./")


class TicTacToe(gymnasium.Env[Observation, np.int64]):
    """m,n,k-games against any opponent, or against yourself.

    ## Description
    Two sides take turns to put a stone on an empty cell of a board with m rows and n columns; X
    opens. Who first has k or more in a row, column or diagonal wins; a full board is a draw. On
    small boards the game is solved, so an agent's strength can be certified exactly
    (`tttenv.certify`).

    ## Action Space
    `Discrete(m * n)`: the cell to play, numbered row by row from the top left. Cells already taken
    are illegal; `info["action_mask"]` (int8) and `action_masks()` (bool) say which are legal, and
    are all zeros on a finished board.

    ## Observation Space
    Always the agent's view, finished games too; with `opponent=None` the next mover's view.

    | obs | space | content |
    |-----|-------|---------|
    | "onehot" | `Box(0, 1, (3 * m * n,), float32)` | planes in a row: mine, theirs, empty |
    | "board" | `Box(-1, 1, (m * n,), int8)` | 1 mine, -1 theirs, 0 empty |
    | "dict" | `Dict` | `observation` as "onehot", and `action_mask`, int8 (m * n,) |

    ## Rewards
    +1 for a win, -1 for a loss, `draw` for a draw and 0 for every move before the end, from the
    agent's view; an illegal move pays as a loss. With `opponent=None` each reward is the mover's.
    The game is zero-sum if a draw pays 0. Otherwise it is general-sum: a draw pays both sides
    `draw`, so that with `opponent=None` the other side's reward is not the mover's times -1.

    ## Starting State
    An empty board if the agent is X; a board with the opponent's first stone if it is O.
    `reset(options={"board": ..., "seat": ...})` starts from any reachable undecided board, in the
    view of the agent, who is to move; `seat`, if given, must agree with the number of stones, and
    alone it deals this one game that seat. A board may also be a text like "OOX_X____".

    ## Episode End
    Terminated by a win, a draw or an illegal move. Never truncated.

    ## Information
    `reset` and `step` return `{"action_mask": int8 (m * n,)}`; a step that ends the game adds
    `outcome`, an int8 for the agent, with `opponent=None` for the mover, whatever is paid for it:

    | outcome | `tttenv.Outcome` | how the game ended |
    |---------|------------------|--------------------|
    | 1 | `WIN` | the agent has a line |
    | 2 | `DRAW` | the board is full |
    | 3 | `LOSS` | the opponent has a line |
    | 4 | `ILLEGAL` | the agent chose a taken cell |

    ## Arguments

    | argument | default | meaning |
    |----------|---------|---------|
    | `m` | `3` | rows, 1 to 19 |
    | `n` | `3` | columns, 1 to 19 |
    | `k` | `3` | in a row to win, 2 to the longer side |
    | `opponent` | `"random"` | a player's spec, a `Policy`, or `None`: the agent moves for both |
    | `seat` | `"random"` | "X", "O" or "random" for each episode; ignored with `opponent=None` |
    | `illegal` | `"lose"` | "lose": an illegal move loses; "raise": `ValueError`, nothing changes |
    | `obs` | `"onehot"` | "onehot", "board" or "dict" |
    | `render_mode` | `None` | "ansi", "rgb_array" or "human": a pygame window, drawn at each step |
    | `draw` | `0.0` | what a draw pays the agent, from -1 to 1 |

    `env.unwrapped.set_opponent(...)` swaps the opponent at once.

    ## Randomness
    With an opponent each step draws one 64-bit key from `np_random`. A reset after a finished game
    uses the key of the step that finished it; every other reset draws a key. A die is a number of
    splitmix64 seeded by the key, its upper 53 bits as a fraction from 0 to 1: the first for the
    opponent's stone, the second for a random seat (O from 0.5 on), the third for the opponent's
    opening. With `opponent=None` nothing is left to chance and no key is drawn.

    ## Version History
    * v0: first version.
    """

    metadata: dict[str, Any] = {
        "render_modes": ["ansi", "rgb_array", "human"],
        "render_fps": 2,
    }

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
        self.rules = Rules(m, n, k)
        other = resolve_opponent(opponent, self.rules)
        self.match = Match(self.rules, 1, other, seat, illegal, draw=draw)
        self.observer = Observer(self.rules, obs)
        self.observation_space = self.observer.space
        self.action_space = spaces.Discrete(self.rules.cells)
        self.render_mode = known_render_mode(render_mode, self.metadata)
        if not has_window():  # Gymnasium's checker tries every mode of an environment
            modes = [mode for mode in self.metadata["render_modes"] if mode != "human"]
            self.metadata = {**self.metadata, "render_modes": modes}
        self.window: Window | None = None
        self._last_stones = new_last_stones()
        self.closed = False
        self.everything = np.ones(1, np.bool_)  # a mask of the games that a reset deals

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin a game; see Starting State for `options`.

        If anything is raised, by the opponent too, the former game and `np_random` stay as they
        were.

        Raises:
            ValueError: for an unknown option or a board that cannot be played on.
            gymnasium.error.Error: for a seed that is no whole number from 0 on, or has more
                than 65,536 bits.
            gymnasium.error.ClosedEnvironmentError: after `close()`.
        """
        require_open(self.closed)
        human = self.render_mode == "human"
        if options is None and seed is None and not human and not self.match.asks:
            self.match.reset(self.everything, self.np_random)  # which cannot fail
            return self._now()
        start = Start.of(self.match, options)
        with generator_kept(self):
            super().reset(seed=plain_seed(seed))
            with self.match.attempt(self.np_random, always=human):
                if seed is not None:
                    self.match.key = None  # drawn from the former generator
                start.begin(self.match, self.np_random)
                return self._now()

    def step(
        self, action: np.int64
    ) -> tuple[Observation, SupportsFloat, bool, bool, dict[str, Any]]:
        """Play the agent's cell and the opponent's reply.

        If anything is raised, by the opponent too, nothing has changed: the same step can be tried
        again.

        Raises:
            ValueError: for an action off the board or of the wrong type, with `illegal="raise"`
                for a taken cell, and for an opponent's answer that is no move.
            gymnasium.error.ResetNeeded: if the game is over, and before the first reset.
            gymnasium.error.ClosedEnvironmentError: after `close()`.
        """
        if not self.match.active or self.closed:
            require_open(self.closed)
            raise gymnasium.error.ResetNeeded("no game is going on: call reset() before step()")
        if self.render_mode != "human":
            return self._played(action)
        with self.match.attempt(self.np_random, always=True):  # showing it takes time, and may fail
            return self._played(action)

    def _played(
        self, action: np.int64
    ) -> tuple[Observation, SupportsFloat, bool, bool, dict[str, Any]]:
        """What `step` returns, in a game that goes on."""
        if (
            type(action) in QUICK
            and 0 <= action < self.rules.cells
            and self.match.illegal == "lose"
        ):
            self.match.step_one(int(action), self.np_random)
        else:
            self.match.step(one_action(action), self.np_random)
        observed, info = self._now()
        outcome, over = self.match.outcomes[0], not self.match.active
        if over:
            info["outcome"] = outcome
        return observed, self.match.payoffs.one(outcome), over, False, info

    def sample_action(self) -> int:
        """A random legal cell, quicker than `action_space.sample(mask)`, with the space's dice.

        Raises:
            gymnasium.error.ResetNeeded: if the game is over, and before the first reset.
            gymnasium.error.ClosedEnvironmentError: after `close()`.
        """
        if not self.match.active or self.closed:
            require_open(self.closed)
            raise gymnasium.error.ResetNeeded("no game is going on: call reset() first")
        return self.match.sample_one(self.action_space.np_random)

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal cells, bool (m * n,); none on a finished board."""
        mask: NDArray[np.bool_] = self.match.legal()[0]
        return mask

    def get_keys_to_action(self) -> dict[tuple[str, ...], int]:
        """Return keys for `gymnasium.utils.play`, laid out as the cells are.

        Call `play(env, wait_on_player=True)`, since nothing happens until a move is made.

        On 3x3 they are q w e, a s d, z x c; with four rows they begin at the digits.

        Raises:
            ValueError: for a larger board.
        """
        m, n = self.rules.m, self.rules.n
        if m > len(KEYBOARD) or n > len(KEYBOARD[0]):
            raise ValueError(f"{self.rules} has more cells than a keyboard has keys in rows")
        rows = KEYBOARD[1:] if m < len(KEYBOARD) else KEYBOARD
        return {(key,): n * i + j for i in range(m) for j, key in enumerate(rows[i][:n])}

    def set_opponent(self, opponent: str | Policy | None) -> None:
        """Let `opponent` answer from now on, in the game at hand too.

        Raises:
            ValueError: for an unknown player.
        """
        self.match.opponent = resolve_opponent(opponent, self.rules)

    @property
    def board(self) -> Boards:
        """The board in the agent's view, int8 (m * n,), a copy."""
        board: Boards = self.match.boards[0]
        return board

    def render(self) -> Any:
        """The board as text ("ansi") or as a picture ("rgb_array"); "human" shows it instead.

        The picture (m * 64, n * 64, 3) of uint8 has a rim around the last stone, as far as it is
        known from the boards drawn before, and the line that won in its winner's colour. Without a
        display "human" draws offscreen.
        """
        if self.render_mode != "human":
            return draw(self.match, 0, self.render_mode, self._last_stones)
        fps = self.metadata["render_fps"]
        self.window = show(self.match, self.window, fps, self._last_stones)
        return None

    def close(self) -> None:
        """Close the window, if there is one; stepping and resetting are refused from now on."""
        self.closed = True
        if self.window:
            self.window.close()
            self.window = None

    def _now(self) -> tuple[Observation, dict[str, Any]]:
        if self.render_mode == "human":
            self.render()
        observed, mask = self.observer.observe_one(self.match)
        return observed, {"action_mask": mask}
