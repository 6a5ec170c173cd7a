"""Genetic algorithm whose genes are a player's moves, one per symmetry class.

Parents are selected with probabilities that grow with their fitness; a child takes each gene, a
move, from one of them, and rarely a random one (Holland, Adaptation in Natural and Artificial
Systems, 1975). One backward pass over the positions finds the fitness of all players.

As published, a player's fitness is 1 - lost / played over all games that are possible in both seats
if the other side plays every legal reply. The selection probabilities of good and bad players
hardly differ, and a player's genes for positions that it avoids are not tested, so a better move
that leads there loses at first. In the repaired form the probabilities follow a high power of the
fitness, the best player survives, and the fitness is the worst case from each position, averaged
over all of them, so every gene counts.
"""

from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from learners.parts import PartsLearner
from learners.settings.genetic import PRESETS, GeneticConfig
from learners.symmetry_classes import SymmetryClasses, symmetry_classes
from tttenv.exact import Positions
from tttenv.game.rewards import VALUES
from tttenv.game.rules import Rules
from tttenv.policy import Player


class PlyClasses(NamedTuple):
    """Symmetry classes of the positions with a given number of stones, undecided ones first."""

    seat: int  # who is to move: 0 for X, 1 for O
    children: Tensor  # (undecided, cells): each move's class, numbered within the next ply
    replies: Tensor  # (undecided, classes of the next ply): how many moves lead to each class
    ends: Tensor  # (seats, 2, decided, 1): games played and lost there, by the seat


