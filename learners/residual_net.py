"""Small residual network with policy, value and reply heads, for boards of any size.

Convolutions and pooling make no assumption about the size of the board, so weights learned on one
board can be used on another. Global pooling in every block and the head for the other side's reply
are taken from KataGo (Wu, "Accelerating self-play learning in Go", arXiv 1902.10565).
"""

import copy
import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from learners.nets import draw_weights, empty, has_float64, on_threads
from tttenv.game.line_planes_kernel import PLANES, new_plane_lines, write_line_planes
from tttenv.game.rules import Rules
from tttenv.game.types import Boards, Probs
from tttenv.players.search.gumbel import Evaluate, Floats
from tttenv.policy import PURE, TOLERANCE, FunctionPlayer, Player, first_best

THREATS = 100  # tried in a search for a win by threats that a plane shows
BATCH = 1024  # boards in one call of the network
FEW = 8  # boards from which on more than one thread pays


class Outputs(NamedTuple):
    """The network's outputs for a batch of boards."""

    policy: Tensor  # (batch, cells): logits of the moves
    results: Tensor  # (batch, 3): logits of a win, a draw and a loss for the side to move
    reply: Tensor  # (batch, cells): logits of the other side's next move


class ResidualNet(nn.Module):
    """A residual convolutional network with heads for policy, result and reply.

    Args:
        channels: the number of channels.
        blocks: the number of residual blocks.
        rng: samples the initial weights (He et al., 2015); the last layer of every block and head
            is initially zero, so that an untrained network rates all moves equally. None leaves the
            weights uninitialised, to be loaded from a file.
    """

    def __init__(self, channels: int, blocks: int, rng: np.random.Generator | None) -> None:
        super().__init__()
        self.first = _conv(PLANES, channels, 3)
        self.blocks = nn.ModuleList(_Block(channels) for _ in range(blocks))
        self.last = _conv(channels, channels, 1)
        self.last_pooled = empty(nn.Linear, 2 * channels, channels)
        self.moves = _conv(channels, 2, 1)  # the policy and the reply
        self.hidden = empty(nn.Linear, 2 * channels, channels)
        self.results = empty(nn.Linear, channels, 3)
        zero = [self.moves, self.results, *(block.second for block in self.blocks)]
        for layer in self.modules():
            if rng is not None and isinstance(layer, nn.Conv2d | nn.Linear):
                fan_in = math.prod(layer.weight.shape[1:])
                draw_weights(layer, 0.0 if layer in zero else math.sqrt(2 / fan_in), rng)
        self.to(memory_format=torch.channels_last)  # type: ignore[call-overload]  # torch leaves it untyped

    def forward(self, planes: Tensor) -> Outputs:
        """Return the outputs for planes (batch, PLANES, m, n)."""
        x = torch.relu(self.first(planes))
        for block in self.blocks:
            x = block(x)
        pooled = _pooled(x)
        heads = torch.relu(self.last(x) + self.last_pooled(pooled)[:, :, None, None])
        moves = self.moves(heads).flatten(2)
        results = self.results(torch.relu(self.hidden(pooled)))
        return Outputs(moves[:, 0], results, moves[:, 1])


