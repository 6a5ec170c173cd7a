"""Networks, and the one place where a network becomes a player."""

import copy
import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from tttenv.exact import enumerable, tabulate
from tttenv.features import one_hot
from tttenv.policy import Policy, greedy
from tttenv.rules import Rules
from tttenv.types import Boards, Probs


class MaskedMLP(nn.Module):
    """A multilayer perceptron from one-hot boards to a number for each cell.

    Args:
        cells: of the board; the input has 3 * cells numbers, the output `cells`.
        hidden: the widths of the hidden layers, each followed by a ReLU.
        rng: draws the first weights (Glorot and Bengio, 2010, uniform); biases start at zero.
    """

    def __init__(self, cells: int, hidden: Sequence[int], rng: np.random.Generator) -> None:
        super().__init__()
        if any(width < 1 for width in hidden):
            raise ValueError(f"hidden layers are at least 1 wide, not {tuple(hidden)}")
        widths = [3 * cells, *hidden, cells]
        layers: list[nn.Module] = []
        for fan_in, fan_out in itertools.pairwise(widths):
            layers += [_linear(fan_in, fan_out, rng), nn.ReLU()]
        self.layers = nn.Sequential(*layers[:-1])

    def forward(self, planes: Tensor) -> Tensor:
        """Planes (batch, 3 * cells) to one number a cell (batch, cells), legal or not."""
        values: Tensor = self.layers(planes)
        return values


def _linear(fan_in: int, fan_out: int, rng: np.random.Generator) -> nn.Linear:
    device = torch.get_default_device()  # left empty first, as torch would roll global dice
    make: Any = nn.utils.skip_init  # torch leaves it untyped
    layer: nn.Linear = make(nn.Linear, fan_in, fan_out, device=device)
    bound = math.sqrt(6 / (fan_in + fan_out))
    with torch.no_grad():
        drawn = rng.uniform(-bound, bound, (fan_out, fan_in)).astype(np.float32)
        layer.weight.copy_(torch.as_tensor(drawn))
        layer.bias.zero_()
    return layer


def planes(boards: Boards) -> Tensor:
    """Boards (batch, cells) as one-hot planes (batch, 3 * cells) on the current device."""
    return torch.as_tensor(one_hot(boards))


def greedy_player(rules: Rules, nets: Sequence[nn.Module]) -> Policy:
    """The player that takes the legal cell with the highest output; a frozen snapshot.

    Args:
        rules: where they can be enumerated, the nets are asked once about all positions.
        nets: one for both seats, or one for X and one for O.
    """
    frozen = copy.deepcopy(list(nets))

    def play(boards: Boards) -> Probs:
        return greedy(evaluate(rules, frozen, boards), boards == 0)

    return tabulate(rules, play) if enumerable(rules) else play


def evaluate(rules: Rules, nets: Sequence[nn.Module], boards: Boards) -> NDArray[np.float32]:
    """The outputs (batch, cells) for boards (batch, cells), each from the net of its seat."""
    values = np.empty(boards.shape, np.float32)
    seats = rules.seat(boards) % len(nets)
    with torch.no_grad():
        for seat, net in enumerate(nets):
            rows = seats == seat
            if rows.any():
                values[rows] = net(planes(boards[rows])).cpu().numpy()
    return values


def weights_of(nets: dict[str, nn.Module]) -> dict[str, Tensor]:
    """Copies of all weights of the nets, each named by its net and itself."""
    return {
        f"{name}.{weight}": tensor.clone()
        for name, net in nets.items()
        for weight, tensor in net.state_dict().items()
    }


def load_weights(nets: dict[str, nn.Module], weights: dict[str, Tensor]) -> None:
    """Put what `weights_of` gave back into the nets."""
    for name, net in nets.items():
        start = f"{name}."
        own = {key[len(start) :]: t for key, t in weights.items() if key.startswith(start)}
        net.load_state_dict(own)
