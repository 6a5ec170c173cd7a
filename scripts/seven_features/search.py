"""Find weights of a greedy linear player with given properties, or prove that none exist.

Depth first over the choices an unbeatable player has, always at the reached position with the
fewest of them left; a linear program says which are left. Linear programs only find: weights are
rounded and proofs made of whole numbers, and both are checked as such.
"""

from collections.abc import Callable
from math import lcm
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from scripts.seven_features.features import RULES, Question
from scripts.seven_features.fractions import solve, whole
from scripts.seven_features.losses import least_losses, losses, reach
from scripts.seven_features.proof import Choices, Tree, check_part, reached

Weights: TypeAlias = NDArray[np.float64]


class Demand(NamedTuple):
    """Constraint that weights times `difference` are at least zero, or positive."""

    at: int
    other: int
    difference: list[int]
    strict: bool

    def holds(self, weights: Weights) -> bool:
        """Return whether weights satisfy the constraint, with a margin."""
        worth = float(np.dot(weights, self.difference))
        return worth > 1e-6 if self.strict else worth > -1e-9


class Search:
    """Search for the answer to one question.

    Raises:
        ValueError: if SciPy is not installed.
    """

    def __init__(self, question: Question, order: int, tell: Callable[[], Any]) -> None:
        try:
            from scipy.optimize import linprog
        except ImportError:
            raise ValueError(
                "searching for proofs needs SciPy: pip install -c constraints.txt -e '.[proofs]'"
            ) from None
        self.question, self.linprog, self.tell = question, linprog, tell
        numbers = np.arange(len(question.game))  # order 0 looks ply by ply
        self.order = np.random.default_rng(order).permutation(numbers) if order else numbers

    def answer(self) -> list[int] | Tree:
        """Return integer weights of a suitable player, or the tree of a proof.

        Where ties are not played first, such weights may tie with moves that were not looked at:
        what they are worth has to be checked.
        """
        found = self._branch({}, [], [])
        return found if isinstance(found, list) else self._pruned(found, {})

    def _branch(
        self, choices: Choices, demands: list[Demand], known: list[Weights]
    ) -> list[int] | Tree:
        """Return weights or a tree below these choices; `known` are some weights that fit them."""
        self.tell()
        found = self._narrowest(choices, demands, known)
        if found is None:
            return whole(known[0])
        at, left = found
        moves = {}
        for cell in self.question.open_to(at):
            more = self._demands(at, cell)
            if cell in left:
                still = [weights for weights in known if all(d.holds(weights) for d in more)]
                below = self._branch({**choices, at: cell}, demands + more, still)
                if isinstance(below, list):
                    return below
                moves[str(cell)] = below
            else:
                moves[str(cell)] = self._leaf({**choices, at: cell}, demands + more)
        return {"at": self._text(at), "moves": moves}

    def _narrowest(
        self, choices: Choices, demands: list[Demand], known: list[Weights]
    ) -> tuple[int, list[int]] | None:
        """Return the reached position with the fewest moves left; None if all are chosen."""
        best: tuple[int, list[int]] | None = None
        free = reached(self.question, choices) - set(choices)
        bound = self._bound(choices)
        for at in sorted(free, key=self.order.__getitem__):
            left = [
                cell
                for cell in self.question.open_to(at)
                if bound(at, cell)
                and self._weights(demands, self._demands(at, cell), known) is not None
            ]
            if best is None or len(left) < len(best[1]):
                best = at, left
            if len(left) <= 1:
                break
        return best

    def _bound(self, choices: Choices) -> Callable[[int, int], bool]:
        """Return a predicate: whether, after a further choice, few enough games are lost."""
        question, limit = self.question, self.question.losing_below
        if limit is None:
            return lambda at, cell: True
        chance, least = reach(question, choices)[0], least_losses(question)
        spare = limit - losses(question, choices)
        return lambda at, cell: chance[at] * (least[question.after[at][cell]] - least[at]) < spare

    def _demands(self, at: int, cell: int) -> list[Demand]:
        """Return all constraints of choosing `cell` at `at`."""
        found = []
        for other in self.question.after[at]:
            demand = self.question.demand(at, cell, other) if other != cell else None
            if demand is not None:
                found.append(Demand(at, other, *demand))
        return found

    def _weights(
        self, demands: list[Demand], more: list[Demand], known: list[Weights]
    ) -> Weights | None:
        """Return weights that satisfy all constraints, adding new ones to `known`."""
        for weights in known:
            if all(demand.holds(weights) for demand in more):
                return weights
        size, rows = len(self.question.seen[0]), demands + more
        if not rows:
            return np.zeros(size)
        least = [float(demand.strict) for demand in rows]  # above zero: at least 1, by scaling
        matrix = np.array([demand.difference for demand in rows], float)
        # Weights are the difference of two nonnegative vectors, whose sum is kept small.
        found = self.linprog(
            np.ones(2 * size), A_ub=np.hstack([-matrix, matrix]), b_ub=-np.array(least)
        )
        if found.status == 2:  # there are none
            return None
        if found.status != 0:
            raise ValueError(f"the linear program failed: {found.message}")
        known.append(found.x[:size] - found.x[size:])
        return known[-1]

    def _leaf(self, choices: Choices, demands: list[Demand]) -> Tree:
        """Return a leaf, which refutes by too many losses or by contradictory constraints."""
        limit = self.question.losing_below
        if limit is not None and (lost := losses(self.question, choices)) >= limit:
            return {"losses": str(lost)}
        matrix = np.array([[*d.difference, int(d.strict)] for d in demands]).T
        goal = np.array([0] * (len(matrix) - 1) + [1])
        found = self.linprog(np.ones(len(demands)), A_eq=matrix, b_eq=goal)
        if found.status != 0:
            raise ValueError(f"the linear program failed: {found.message}")
        used = np.flatnonzero(found.x > 1e-9)
        shares = solve(matrix[:, used], goal)
        if shares is None or min(shares) < 0:
            raise ValueError("a contradiction could not be put into whole numbers")
        scale = lcm(*(share.denominator for share in shares))
        taken = [(demands[i], int(share * scale)) for i, share in zip(used, shares, strict=True)]
        return {"sum": [[self._text(d.at), d.other, times] for d, times in taken if times]}

    def _pruned(self, tree: Tree, choices: Choices) -> Tree:
        """Return the same proof without unnecessary branches."""
        if "moves" not in tree:
            return tree
        at = int(self.question.game.index(RULES.parse(tree["at"])))
        moves = {
            cell: self._pruned(twig, {**choices, at: int(cell)})
            for cell, twig in tree["moves"].items()
        }
        spare = [twig for twig in moves.values() if self._stands(twig, choices)]
        return min(
            spare, key=lambda twig: len(str(twig)), default={"at": tree["at"], "moves": moves}
        )

    def _stands(self, tree: Tree, choices: Choices) -> bool:
        """Return whether a part of a proof is valid after these choices alone."""
        try:
            check_part(self.question, tree, choices)
        except ValueError:
            return False
        return True

    def _text(self, at: int) -> str:
        return RULES.format(self.question.game.boards[at])
