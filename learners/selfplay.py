"""Self-play with look-ahead targets, "Algorithm A": two masked MLPs, one per seat.

Source: the public experiment "ModelThreeDensesReluReluAdamMasked" in Keras.

In each round the nets' greedy moves on all boards are computed. The look-ahead then plays every
legal move on every board, followed by both nets' greedy moves to the end; backward induction over
the table of successors gives the results of all these games in one pass. These results determine
the targets of the nets, which are updated on batches of boards.

In the published form the target of a win grows with its speed, and the targets of draws and losses
grow with their length, so that a loss by the last stone has the target of a draw, and the second
player stays beatable. In the repaired form a loss always has a lower target than a draw, the
probability of winning against random play is part of the targets, and the nets see one board of
each symmetry class.
"""

from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from learners.nets import MaskedMLP, Nets, descend, lower_rate, planes
from learners.parts import NetworkLearner, Rng
from learners.settings.selfplay import PRESETS, SelfPlayConfig
from learners.symmetry_classes import sample_by_play, symmetry_classes
from tttenv.exact import SEATS, Positions, require_enumerable
from tttenv.game.rewards import VALUES
from tttenv.game.rules import Rules
from tttenv.game.types import Boards, Cells
from tttenv.policy import Player, first_best


class LookAhead(NamedTuple):
    """Results of each move in each position (positions, cells), for the side that makes it.

    Illegal moves have zeros.
    """

    results: NDArray[np.int8]  # 1 win, 0 draw, -1 loss, if both sides then play greedily
    plies: NDArray[np.int16]  # the plies after the move in such a game
    chances: NDArray[np.float64]  # of a win, if the other side then moves at random instead


def look_ahead(game: Positions, cells: Cells) -> LookAhead:
    """Play every legal move, then the given cells for both sides.

    Args:
        game: the positions.
        cells: the move that follows in each position (positions,).

    Returns:
        The results of all these games, by position and first move.
    """
    size = game.boards.shape
    found = LookAhead(np.zeros(size, np.int8), np.zeros(size, np.int16), np.zeros(size))
    result = VALUES[game.outcomes]  # of greedy play, for the side to move
    length = np.zeros(len(game), np.int16)
    # The greedy player's chance to win against a random one, when it is to move and when it is not.
    own, other = (1.0 * (sign * result > 0) for sign in (1, -1))
    for stones in reversed(range(len(game.plies) - 1)):
        rows = np.arange(len(game))[game.ply(stones)][~game.over[game.ply(stones)]]
        after, legal = game.successors[rows], game.successors[rows] >= 0
        found.results[rows] = np.where(legal, -result[after], 0)
        found.plies[rows] = np.where(legal, length[after], 0)
        found.chances[rows] = np.where(legal, other[after], 0)
        chosen = cells[rows]
        result[rows] = found.results[rows, chosen]
        length[rows] = found.plies[rows, chosen] + 1
        own[rows] = found.chances[rows, chosen]
        other[rows] = np.where(legal, own[after], 0).sum(axis=1) / np.maximum(legal.sum(axis=1), 1)
    return found


def targets_by_length(game: Positions, found: LookAhead) -> NDArray[np.float64]:
    """Return the published targets (positions, cells): 0.7 to 1 for a win, else 0 to 0.4.

    With k plies after the move and s stones before it on 9 cells, a win has the target .7 + .3 * .5
    ** (2k / (9 - s)), a draw or a loss .4 * k / (9 - s): quick wins and slow losses are better, and
    a loss by the last stone has the target of a draw.
    """
    left = np.count_nonzero(game.boards == 0, axis=1, keepdims=True)
    share = found.plies / np.maximum(left, 1)
    return np.asarray(np.where(found.results > 0, 0.7 + 0.3 * 0.5 ** (2 * share), 0.4 * share))


def targets_by_result(found: LookAhead, draw: float, chance: float) -> NDArray[np.float64]:
    """Return targets (positions, cells) that mix the result and the winning probability.

    Args:
        found: the results of the look-ahead.
        draw: the result of a draw; a win is 1, a loss 0.
        chance: the weight of the winning probability; the result has the rest.
    """
    outcome = np.where(found.results > 0, 1.0, np.where(found.results == 0, draw, 0.0))
    return np.asarray((1 - chance) * outcome + chance * found.chances)