class _Block(nn.Module):
    """Residual block of two convolutions, the first of which also sees pooled features."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first = _conv(channels, channels, 3)
        self.pooled = empty(nn.Linear, 2 * channels, channels)
        self.second = _conv(channels, channels, 3)

    def forward(self, x: Tensor) -> Tensor:
        y = self.first(x) + self.pooled(_pooled(x))[:, :, None, None]
        return torch.relu(x + self.second(torch.relu(y)))


def _pooled(x: Tensor) -> Tensor:
    """Return the mean and maximum of every channel over the board (batch, 2 * channels)."""
    return torch.cat([x.mean(dim=(2, 3)), x.amax(dim=(2, 3))], dim=1)


def _conv(before: int, after: int, size: int) -> nn.Conv2d:
    return empty(nn.Conv2d, before, after, size, padding=size // 2)


def planes_of(rules: Rules) -> Callable[[Boards], Tensor]:
    """Return a function that maps boards (batch, cells) to planes (batch, PLANES, m, n)."""
    about = new_plane_lines(rules, THREATS)

    def planes(boards: Boards) -> Tensor:
        found = np.zeros((len(boards), PLANES, rules.cells), np.float32)
        write_line_planes(np.ascontiguousarray(boards), about, found)
        shaped = torch.as_tensor(found.reshape(len(boards), PLANES, rules.m, rules.n))
        return shaped.contiguous(memory_format=torch.channels_last)

    return planes


def evaluator(rules: Rules, net: ResidualNet) -> Evaluate:
    """Wrap the network as a position evaluator for tree search."""
    planes = planes_of(rules)

    def evaluate(boards: Boards) -> tuple[Floats, Floats]:
        with torch.inference_mode():
            found = net(planes(boards))
            win, _, loss = found.results.softmax(dim=1).unbind(dim=1)
            values = win - loss
            return found.policy.cpu().numpy(), values.cpu().numpy()

    return evaluate


def for_search(evaluate: Evaluate) -> Evaluate:
    """Wrap an evaluator to round its outputs to multiples of 2**-10, and to use few threads.

    Other batch sizes and other CPUs round the same sums differently, and a search that compares
    these numbers would occasionally take another path. Fewer than `FEW` boards are evaluated by one
    torch thread: more gain little, and where other programs use the cores, waiting for each other
    takes them many times as long.
    """

    def evaluate_rounded(boards: Boards) -> tuple[Floats, Floats]:
        threads = torch.get_num_threads()
        if few := threads > 1 and len(boards) < FEW:
            torch.set_num_threads(1)
        try:
            logits, values = evaluate(boards)
        finally:
            if few:
                torch.set_num_threads(threads)
        return _rounded(logits), _rounded(values)

    return evaluate_rounded


def _rounded(numbers: Floats) -> Floats:
    return np.asarray(np.round(numbers * 1024) / 1024, np.float32)


def likeliest_move(rules: Rules, net: ResidualNet) -> Player:
    """Return a frozen player that picks the legal cell with the highest logit.

    The moves are those of the network in float64, where rounding hardly ever matters (see
    `tttenv.policy.first_best`), but only boards on which float32 might choose another move are
    computed in float64, since that takes many times longer.
    """
    single = copy.deepcopy(net).eval()
    exact = has_float64(single)
    double = copy.deepcopy(single).double() if exact else single
    planes: list[Callable[[Boards], Tensor]] = []  # one a worker: each has working memory

    def logits(boards: Boards, in_double: bool, worker: int) -> NDArray[np.float64]:
        seen = planes[worker](boards)
        with torch.inference_mode():
            found = double(seen.double()) if in_double else single(seen)
        return np.asarray(found.policy.double().cpu().numpy())

    def moves(boards: Boards, worker: int) -> Probs:
        legal = boards == 0
        values = logits(boards, False, worker)
        narrow, wide = (first_best(values, legal, part * TOLERANCE) for part in (0.5, 2.0))
        doubtful = np.flatnonzero((narrow != wide).any(axis=1))
        if len(doubtful) and exact:
            values[doubtful] = logits(boards[doubtful], True, worker)
        return first_best(values, legal)

    def play(boards: Boards) -> Probs:
        probs = np.zeros(boards.shape)

        def work(worker: int, at: int) -> None:
            probs[at : at + BATCH] = moves(boards[at : at + BATCH], worker)

        blocks = list(range(0, len(boards), BATCH))
        most = len(blocks) if single.moves.weight.device.type == "cpu" else 1
        while len(planes) < max(1, min(most, torch.get_num_threads())):
            planes.append(planes_of(rules))
        on_threads(work, blocks, most)
        return probs

    return FunctionPlayer(rules, play, PURE)
