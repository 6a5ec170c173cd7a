"""Networks, and the only code that turns a network into a player."""

import contextlib
import copy
import itertools
import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from tttenv.exact import enumerable, tabulate
from tttenv.game.features import one_hot
from tttenv.game.rules import Rules
from tttenv.game.types import Boards, Probs
from tttenv.policy import BATCH, PURE, FunctionPlayer, Player, first_best
from tttenv.utils.untrusted import first_line, shown

Nets = Mapping[str, nn.Module]  # by name
Task = TypeVar("Task")
Found = TypeVar("Found")
Layer = TypeVar("Layer", bound=nn.Module)
Outputs = NDArray[np.float32] | NDArray[np.float64]


class MaskedMLP(nn.Module):
    """Multilayer perceptron that maps one-hot boards to one number per cell.

    Args:
        cells: the number of cells; the input has 3 * cells numbers, the output `cells`.
        hidden: the widths of the hidden layers, each followed by a ReLU.
        rng: samples the initial weights (Glorot and Bengio, 2010, uniform); biases are zero. None
            leaves the weights uninitialised, to be loaded from a file.
    """

    def __init__(self, cells: int, hidden: Sequence[int], rng: np.random.Generator | None) -> None:
        super().__init__()
        if any(width < 1 for width in hidden):
            raise ValueError(
                f"hidden layers must be at least 1 wide, not {shown(tuple(hidden), 80)}"
            )
        widths = [3 * cells, *hidden, cells]
        layers: list[nn.Module] = []
        for fan_in, fan_out in itertools.pairwise(widths):
            layers += [_linear(fan_in, fan_out, rng), nn.ReLU()]
        self.layers = nn.Sequential(*layers[:-1])

    def forward(self, planes: Tensor) -> Tensor:
        """Map planes (batch, 3 * cells) to one number per cell (batch, cells), legal or not."""
        values: Tensor = self.layers(planes)
        return values


def empty(kind: type[Layer], *sizes: int, **options: int) -> Layer:
    """Return an uninitialised layer on the current device; no random numbers are drawn."""
    make: Any = nn.utils.skip_init  # torch leaves it untyped
    layer: Layer = make(kind, *sizes, **options, device=torch.get_default_device())
    return layer


def draw_weights(layer: Any, spread: float, rng: np.random.Generator) -> None:
    """Sample the weights of a layer from a normal distribution; biases become zero."""
    drawn = rng.standard_normal(tuple(layer.weight.shape), np.float32) * np.float32(spread)
    with torch.no_grad():
        layer.weight.copy_(torch.as_tensor(drawn))
        if not isinstance(layer, nn.Embedding):
            layer.bias.zero_()


def _linear(fan_in: int, fan_out: int, rng: np.random.Generator | None) -> nn.Linear:
    layer = empty(nn.Linear, fan_in, fan_out)
    if rng is None:
        return layer
    bound = math.sqrt(6 / (fan_in + fan_out))
    with torch.no_grad():
        drawn = rng.uniform(-bound, bound, (fan_out, fan_in)).astype(np.float32)
        layer.weight.copy_(torch.as_tensor(drawn))
        layer.bias.zero_()
    return layer


def descend(optimiser: torch.optim.Optimizer, loss: Tensor) -> None:
    """Take a gradient step."""
    optimiser.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]  # torch's own
    optimiser.step()


def lower_rate(optimiser: torch.optim.Optimizer, lr: float, step: int, halved: int) -> None:
    """Set the learning rate to lr / (1 + step / halved), or to lr if `halved` is 0.

    Args:
        optimiser: the optimiser, all of whose groups are set.
        lr: the initial learning rate.
        step: the steps taken so far.
        halved: the steps until it has halved.
    """
    for group in optimiser.param_groups:
        group["lr"] = lr / (1 + step / halved) if halved else lr


def move_average(average: nn.Module, net: nn.Module, share: float) -> None:
    """Move the weights of an average by a share of the way towards those of a network.

    Args:
        average: the network that is changed.
        net: a network of the same shape.
        share: between 0 (no move) and 1 (a copy).
    """
    with torch.no_grad():
        for mean, weight in zip(average.parameters(), net.parameters(), strict=True):
            mean.lerp_(weight, share)


def planes(boards: Boards) -> Tensor:
    """Convert boards (batch, cells) to one-hot planes (batch, 3 * cells) on the current device."""
    return torch.as_tensor(one_hot(boards))


def greedy_player(rules: Rules, nets: Sequence[nn.Module]) -> Player:
    """Return a frozen player that picks the legal cell with the highest output.

    Outputs that differ from the highest by no more than rounding are ties, and the first cell is
    picked, so that the same weights make the same moves on another CPU; see
    `tttenv.policy.first_best`. If the game can be enumerated, the nets, one for both seats or one
    for X and one for O, are evaluated once on all positions, in their own precision, and a
    checkpoint stores these moves. Otherwise a certificate may query millions of boards, and the
    nets are evaluated in float64, where rounding hardly ever matters.

    Args:
        rules: the game.
        nets: one network for both seats, or one for X and one for O; they are copied.
    """
    frozen = copy.deepcopy(list(nets))
    if not enumerable(rules):
        frozen = [net.double() if has_float64(net) else net for net in frozen]

    def play(boards: Boards) -> Probs:
        blocks = [boards[at : at + BATCH] for at in range(0, len(boards), BATCH)]
        chosen = [first_best(evaluate(rules, frozen, block), block == 0) for block in blocks]
        return np.concatenate(chosen) if chosen else np.zeros(boards.shape)

    return tabulate(rules, play) if enumerable(rules) else FunctionPlayer(rules, play, PURE)


