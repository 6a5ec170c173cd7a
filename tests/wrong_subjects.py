"""Subjects of the doctor: each with one classic mistake, and some healthy ones."""

import sys

import gymnasium
import numpy as np

from tttenv import Rules, player
from tttenv.env.env import TicTacToe
from tttenv.exact import Tabulated, positions, solve
from tttenv.game.features import one_hot
from tttenv.policy import from_observations, uniform, uniform_over

RULES = Rules()
GAME = positions(RULES)
MINIMAX, TACTICAL = player("minimax", RULES), player("tactical", RULES)


def seats(boards):
    return np.count_nonzero(boards, axis=1) % 2


def as_x_only(boards):
    """Return perfect moves as X, random ones as O."""
    return np.where(seats(boards)[:, None] == 0, MINIMAX(boards), uniform(boards))


def to_lose(boards):
    """Return the moves that lose most, as if trained on the opponent's reward."""
    solution = GAME.successors[GAME.index(boards)]
    worth = np.where(solution >= 0, solve(RULES).values[solution], -np.inf)
    return uniform_over(worth == worth.max(axis=1, keepdims=True))


def bare_softmax(boards):
    """Return a network's softmax over all cells, including occupied ones."""
    import torch

    weights = np.exp(untrained()(torch.as_tensor(one_hot(boards))).detach().double().numpy())
    return weights / weights.sum(axis=1, keepdims=True)


def untrained(seed=0, width=27):
    import torch  # slow to load, and few need it
    from torch import nn

    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(width, 64), nn.Tanh(), nn.Linear(64, 9))


def on_stones(boards):
    """Return occupied cells wherever there are some."""
    return uniform_over(
        np.where((boards != 0).any(axis=1, keepdims=True), boards != 0, boards == 0)
    )


class Dice:
    """Player that returns a sampled move instead of its probabilities."""

    def __init__(self):
        self.rng = np.random.default_rng(0)

    def __call__(self, boards):
        """Return a sampled move on each board."""
        drawn = np.where(boards == 0, self.rng.random(boards.shape), -1)
        return uniform_over(drawn == drawn.max(axis=1, keepdims=True))


dice = Dice()


class Forgetful:
    """Player that plays the first cell until it is queried on a single board."""

    asked = 0

    def __call__(self, boards):
        """Return probabilities that depend on earlier queries."""
        self.asked += len(boards) == 1
        return uniform(boards) if self.asked else np.eye(9)[(boards == 0).argmax(axis=1)]


def writing(boards):
    probs = uniform(boards)
    boards[:] = 0
    return probs


def of_the_batch(boards):
    """Return outputs normalised over the batch, as batch normalisation in training mode does."""
    scores = np.where(boards == 0, TACTICAL(boards), 0)
    scores = scores / scores.sum(axis=0).clip(1e-9) + (boards == 0) * 1e-6
    return scores / scores.sum(axis=1, keepdims=True)


def logits(boards):
    return np.where(boards == 0, 3.0, -3.0)


def ends_the_program(boards):
    sys.exit(3)


def seen_wrongly(boards):
    return TACTICAL(-boards)  # mine and theirs swapped


def learned_as_x(boards):
    """Return moves learned from X's view, also when playing as O."""
    return np.where(seats(boards)[:, None] == 0, TACTICAL(boards), TACTICAL(-boards))


def sb3_model(kind, **options):
    """Return an untrained model of Stable-Baselines3."""
    import sb3_contrib
    import stable_baselines3

    maker = getattr(stable_baselines3, kind, None) or getattr(sb3_contrib, kind)
    return maker("MlpPolicy", TicTacToe(), seed=0, **options)


def ppo():
    return sb3_model("PPO")


def maskable_ppo():
    return sb3_model("MaskablePPO")


def dead_net():
    net = untrained()
    net[2].weight.data.zero_()
    return net


class Changed(gymnasium.Wrapper):
    """Wrapper that changes the five results of a step by `change(self, told)`."""

    def __init__(self, env, change, starts=lambda self, observed, info: (observed, info)):
        super().__init__(env)
        self.change, self.starts = change, starts

    def reset(self, *, seed=None, options=None):
        """Reset with a change."""
        told = self.env.reset(seed=seed, options=options)
        self.agent = np.count_nonzero(self.unwrapped.board) % 2
        return self.starts(self, *told)

    def step(self, action):
        """Make a step with a change."""
        return self.change(self, *self.env.step(action))


