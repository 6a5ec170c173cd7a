"""Supervised learning of moves: a classifier from boards to best replies.

As published, it learns one reply to each of 25 boards, and loses to random play. Its test set is
one board, whose images are in the training set and on which every legal move is optimal. The
repaired form learns all symmetry classes of the solved game in all their images, and masks illegal
moves. Its loss is that of the total probability of optimal moves: to fit equal shares of them costs
a network what it needs to be right everywhere. `holdout` holds out whole classes, so that nothing
leaks.
"""

import csv
import io
import itertools
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from learners.nets import MaskedMLP, Nets, descend, empty, lower_rate
from learners.parts import NetworkLearner, Rng
from learners.settings.supervised import PRESETS, SupervisedConfig
from learners.symmetry_classes import symmetry_classes
from tttenv.exact import require_enumerable, solve, tabulate
from tttenv.game.features import one_hot
from tttenv.game.rules import Rules
from tttenv.game.symmetry import maps
from tttenv.game.types import Boards, Probs
from tttenv.policy import Player, first_best
from tttenv.utils.untrusted import MEBIBYTE, read_bytes, shown

LONGEST = 64 * MEBIBYTE  # bytes of a CSV file
MOST_ROWS = 1_000_000  # of one
FEW = 20  # invalid rows of one that are left out; with more, the file is refused
TEST = [-1, 0, 0, 1, -1, -1, 0, 0, 1]  # the published test board


class LabelledPositions(NamedTuple):
    """Boards labelled with the moves to learn."""

    boards: Boards  # (rows, cells), seen by the side to move
    labels: Probs  # (rows, cells): the probability of each move; a row sums to one

    def select(self, rows: NDArray[Any]) -> "LabelledPositions":
        """Return the rows given by indices or a mask."""
        return LabelledPositions(self.boards[rows], self.labels[rows])

    def mapped(self, cells: NDArray[np.int64]) -> "LabelledPositions":
        """Apply a symmetry to each row: `cells[i]` of `cells` (rows, cells) to row i."""
        take = np.take_along_axis
        return LabelledPositions(take(self.boards, cells, axis=1), take(self.labels, cells, axis=1))


def solved_positions(rules: Rules) -> LabelledPositions:
    """Return one board per undecided symmetry class, labelled with its optimal moves."""
    solution = solve(rules)
    rows = symmetry_classes(rules).undecided
    optimal = solution.optimal[rows]
    labels = optimal / optimal.sum(axis=1, keepdims=True)
    return LabelledPositions(solution.positions.boards[rows], labels)


def sample_solved(rules: Rules, count: int, rng: np.random.Generator) -> LabelledPositions:
    """Sample boards (count, cells) with O to move, one per class, with one optimal move each.

    They replace the published boards if their file is missing.

    Args:
        rules: the game.
        count: how many boards, or all if there are fewer.
        rng: samples them.
    """
    boards, labels = solved_positions(rules)
    second = np.flatnonzero(rules.seat(boards) == 1)
    rows = rng.choice(second, min(count, len(second)), replace=False)
    return LabelledPositions(boards[rows], np.eye(rules.cells)[labels[rows].argmax(axis=1)])