class Genetic(PartsLearner[GeneticConfig]):
    """Genetic learner, for games small enough to enumerate.

    Source: lecture notes "TicTacToe experiment platform" (2018), section 10. A gene is the move
    played in all images of a position.
    """

    Config = GeneticConfig
    presets = PRESETS

    def __init__(self, config: GeneticConfig, rules: Rules) -> None:
        super().__init__(config, rules)
        self.symmetry = symmetry_classes(rules)
        self.plies = _plies(self.symmetry.game, self.symmetry)
        rows = self.symmetry.undecided
        self.legal = torch.as_tensor(self.symmetry.game.successors[rows] >= 0)
        all_genes = torch.arange(len(rows)).repeat_interleave(config.population)
        self.genes = self._random_moves(all_genes).view(-1, config.population)
        self.fitness = self.fitness_of(self.genes)  # (population,)

    def step(self) -> dict[str, float]:
        """Breed the next generation."""
        config, count = self.config, self.config.population
        best = self.fitness.argsort(descending=True, stable=True)[: config.elite]
        cumulative = (self.fitness.double() ** config.power).cumsum(0)
        draws = torch.as_tensor(self.rng.random((2, count))) * cumulative[-1]
        first, second = torch.searchsorted(cumulative, draws, right=True).clamp(max=count - 1)
        copied = torch.as_tensor(self.rng.random(count) < config.replicate)
        from_first = self._random_shares() < config.crossover
        children = torch.where(from_first | copied, self.genes[:, first], self.genes[:, second])
        rows, columns = (self._random_shares() < config.mutation).nonzero(as_tuple=True)
        children[rows, columns] = self._random_moves(rows)
        children[:, : config.elite] = self.genes[:, best]
        self.genes, self.fitness = children, self.fitness_of(children)
        self.moves += children.numel()
        return {"best": self.fitness.max().item(), "mean": self.fitness.mean().item()}

    @classmethod
    def empty_weights(cls, config: GeneticConfig, rules: Rules) -> dict[str, Tensor]:
        """Return one gene per symmetry class, uninitialised, on the meta device."""
        count = len(symmetry_classes(rules).undecided)
        return {"genes": torch.empty(count, dtype=torch.int64, device="meta")}

    @classmethod
    def player(cls, config: GeneticConfig, rules: Rules, weights: dict[str, Tensor]) -> Player:
        """Return the player with the given genes.

        Raises:
            ValueError: if a gene is not the number of a cell.
        """
        genes = weights["genes"]
        if not ((genes >= 0) & (genes < rules.cells)).all():
            raise ValueError(f"genes must be cells: 0 to {rules.cells - 1}")
        return symmetry_classes(rules).player(genes.cpu().numpy())

    def parts(self) -> dict[str, Any]:
        """Return the genes of the fittest player and of the population."""
        best = self.genes[:, self.fitness.argmax()].clone()
        return {"weights": {"genes": best}, "genes": self.genes}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Restore a state returned by `state_dict()`; "weights" alone is enough to play."""
        super().load_state_dict(state)
        if "genes" not in state:
            self.genes[:] = state["weights"]["genes"][:, None]
        self.fitness = self.fitness_of(self.genes)

    def _random_shares(self) -> Tensor:
        """Return uniform random numbers in [0, 1), one per gene (classes, population)."""
        return torch.as_tensor(self.rng.random(tuple(self.genes.shape), np.float32))

    def _random_moves(self, rows: Tensor) -> Tensor:
        """Sample a legal move for each of the classes with indices `rows`."""
        values = torch.as_tensor(self.rng.random((len(rows), self.rules.cells), np.float32))
        return torch.where(self.legal[rows], values, -1.0).argmax(dim=1)

    def fitness_of(self, genes: Tensor) -> Tensor:
        """Return the fitness (population,), from 0 to 1, of genes (classes, population)."""
        if self.config.stray is None:
            return (1 + self._mean_worst_case(genes)) / 2
        below, end = torch.zeros(2, 2, 0, genes.shape[1]), len(genes)
        for ply in self.plies:
            own, end = genes[end - len(ply.children) : end], end - len(ply.children)
            chosen = ply.children.gather(1, own).expand(2, -1, -1)
            strayed, theirs = (ply.replies @ below[seat] for seat in (ply.seat, 1 - ply.seat))
            mine = below[ply.seat].gather(1, chosen) + self.config.stray * strayed
            undecided = torch.stack([mine, theirs] if ply.seat == 0 else [theirs, mine])
            below = torch.cat([undecided, ply.ends.expand(-1, -1, -1, genes.shape[1])], dim=2)
        played, lost = below[:, :, 0].sum(dim=0)
        return torch.sub(1, lost / played)

    def _mean_worst_case(self, genes: Tensor) -> Tensor:
        """Return the worst case from each position to move in, averaged over their classes."""
        count, end = genes.shape[1], len(genes)
        total, own, other = torch.zeros(count), torch.zeros(0, count), torch.zeros(0, count)
        for ply in self.plies:  # own: worst cases if the player is to move; other: if it is not
            begin = end - len(ply.children)
            moved = other.gather(0, ply.children.gather(1, genes[begin:end]))
            replies = torch.where(self.legal[begin:end, :, None], own[ply.children], 2.0)
            decided = (ply.ends[1 - ply.seat, 1] - ply.ends[ply.seat, 1]).expand(-1, count)
            total += moved.sum(dim=0)
            own = torch.cat([moved, decided])
            other, end = torch.cat([replies.amin(dim=1), -decided]), begin
        return total / len(genes)


def _plies(game: Positions, symmetry: SymmetryClasses) -> list[PlyClasses]:
    """Return the classes of positions by ply, the last ply first."""
    found, width = [], 0
    number = np.zeros(len(game), np.int64)  # of a class in its ply, undecided ones first
    for stones in reversed(range(len(game.plies) - 1)):
        rows = np.unique(symmetry.representative[game.ply(stones)])
        undecided, decided = rows[~game.over[rows]], rows[game.over[rows]]
        after, seat = game.successors[undecided], stones % 2
        children = np.where(after >= 0, number[symmetry.representative[after]], 0)
        replies = np.zeros((len(undecided), width), np.float32)
        np.add.at(replies, (np.nonzero(after >= 0)[0], children[after >= 0]), 1)
        ends = np.zeros((2, 2, len(decided), 1), np.float32)
        result = VALUES[game.outcomes[decided]]
        ends[:, 0], ends[seat, 1, :, 0], ends[1 - seat, 1, :, 0] = 1, result < 0, result > 0
        found.append(PlyClasses(seat, *map(torch.as_tensor, (children, replies, ends))))
        number[np.concatenate([undecided, decided])], width = np.arange(len(rows)), len(rows)
    return found