def evaluate(rules: Rules, nets: Sequence[nn.Module], boards: Boards) -> Outputs:
    """Evaluate boards, each by the network of the seat that is to move.

    Args:
        rules: the game.
        nets: one network for both seats, or one for X and one for O.
        boards: (batch, cells), seen by the side to move.

    Returns:
        The outputs (batch, cells) in the networks' own precision, of taken cells too.
    """
    precision = next(nets[0].parameters()).dtype
    values = np.empty(boards.shape, np.float64 if precision == torch.float64 else np.float32)
    seats = rules.seat(boards) % len(nets)
    with torch.no_grad():
        for seat, net in enumerate(nets):
            rows = seats == seat
            if rows.any():
                values[rows] = net(planes(boards[rows]).to(precision)).cpu().numpy()
    return values


def has_float64(net: nn.Module) -> bool:
    """Return whether a net's device supports float64, which Apple's GPUs ("mps") do not."""
    return all(weight.device.type != "mps" for weight in net.parameters())


def nets_of(make: Callable[[], Nets], weights: dict[str, Tensor]) -> Nets:
    """Create networks from their weights, on the current device.

    Args:
        make: creates the networks; called with the meta device as the current one.
        weights: tensors named as in `weights_of`, which become those of the networks.

    Raises:
        RuntimeError: for weights of other names or shapes.
    """
    with torch.device("meta"):
        nets = make()
    nn.ModuleDict(nets).load_state_dict(weights, assign=True)
    return nets


def weights_of(nets: Nets) -> dict[str, Tensor]:
    """Return copies of all weights, named by network and parameter: "net.layers.0.weight"."""
    return {name: tensor.clone() for name, tensor in nn.ModuleDict(nets).state_dict().items()}


def load_weights(nets: Nets, weights: dict[str, Tensor]) -> None:
    """Copy weights, named as in `weights_of`, into networks."""
    nn.ModuleDict(nets).load_state_dict(weights)


@contextlib.contextmanager
def computing_on(device: str) -> Iterator[None]:
    """Create tensors on a device, such as "cuda:1", within this block, and compute reproducibly.

    By default, PyTorch rounds the inputs of convolutions on recent NVIDIA GPUs to 10 bits (TF32),
    and adds some numbers in whatever order the GPU's threads finish. Within this block,
    convolutions are as precise as on the CPU, and the same program gives the same result on the
    same GPU.

    Raises:
        ValueError: for a device that is unknown or not there.
    """
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # read when cuBLAS is first used
    try:
        torch.empty(1, device=device).cpu()
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise ValueError(f"device {device!r} is not available: {first_line(error)}") from None
    with contextlib.ExitStack() as stack:
        if torch.device(device).type == "cuda":
            cudnn = torch.backends.cudnn
            stack.enter_context(cudnn.flags(enabled=True, deterministic=True, allow_tf32=False))
            stack.callback(
                torch.use_deterministic_algorithms,
                torch.are_deterministic_algorithms_enabled(),
                warn_only=torch.is_deterministic_algorithms_warn_only_enabled(),
            )
            torch.use_deterministic_algorithms(True)
        stack.enter_context(torch.device(device))
        yield


def on_one_thread(work: Callable[[], Found]) -> Found:
    """Return what a function returns on one torch thread."""
    found: list[Found] = []
    on_threads(lambda _, task: found.append(task()), [work], 1)
    return found[0]


def on_threads(work: Callable[[int, Task], None], tasks: list[Task], most: int) -> None:
    """Call `work(worker, task)` for every task, each worker on one torch thread.

    There are as many workers as torch has threads, at most `most`. Threads that compute a layer
    together wait for each other after it, and the layers of a small network are short: as soon as
    another process needs a core, this takes many times longer than a single thread.

    If a task raises an exception, or the caller is interrupted, `tasks` is emptied: no further one
    is started, and a long one can see that it should end.
    """
    threads = torch.get_num_threads()
    workers = max(1, min(threads, most))
    if threads == 1:
        for task in tasks:
            work(0, task)
        return
    shared = iter(tasks)  # ends as soon as the list is cleared

    def run(worker: int) -> None:
        try:
            for task in shared:
                work(worker, task)
        except BaseException:
            tasks.clear()
            raise

    torch.set_num_threads(1)
    try:
        with ThreadPoolExecutor(workers, initializer=torch.set_num_threads, initargs=(1,)) as pool:
            try:
                list(pool.map(run, range(workers)))
            except BaseException:
                tasks.clear()  # before the workers are joined
                raise
    finally:
        torch.set_num_threads(threads)