plain = TicTacToe()
one_board = gymnasium.make("TicTacToe-v0", obs="board", opponent="tactical")
both_sides = TicTacToe(opponent=None)
dict_of_both = TicTacToe(m=3, n=4, k=3, obs="dict")
only_x = TicTacToe(seat="X")
unseeded = TicTacToe(opponent=Dice())
cut_short = gymnasium.wrappers.TimeLimit(TicTacToe(), 2)
paid_the_opponents = Changed(TicTacToe(), lambda self, seen, paid, *rest: (seen, -paid, *rest))
never_over = Changed(
    TicTacToe(), lambda self, observed, reward, over, *rest: (observed, reward, False, *rest)
)
trips_in_step = Changed(TicTacToe(), lambda self, *told: {}["cell"])


paid_wrongly_as_o = Changed(  # it pays +1 if X wins, whichever side the agent plays
    TicTacToe(), lambda self, seen, paid, *rest: (seen, -paid if self.agent else paid, *rest)
)
seen_by_x = Changed(  # it shows X's stones as 1, whichever side the agent plays
    TicTacToe(obs="board"),
    lambda self, seen, *rest: (-seen if self.agent else seen, *rest),
    lambda self, seen, info: (-seen if self.agent else seen, info),
)


def masked(mask):
    def starts(self, observed, info):
        self.before = info["action_mask"]
        return observed, {"action_mask": mask(self, info["action_mask"])}

    def change(self, observed, reward, over, cut, info):
        told = {"action_mask": mask(self, info["action_mask"]).copy()}
        self.before = info["action_mask"]
        return observed, reward, over, cut, told

    return Changed(TicTacToe(), change, starts)


zero_masks = masked(lambda self, mask: mask * 0)
inverted_masks = masked(lambda self, mask: 1 - mask)
late_masks = masked(lambda self, mask: self.before)


def restarted(self, observed, reward, over, cut, info):
    if over:
        observed, info = self.env.reset()
    return observed, reward, over, cut, info


resets_itself = Changed(TicTacToe(), restarted)  # in the last step, whose observation is lost


def penalized(view, cost=0.5, **options):
    """Return an environment that shows `view(board, cell, later)` after an illegal move `cell`."""

    class Penalized(gymnasium.Wrapper):
        def step(self, action):
            board = self.unwrapped.board
            if board[action] == 0:
                observed, *rest = self.env.step(action)
                return observed if self.wrong is None else view(observed, self.wrong, True), *rest
            self.wrong = action
            return view(board, action, False), 0 - cost, False, False, {}

        def reset(self, *, seed=None, options=None):
            self.wrong = None
            return self.env.reset(seed=seed, options=options)

    return Penalized(TicTacToe(obs="board", **options))


def overwritten(board, cell, later):
    board[cell] = 1
    return board


penalized_only = penalized(lambda board, cell, later: board)
free_illegal = penalized(lambda board, cell, later: board, cost=0.0)
turns_the_view = penalized(lambda board, cell, later: -board, opponent=None)
turns_the_view_of_both_later = penalized(
    lambda board, cell, later: -board if later else board, opponent=None
)
overwrites = penalized(overwritten)
outside_its_space = gymnasium.wrappers.TransformObservation(
    TicTacToe(), lambda seen: seen.astype(np.float64), TicTacToe().observation_space
)


class OldGym:
    """Environment of old Gym: no seed in reset and no info."""

    action_space = TicTacToe().action_space

    def reset(self):
        """Return nothing."""

    def step(self, action):
        """Return nothing."""


old_gym = OldGym()


class PlainWrapper(gymnasium.Wrapper):
    """Wrapper that changes nothing, and cannot be recreated from a spec."""


plain_wrapper = PlainWrapper(gymnasium.make("TicTacToe-v0"))
endless = TicTacToe()  # its observations are declared unbounded, as by many
endless.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (27,), np.float32)


def raises_a_type_error():
    return TicTacToe(size=3)


def unmade(boards):
    """Return zeros on some boards, as a table learned in play does."""
    return np.array([{}[board.tobytes()] for board in boards])


def squeezed(boards):
    """Return the output without the batch dimension for a batch of one."""
    return TACTICAL(boards).squeeze()


def healthy_function(boards):
    return TACTICAL(boards)


def over_planes(seen):
    """Return the tactical player's moves from one-hot observations."""
    planes = np.asarray(seen).reshape(-1, 3, 9)
    return TACTICAL((planes[:, 0] - planes[:, 1]).astype(np.int8))


def ready():
    return from_observations(untrained(), RULES)


table = Tabulated.uniform_over(RULES, GAME.successors >= 0)