class SelfPlay(NetworkLearner[SelfPlayConfig]):
    """Self-play learner for enumerable games; X moves first (in the published form, O does)."""

    Config = SelfPlayConfig
    presets = PRESETS

    def __init__(self, config: SelfPlayConfig, rules: Rules) -> None:
        super().__init__(config, rules)
        self.symmetry = symmetry_classes(rules, config.symmetric)
        self.game = self.symmetry.game
        self.rounds = 0
        self.nets = self.networks(config, rules, self.rng)
        weights = [weight for net in self.nets.values() for weight in net.parameters()]
        adam, optim = config.optimiser == "adam", torch.optim
        kind: type[optim.Adam | optim.Adagrad] = optim.Adam if adam else optim.Adagrad
        self.optimiser = kind(weights, config.lr, eps=1e-5 if adam else 1e-7)
        self.legal = torch.as_tensor(self.game.successors >= 0)

    def step(self) -> dict[str, float]:
        """Compute look-ahead targets with the current networks, then fit the networks to them."""
        config = self.config
        with self.timed("looking_ahead"):
            targets = torch.as_tensor(self._targets().astype(np.float32))
        lower_rate(self.optimiser, config.lr, self.rounds, config.halving or 0)
        for _ in range(config.fits):
            batches = self._sampled_rows()
            losses = [self._loss(seat, rows, targets) for seat, rows in enumerate(batches)]
            descend(self.optimiser, torch.stack(losses).sum())
            self.moves += sum(len(rows) for rows in batches)
        self.rounds += 1
        return {f"loss_{seat}": loss.item() for seat, loss in zip("XO", losses, strict=True)}

    @classmethod
    def networks(cls, config: SelfPlayConfig, rules: Rules, rng: Rng | None = None) -> Nets:
        """Return one network per seat."""
        require_enumerable(rules)
        return {seat: MaskedMLP(rules.cells, config.hidden, rng) for seat in SEATS}

    @classmethod
    def player_of(cls, config: SelfPlayConfig, rules: Rules, nets: Nets) -> Player:
        """Return a player that picks the cell with the highest output of its seat's network."""
        symmetry, values = symmetry_classes(rules, config.symmetric), _values(config, rules, nets)
        rows = symmetry.undecided
        best = first_best(values[rows], symmetry.game.successors[rows] >= 0)
        return symmetry.player(best.argmax(axis=1))

    def parts(self) -> dict[str, Any]:
        """Return both networks, the optimiser and the number of rounds."""
        return {"weights": self.nets, "optimiser": self.optimiser, "rounds": self.rounds}

    def _targets(self) -> NDArray[np.float64]:
        """Return the targets (positions, cells) from games that the networks play to the end."""
        config, cells = self.config, _values(self.config, self.rules, self.nets).argmax(axis=1)
        found = look_ahead(self.game, self.symmetry.expand_cells(cells))
        if config.targets == "published":
            return targets_by_length(self.game, found)
        return targets_by_result(found, config.draw, config.chance)

    def _loss(self, seat: int, rows: NDArray[np.int64], targets: Tensor) -> Tensor:
        """Return the mean squared error over all cells; illegal cells count as zero."""
        at, net = torch.as_tensor(rows), self.nets[SEATS[seat]]
        outputs = _outputs(self.config, net, self.game.boards[rows])
        error = (outputs - targets[at]) * self.legal[at]
        return error.square().sum() / max(error.numel(), 1)

    def _sampled_rows(self) -> list[NDArray[np.int64]]:
        """Sample the positions for an update: the indices of X's and of O's."""
        count, rng = self.config.batch, self.rng
        if self.config.boards == "uniform":
            return [rows[rng.integers(0, len(rows), count)] for rows in self.symmetry.rows]
        sampled = self.symmetry.representative[sample_by_play(self.game, rng, count)]
        return [sampled[self.game.seats[sampled] == seat] for seat in (0, 1)]


def _outputs(config: SelfPlayConfig, net: torch.nn.Module, boards: Boards) -> Tensor:
    """Return the network's outputs (batch, cells) on boards (batch, cells)."""
    values: Tensor = net(planes(boards))
    constant = config.legal_constant
    return values if constant is None else torch.relu(values) + constant


def _values(config: SelfPlayConfig, rules: Rules, nets: Nets) -> NDArray[np.float32]:
    """Return the outputs (positions, cells) for all representatives, each from its seat's network.

    Other positions and illegal moves have -inf.
    """
    symmetry = symmetry_classes(rules, config.symmetric)
    game = symmetry.game
    values = np.full(game.boards.shape, -np.inf, np.float32)
    with torch.no_grad():
        for seat, rows in zip(SEATS, symmetry.rows, strict=True):
            values[rows] = _outputs(config, nets[seat], game.boards[rows]).cpu().numpy()
    return np.where(game.successors >= 0, values, -np.inf)
