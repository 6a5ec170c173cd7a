"""Proofs that no greedy linear player is good enough, checked in integer arithmetic.

A proof is a tree. A branch names a position that the player reaches by the choices made so far and
some replies, and has a subtree for every move allowed there: if the player has to be unbeatable,
those that keep the position's value. A leaf shows that no weights make all choices on the path to
it: constraints that they imply ("weights times these differences are above zero", or at least
zero), each multiplied by a factor, sum to "zero is above zero" (Motzkin's transposition theorem).
If the question is how few games are lost, any move may be made, and a leaf may instead show that
its choices already lose too many.

    branch  {"at": "X________", "moves": {"4": branch or leaf}}
    leaf    {"sum": [["X________", 0, 3], ...]}    three times "the choice there beats cell 0"
    leaf    {"losses": "4/945"}                    at least this fraction is lost
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, TypeAlias

from scripts.seven_features.features import RULES, Question
from scripts.seven_features.losses import losses

Tree: TypeAlias = dict[str, Any]
Choices: TypeAlias = Mapping[int, int]  # cells by position


def check(question: Question, tree: Any) -> None:
    """Check a proof that the answer to a question is no.

    Raises:
        ValueError: saying what is wrong with the proof.
    """
    check_part(question, tree, {})


def size(tree: Tree) -> tuple[int, int]:
    """Return the number of branches and of leaves in a proof."""
    if "moves" not in tree:
        return 0, 1
    parts = [size(twig) for twig in tree["moves"].values()]
    return 1 + sum(part[0] for part in parts), sum(part[1] for part in parts)


def reached(question: Question, choices: Choices) -> set[int]:
    """Return the positions in which the player may have to move, given some of its choices."""
    found, fresh = set(question.begin), list(question.begin)
    while fresh:
        at = fresh.pop()
        if at in choices:
            after = set(question.replies(at, choices[at])) - found
            found |= after
            fresh += after
    return found


def check_part(question: Question, tree: Any, choices: Choices) -> None:
    """Check the part of a proof below the given choices.

    Raises:
        ValueError: saying what is wrong with the proof.
    """
    match tree:
        case {"sum": list(terms), **rest} if not rest:
            _check_sum(question, terms, choices)
        case {"losses": str(bound), **rest} if not rest and question.losing_below is not None:
            if bound != str(losses(question, choices)) or Fraction(bound) < question.losing_below:
                raise ValueError(
                    f"a leaf of the proof claims that {bound} of the games are lost, which is wrong"
                    " or too few"
                )
        case {"at": str(board), "moves": dict(moves), **rest} if not rest:
            at = _index(question, board)
            if at in choices or at not in reached(question, choices):
                raise ValueError(
                    f"the proof branches on {board}, which is not reached there or has its choice"
                )
            if set(moves) != set(map(str, question.open_to(at))):
                raise ValueError(f"the proof leaves out a move on {board}, or adds one")
            for cell, twig in moves.items():
                check_part(question, twig, {**choices, at: int(cell)})
        case _:
            raise ValueError(f"neither branch nor leaf of a proof: {str(tree)[:60]}")


def _check_sum(question: Question, terms: list[Any], choices: Choices) -> None:
    total, above = [0] * len(question.seen[0]), False
    for term in terms:
        difference, strict, times = _term(question, term, choices)
        total = [so_far + times * part for so_far, part in zip(total, difference, strict=True)]
        above = above or strict
    if any(total) or not above:
        raise ValueError(f"a leaf of the proof sums to no contradiction: {terms}")


def _term(question: Question, term: Any, choices: Choices) -> tuple[list[int], bool, int]:
    """Return the differences of a term, whether they must be positive, and its factor."""
    match term:
        case [str(board), int(other), int(times)] if times > 0:
            at = _index(question, board)
            if at in choices and other in question.after[at] and other != choices[at]:
                demand = question.demand(at, choices[at], other)
                if demand is not None:
                    return *demand, times
    raise ValueError(f"a leaf of the proof uses what no choice demands: {term}")


def _index(question: Question, board: str) -> int:
    return int(question.game.index(RULES.parse(board)))
