"""Shared parts of both environments: observations, reset options, opponents, rendering."""

import string
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, get_args

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import VectorEnv
from numpy.typing import NDArray

from tttenv.drawing import render as pictures
from tttenv.env.array_pool import ArrayPool
from tttenv.env.match import Match, Seat
from tttenv.env.step_buffers_kernel import StepBuffers
from tttenv.game.rules import Rules
from tttenv.game.types import Boards
from tttenv.players import player
from tttenv.policy import Policy
from tttenv.utils.arrays import described, one_of
from tttenv.utils.optional_dependencies import NO_WINDOW, has_window
from tttenv.utils.untrusted import shown

if TYPE_CHECKING:  # needs pygame-ce, which only "human" uses
    from tttenv.drawing.window import Window

Observation: TypeAlias = Any  # an array; for obs="dict" a dict of arrays, for "text" a str
OBSERVATIONS = ("onehot", "board", "dict")
CHARACTERS = string.ascii_letters + string.digits + string.punctuation + " \n"  # of a text
SEED_BITS = 2**16  # NumPy needs a minute for a seed of a million digits
NAMED = 5  # unknown options listed in a message


class Observer:
    """Turns the games of a match into observations of one kind: "onehot", "board" or "dict".

    Args:
        rules: the game.
        obs: the kind.
        games: the number of games.
        copy: return new arrays each time; False: arrays that the next call overwrites.

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
        view = onehot.shape if obs != "board" else board.shape
        dtype = board.dtype if obs == "board" else onehot.dtype
        self._observations = ArrayPool((games, *view), dtype, copy).take
        self._finals = ArrayPool((games, *view), dtype, copy).take
        self._masks = ArrayPool((games, cells), np.int8, copy).take
        self._over = ArrayPool((games,), np.bool_, copy).take
        self.rewards = ArrayPool((games,), np.float64, copy).take
        # Which rows of `finals` the last step has filled, where arrays are reused.
        self._stale = np.empty(0, np.bool_) if copy else np.ones(games, np.bool_)

    def buffers(self) -> StepBuffers:
        """Return output arrays for a step."""
        masks = self._masks()
        outcomes = np.empty(len(masks), np.int8)
        ended = self._over(), self._finals(), self._stale
        return StepBuffers(self._observations(), masks, outcomes, *ended)

    def handed_out(self, buffers: StepBuffers) -> None:
        """Record which rows a step has written in arrays that will be reused."""
        if self._stale.size:
            self._stale[:] = buffers.over

    def observe(self, match: Match) -> tuple[Observation, NDArray[np.int8]]:
        """Return observations and int8 masks (games, cells) of all games, in the agent's view."""
        observations, masks = self._observations(), self._masks()
        match.observe(observations, masks)
        return self.named(observations, masks), masks

    def observe_one(self, match: Match) -> tuple[Observation, NDArray[np.int8]]:
        """Return the observation and the mask (cells,) of a match of one game."""
        if self.obs == "onehot" and match.single is not None:
            return match.single.observe()
        observed, masks = self.observe(match)
        if isinstance(observed, dict):
            return {name: values[0] for name, values in observed.items()}, masks[0]
        return observed[0], masks[0]

    def named(self, observations: NDArray[Any], masks: NDArray[np.int8]) -> Observation:
        """Convert to the space's format: for obs="dict" a dict with a copy of the masks."""
        if self.obs == "dict":
            return {"observation": observations, "action_mask": masks.copy()}
        return observations

    def named_finals(self, finals: NDArray[Any]) -> Observation:
        """Convert final observations for infos: for obs="dict" to a structured array.

        `rows[i]["observation"]` is one game's observation; the masks are zeros.
        """
        if self.obs != "dict":
            return finals
        size = finals.shape[1]
        fields = [("observation", "f4", (size,)), ("action_mask", "i1", (size // 3,))]
        rows = np.zeros(len(finals), fields)
        rows["observation"] = finals
        return rows


class TextObserver:
    """Describes a match of one game in English, as the prompt for a language model."""

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


def resolve_opponent(opponent: str | Policy | None, rules: Rules) -> Policy | None:
    """Make a spec's player; return a policy or None unchanged.

    Raises:
        ValueError: for an unknown player, or an object that cannot play.
    """
    if opponent is not None and not isinstance(opponent, str) and not callable(opponent):
        raise ValueError(
            f"an opponent is a player's spec, a policy or None, not {described(opponent)}"
        )
    return player(opponent, rules) if isinstance(opponent, str) else opponent


def require_open(closed: bool) -> None:
    """Raise gymnasium.error.ClosedEnvironmentError if an environment is closed."""
    if closed:
        raise gymnasium.error.ClosedEnvironmentError("the environment is closed: make a new one")


def plain_seed(seed: Any) -> Any:
    """Convert a NumPy integer to `int`, which Gymnasium requires; return anything else unchanged.

    Raises:
        gymnasium.error.Error: for an integer too long to seed a generator in reasonable time.
    """
    if isinstance(seed, int) and seed.bit_length() > SEED_BITS:
        raise gymnasium.error.Error(f"a seed has at most {SEED_BITS:,} bits")
    return int(seed) if isinstance(seed, np.integer) else seed


def one_seed(seed: Any, games: int) -> Any:
    """The one seed of a batch of games: a list of seeds, one for each game, becomes one number.

    Raises:
        ValueError: for a list of another length, or of anything but integers from 0 on and None.
        gymnasium.error.Error: as `plain_seed`.
    """
    if not isinstance(seed, list | tuple):
        return plain_seed(seed)
    if len(seed) != games:
        raise ValueError(f"{games} seeds are needed, one for each game, not {len(seed)}")
    seeds = [plain_seed(one) for one in seed]
    if all(one is None for one in seeds):
        return None
    if not all(isinstance(one, int) and one >= 0 for one in seeds):
        raise ValueError("seeds are integers from 0 on")
    state = np.random.SeedSequence(seeds).generate_state(2, np.uint64)
    return int(state[0]) << 64 | int(state[1])


def reset_mask(options: Any, games: int) -> NDArray[np.bool_] | None:
    """The option `reset_mask` of a reset, (games,) with at least one True; None if not given.

    Raises:
        ValueError: for any other value, or a board beside it.
    """
    if not isinstance(options, Mapping) or options.get("reset_mask") is None:
        return None
    mask = options["reset_mask"]
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (games,):
        raise ValueError(f"reset_mask is a NumPy array of {games} booleans, not {described(mask)}")
    if not mask.any():
        raise ValueError("reset_mask has no True")
    if options.get("board") is not None:
        raise ValueError("reset_mask goes with 'seat', not with 'board'")
    return mask


class Start(NamedTuple):
    """How games start: the validated options of a reset."""

    boards: Boards | None  # (games, cells) to continue from; None: new games
    seat: Seat | None  # the agent's in new games; None: the environment's setting

    @classmethod
    def of(cls, match: Match, options: Any) -> "Start":
        """Validate the options of a reset; nothing is changed.

        Raises:
            ValueError: for unknown options, boards that cannot be played on, or a seat that is
                unknown or disagrees with the board.
        """
        if options is None:
            return cls(None, None)
        if not isinstance(options, Mapping):
            raise ValueError(f"options of reset are a dict or None, not {described(options)}")
        unknown = [name for name in options if name not in ("board", "seat")]
        if unknown:
            named = shown(", ".join(sorted(described(name) for name in unknown[:NAMED])))
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
    """Restore the environment's generator and seed if the block fails."""
    generator, seed = env._np_random, env._np_random_seed
    try:
        yield
    except BaseException:
        env._np_random, env._np_random_seed = generator, seed
        raise


def known_render_mode(render_mode: str | None, metadata: dict[str, Any]) -> str | None:
    """Return the mode if the environment supports it.

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
    """Return an empty record of last stones, for all games."""
    return defaultdict(pictures.LastStone)


def draw(match: Match, game: int, render_mode: str | None, last: LastStones) -> Any:
    """Render one game's board as text or image; warn and return None without a render mode."""
    if render_mode is None:
        gymnasium.logger.warn("render() draws nothing without a render_mode, 'ansi', say")
        return None
    rules, board = match.rules, match.board_to_move(game)
    if render_mode == "ansi":
        return pictures.ansi(rules, board)
    return pictures.rgb(rules, board, last=last[game].of(rules, board))


def show(match: Match, window: "Window | None", fps: float, last: LastStones) -> "Window":
    """Show a match's single game for one frame, opening a window if there is none yet.

    Without a display it is drawn offscreen. If the user closes the window, the games continue
    without it.

    Raises:
        ModuleNotFoundError: without pygame-ce.
    """
    from tttenv.drawing.window import Window

    window = window or Window(match.rules, f"tic-tac-toe {match.rules}")
    if window.open:
        board = match.board_to_move(0)
        window.show(board, last=last[0].of(match.rules, board))
        if not window.hold(1 / fps):
            window.close()
    return window