def read_csv(rules: Rules, path: str | Path) -> tuple[LabelledPositions, list[str]]:
    """Read the valid rows of a CSV file, and describe what is wrong with the others.

    Each row is a board (1 mine, -1 theirs, 0 empty, cell by cell) and the cell of the best reply.
    It is valid if the board is reachable and the reply is an optimal move.

    Args:
        rules: the game.
        path: the file, which is untrusted.

    Returns:
        The valid rows, labelled with their replies, and a line about each invalid one.

    Raises:
        ValueError: for a file that cannot be read, has too many rows or too many invalid ones.
    """
    name = shown(path)
    try:
        text = read_bytes(Path(path), LONGEST).decode("utf-8-sig")
        lines = [
            (n, row) for n, row in enumerate(csv.reader(io.StringIO(text, newline="")), 1) if row
        ]
    except (OSError, ValueError, csv.Error) as error:
        raise ValueError(f"no moves can be read from {name}: {shown(error)}") from None
    if len(lines) > MOST_ROWS:
        raise ValueError(f"no moves can be read from {name}: it has over {MOST_ROWS:,} rows")
    good, complaints = [], []
    for number, row in lines:
        if complaint := _complaint(rules, row):
            complaints.append(f"{name}, line {number}: {shown(complaint)}")
        else:
            good.append([int(part) for part in row])
        if len(complaints) > FEW:
            raise ValueError(f"more than {FEW} rows are not valid moves: {complaints[0]}")
    if not good:
        raise ValueError(f"no row of {name} is valid; {(complaints or ['it is empty'])[0]}")
    table = np.array(good, np.int64)
    replies = np.eye(rules.cells)[table[:, -1]]
    return LabelledPositions(table[:, :-1].astype(np.int8), replies), complaints


def images(rules: Rules, rows: LabelledPositions) -> LabelledPositions:
    """Return the images (rows * maps, cells) of all rows under all symmetries."""
    every_map, count = maps(rules), len(rows.boards)
    repeated = rows.select(np.repeat(np.arange(count), len(every_map)))
    return repeated.mapped(np.tile(every_map, (count, 1)))


def published_images(
    rules: Rules, rows: LabelledPositions, count: int, rng: np.random.Generator
) -> LabelledPositions:
    """Apply two random symmetries to random rows, as published; drop the test board.

    The eight images therefore have unequal probabilities, and images of the test board remain.
    """
    first, second = maps(rules)[rng.integers(1, 6, (2, count))]
    drawn = rows.select(rng.integers(0, len(rows.boards), count))
    found = drawn.mapped(first).mapped(second)
    return found.select((found.boards != TEST).any(axis=1))


def _complaint(rules: Rules, row: list[str]) -> str | None:
    """Describe what is wrong with a row of a CSV file, or return None if it is valid."""
    try:
        *board, reply = (int(part) for part in row)
    except ValueError:
        return f"whole numbers are wanted, not {','.join(row)}"
    try:
        checked = rules.check(board)
    except ValueError as error:
        return str(error)
    if not 0 <= reply < rules.cells or checked[reply]:
        return f"reply {reply} cannot be played on {rules.format(checked)}"
    solution = solve(rules)
    at = solution.positions.index(checked)
    if not solution.optimal[at, reply]:
        best = np.flatnonzero(solution.optimal[at]).tolist()
        return f"reply {reply} on {rules.format(checked)} loses value; optimal are {best}"
    return None


