"""What both environments share: observations, options of reset, opponents by name, pictures."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, get_args

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import VectorEnv
from numpy.typing import NDArray

from tttenv.arrays import described
from tttenv.game import render as pictures
from tttenv.game.rules import Rules
from tttenv.kernels.board_step import observe
from tttenv.kernels.types import Boards, Cells
from tttenv.opponents import player
from tttenv.policy import Policy
from tttenv.simulator.array_pool import Recycler
from tttenv.simulator.backend import StepBuffers
from tttenv.simulator.match import Match, Seat, one_of

if TYPE_CHECKING:  # drawn by pygame-ce, which only "human" needs
    from tttenv.game.window import Window

Observation: TypeAlias = Any  # an array, or a dict of arrays for obs="dict"
OBSERVATIONS = ("onehot", "board", "dict")


class Observer:
    """Turns the games of a match into observations of one kind: "onehot", "board" or "dict".

    Args:
        rules: the game.
        obs: the kind.
        games: how many.
        copy: hand out arrays of their own each time; False: ones that the next call overwrites.

    Raises:
        ValueError: for an unknown kind.
    """

    def __init__(self, rules: Rules, obs: str, games: int = 1, copy: bool = True) -> None:
        one_of("obs", obs, OBSERVATIONS)
        self.obs, cells = obs, rules.cells
        onehot = spaces.Box(0, 1, (3 * cells,), np.float32)
        board = spaces.Box(-1, 1, (cells,), np.int8)
        mask = spaces.Box(0, 1, (cells,), np.int8)
        both = spaces.Dict({"observation": onehot, "action_mask": mask})
        kinds: dict[str, spaces.Space[Any]] = {"onehot": onehot, "board": board, "dict": both}
        self.space = kinds[obs]
        fields = [("observation", "f4", (3 * cells,)), ("action_mask", "i1", (cells,))]
        rows = {"onehot": np.dtype(("f4", (3 * cells,))), "board": np.dtype(("i1", (cells,)))}
        self.planes = Recycler((games, 3 * cells), "f4", copy).take
        self.masks = Recycler((games, cells), "i1", copy).take
        self.finals = Recycler((games,), rows.get(obs, np.dtype(fields)), copy).take
        self.rewards = Recycler((games,), "f8", copy).take
        self.over = Recycler((games,), "?", copy).take
        self.ended = np.empty(games, np.uint32)
        self.copy, self.tidy = copy, False  # tidy: `ended` tells what the next finals hold

    def look(self, match: Match) -> tuple[Observation, NDArray[np.int8]]:
        """Observations and int8 masks (games, cells) of all games, in the agent's view."""
        planes, masks = self.planes(), self.masks()
        if match.active < len(masks):  # a finished game's agent may not be the one to move
            observe(match.boards, planes, masks)
            masks[match.over] = 0
        else:
            match.observe(planes, masks)
        if self.obs == "onehot":
            return planes, masks
        if self.obs == "board":
            return match.boards, masks
        return {"observation": planes, "action_mask": masks.copy()}, masks

    def step_autoreset(
        self, match: Match, cells: Cells, rng: np.random.Generator
    ) -> tuple[StepBuffers, int]:
        """`match.step_autoreset` into arrays to hand out; returns how many games ended."""
        lap = StepBuffers(
            self.planes(),
            self.masks(),
            np.empty(len(self.ended), np.int8),
            self.over(),
            self.finals(),
            self.ended,
        )
        count = match.step_autoreset(cells, lap, not self.tidy, rng)
        self.tidy = not self.copy
        return lap, count

    def look_at_one(self, match: Match) -> tuple[Observation, NDArray[np.int8]]:
        """The observation and the mask (cells,) of a match of one game."""
        if self.obs == "onehot" and match.one is not None:
            return match.one.observe()
        observed, masks = self.look(match)
        if isinstance(observed, dict):
            return {name: values[0] for name, values in observed.items()}, masks[0]
        return observed[0], masks[0]

    def last(self, match: Match) -> Observation:
        """What the games that are over last looked like, zeros elsewhere; for a dict, rows.

        Rows are a structured array, of which `rows[i]["observation"]` is one game's.
        """
        rows, self.tidy = self.finals(), False
        if self.obs == "onehot":
            match.finals(rows)
        elif self.obs == "board":
            rows[:] = np.where(match.over[:, None], match.boards, 0)
        else:
            planes = np.empty((len(rows), 3 * match.rules.cells), np.float32)
            match.finals(planes)
            rows["observation"], rows["action_mask"] = planes, 0
        return rows

    def overwritten(self) -> list[NDArray[Any]]:
        """What `last` writes into though others may hold it: nothing with `copy`."""
        return [] if self.copy else [self.finals()]