class Supervised(NetworkLearner[SupervisedConfig]):
    """Supervised learner, for games small enough to enumerate.

    Source of the published form: TensorFlow Machine Learning Cookbook (2017), chapter 6.
    """

    Config = SupervisedConfig
    presets = PRESETS

    def __init__(self, config: SupervisedConfig, rules: Rules) -> None:
        require_enumerable(rules)
        if config.data == "book" and rules != Rules():
            raise ValueError(f"supervised: the cookbook's data is for 3,3,3, not {rules}")
        super().__init__(config, rules)
        self.steps = 0
        self.net = self.networks(config, rules, self.rng)["net"]
        make = torch.optim.Adam if config.optimiser == "adam" else torch.optim.SGD
        self.optimiser: torch.optim.Optimizer = make(self.net.parameters(), config.lr)
        rows, self.complaints = self._rows()
        order = self.rng.permutation(len(rows.boards))
        held = int(len(order) * config.holdout)
        self.held_out, learned = rows.boards[order[:held]], rows.select(order[held:])
        examples = images(rules, learned)
        if config.data == "book":
            examples = published_images(rules, learned, 500, self.rng)
        self.inputs = _inputs(config, examples.boards)
        self.labels = torch.as_tensor(examples.labels.astype(np.float32))
        self.legal = torch.as_tensor(examples.boards == 0)

    def step(self) -> dict[str, float]:
        """Take gradient steps on batches of examples."""
        lower_rate(self.optimiser, self.config.lr, self.steps, self.config.decay)
        self.steps += 1
        for _ in range(self.config.fits):
            size = min(self.config.batch, len(self.inputs))
            rows = torch.as_tensor(self.rng.choice(len(self.inputs), size, replace=False))
            outputs = self.net(self.inputs[rows])
            self.moves += size
            if self.config.masked:
                outputs = torch.where(self.legal[rows], outputs, -1e9)
            if self.config.targets == "any":
                labelled = outputs.masked_fill(self.labels[rows] == 0, -torch.inf)
                loss = (outputs.logsumexp(dim=1) - labelled.logsumexp(dim=1)).mean()
            else:
                loss = nn.functional.cross_entropy(outputs, self.labels[rows])
            descend(self.optimiser, loss)
        share = {"held_out": self._optimal(self.held_out)} if len(self.held_out) else {}
        return {"loss": loss.item(), **share}

    @classmethod
    def networks(cls, config: SupervisedConfig, rules: Rules, rng: Rng | None = None) -> Nets:
        """Return the classifier, as the only network."""
        require_enumerable(rules)
        return {"net": _net(config, rules.cells, rng)}

    @classmethod
    def player_of(cls, config: SupervisedConfig, rules: Rules, nets: Nets) -> Player:
        """Return a player that picks the legal cell with the highest output, the first if tied."""
        net = nets["net"]
        return tabulate(
            rules, lambda boards: first_best(_outputs(config, net, boards), boards == 0)
        )

    def parts(self) -> dict[str, Any]:
        """Return what is saved; the examples follow from the config."""
        weights = {"net": self.net}
        return {"weights": weights, "optimiser": self.optimiser, "steps": self.steps}

    def _rows(self) -> tuple[LabelledPositions, list[str]]:
        """Return the config's boards and labels, without symmetric images, and any warnings."""
        rows, complaints = solved_positions(self.rules), list[str]()
        if self.config.moves_csv:
            rows, complaints = read_csv(self.rules, self.config.moves_csv)
            said = f"{len(complaints)} of {len(complaints) + len(rows.boards)} rows are left out: "
            said += ", ".join(complaints[:1])
        elif self.config.data == "book":
            rows = sample_solved(self.rules, 25, self.rng)
            complaints = ["no moves_csv is given: 25 boards of the solver stand in for it"]
            said = complaints[0]
        if complaints:
            warnings.warn(f"supervised: {said}", stacklevel=3)
        return rows, complaints

    def _optimal(self, boards: Boards) -> float:
        """Return the fraction of boards on which the highest output is an optimal move."""
        optimal = solve(self.rules).optimal[solve(self.rules).positions.index(boards)]
        outputs = _outputs(self.config, self.net, boards)
        return float((first_best(outputs, boards == 0) * optimal).sum(axis=1).mean())


def _inputs(config: SupervisedConfig, boards: Boards) -> Tensor:
    onehot = config.net == "onehot"
    return torch.as_tensor(one_hot(boards) if onehot else boards.astype(np.float32))


def _outputs(config: SupervisedConfig, net: nn.Module, boards: Boards) -> NDArray[np.float32]:
    """Return the network's outputs (batch, cells) for boards (batch, cells)."""
    with torch.no_grad():
        return np.asarray(net(_inputs(config, boards)).cpu())


def _net(config: SupervisedConfig, cells: int, rng: np.random.Generator | None) -> nn.Module:
    if config.net == "onehot":
        return MaskedMLP(cells, config.hidden, rng)
    layers: list[nn.Module] = []
    for fan_in, fan_out in itertools.pairwise([cells, *config.hidden, cells]):
        layers += [empty(nn.Linear, fan_in, fan_out), nn.Sigmoid()]
    net = nn.Sequential(*layers[:-1])
    if rng is None:
        return net
    with torch.no_grad():
        for weight in net.parameters():
            weight.copy_(torch.as_tensor(rng.normal(size=weight.shape).astype(np.float32)))
    return net