def resolve(opponent: str | Policy | None, rules: Rules) -> Policy | None:
    """A spec turned into its player; a policy or None as it is.

    Raises:
        ValueError: for an unknown player, or something that cannot play.
    """
    if opponent is not None and not isinstance(opponent, str) and not callable(opponent):
        raise ValueError(
            f"an opponent is a player's spec, a policy or None, not {described(opponent)}"
        )
    return player(opponent, rules) if isinstance(opponent, str) else opponent


def require_open(closed: bool) -> None:
    """Let environments pass that are not closed.

    Raises:
        gymnasium.error.ClosedEnvironmentError: for others.
    """
    if closed:
        raise gymnasium.error.ClosedEnvironmentError("the environment is closed: make a new one")


def plain_seed(seed: Any) -> Any:
    """A NumPy integer as Python's own, which Gymnasium wants; anything else as it is."""
    return int(seed) if isinstance(seed, np.integer) else seed


class Start(NamedTuple):
    """How games begin: what the options of a reset ask for, found playable."""

    boards: Boards | None  # (games, cells) to go on from; None: games are dealt
    seat: Seat | None  # the agent's in dealt games; None: as the environment was made

    @classmethod
    def of(cls, match: Match, options: Any) -> "Start":
        """Read the options of a reset; nothing is changed.

        Raises:
            ValueError: for unknown options, boards that cannot be played on, or a seat that is
                none or disagrees with the board.
        """
        if options is None:
            return cls(None, None)
        if not isinstance(options, Mapping):
            raise ValueError(f"options of reset are a dict or None, not {described(options)}")
        unknown = [name for name in options if name not in ("board", "seat")]
        if unknown:
            named = ", ".join(sorted(described(name) for name in unknown))
            raise ValueError(f"options of reset are 'board' and 'seat', not {named}")
        board, seat = options.get("board"), options.get("seat")
        if board is not None:
            text = isinstance(board, str)
            return cls(
                match.checked_boards(match.rules.parse(board) if text else board, seat), None
            )
        if seat is not None:
            one_of("seat", seat, get_args(Seat))
        return cls(None, seat)

    def begin(self, match: Match, rng: np.random.Generator) -> None:
        """Start all games."""
        if self.boards is None:
            match.reset(np.ones(len(match.over), np.bool_), rng, self.seat)
        else:
            match.set_checked_boards(self.boards)


@contextmanager
def generator_kept(env: "gymnasium.Env[Any, Any] | VectorEnv[Any, Any, Any]") -> Iterator[None]:
    """A block after whose failure the environment has the generator and the seed it had before."""
    generator, seed = env._np_random, env._np_random_seed
    try:
        yield
    except BaseException:
        env._np_random, env._np_random_seed = generator, seed
        raise


def known_render_mode(render_mode: str | None, metadata: dict[str, Any]) -> str | None:
    """The same mode, if the environment has it.

    Raises:
        ValueError: if not.
    """
    if render_mode is not None:
        one_of("render_mode", render_mode, tuple(metadata["render_modes"]))
    return render_mode


def draw(match: Match, game: int, render_mode: str | None) -> Any:
    """One game's board as text or picture; a warning and None without a render mode."""
    if render_mode is None:
        gymnasium.logger.warn("render() draws nothing without a render_mode, 'ansi', say")
        return None
    show = pictures.ansi if render_mode == "ansi" else pictures.rgb
    return show(match.rules, match.board_to_move(game))


def show(match: Match, window: "Window | None", fps: float) -> "Window":
    """Show the one game of a match for a frame in its window, opened if there is none yet.

    Who closes the window lets the games go on unseen.

    Raises:
        ModuleNotFoundError: without pygame-ce.
        OSError: where there is no display.
    """
    from tttenv.game.window import Window

    window = window or Window(match.rules, f"tic-tac-toe {match.rules}")
    if window.open:
        window.show(match.board_to_move(0))
        if not window.hold(1 / fps):
            window.close()
    return window
