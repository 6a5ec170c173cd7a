"""Claims about the seven features, and how they are verified."""

import json
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from scripts.seven_features.features import ADDED, RULES, Question, features, player
from scripts.seven_features.losses import reach
from scripts.seven_features.proof import check
from tttenv import certify
from tttenv.certificates.certificate import Certificate
from tttenv.exact import positions, solve, worst_case

CURE = "their_forks"  # the one feature that the seven lack
REST = tuple(name for name in ADDED if name != CURE)
# After X corner, O centre, X opposite corner, and after X centre, O corner, X opposite corner.
# On each all moves that keep the draw look alike: a cell that keeps it and one that loses.
WHY = (("X___O___X", 1, 2), ("O___X___X", 2, 1))


def questions(best: Fraction) -> list[Question]:
    """Return all questions, given the smallest fraction of losses found."""
    ours = [Question("O", ties) for ties in ("first", "mixed", "distinct")]
    fewer = Question("O", losing_below=best)
    added = [Question("O", added=REST), Question("O", added=(CURE,))]
    return [*ours, fewer, Question("X"), *added]


def verify(data: Mapping[str, Any]) -> None:
    """Verify all claims again, without a solver.

    Raises:
        ValueError: naming the claim that does not hold.
    """
    best, answers = data["best_weights"], data["answers"]
    wanted = [asked(question) for question in questions(losses(best))]
    told = [{key: found[key] for key in asked(Question())} for found in answers]
    require(told == wanted, "the questions are not those to be answered")
    for question, found in zip(questions(losses(best)), answers, strict=True):
        verify_answer(question, found)
    require(
        data["unbeatable_possible"] == possible(answers), "the verdict is not that of the proofs"
    )
    require(data["proved"] is True, "it is not marked as proved")
    require(data["best_losses"] == str(losses(best)), "the best weights' losses are others")
    require(_same(data["best"], certificate(best)), "the best weights' certificate is another")
    for row in data["lacking"]:
        again = certificate(row["weights"], (row["feature"],))
        require(
            _same(row["certificate"], again), f"the certificate with {row['feature']} is another"
        )
        require(again["unbeatable"], f"the weights with {row['feature']} are beatable")
    require(data["not_enough"] == list(REST), "the features that are not enough are others")
    require(data["why"] == [contrast(*row) for row in WHY], "the reason is another")
    sums = np.sum([row["difference"] for row in data["why"]], axis=0)
    require(not sums.any(), "the reason does not contradict itself")


def _same(stored: dict[str, Any], found: dict[str, Any]) -> bool:
    """Return whether two certificates agree; older files lack fields that follow from others."""
    return Certificate.from_dict(stored) == Certificate.from_dict(found)


def verify_answer(question: Question, found: Mapping[str, Any]) -> None:
    """Raise ValueError for an answer that is wrong or not proved."""
    if "no" in found:
        check(question, found["no"])
    else:
        worst = worst_case(RULES, player(found["yes"], question.added))[question.seat]
        plain = question.ties == "first" and question.losing_below is None
        require(plain and worst >= 0, f"not shown by its weights: {title(question)}")


def possible(answers: list[dict[str, Any]]) -> dict[str, bool]:
    """Return, by seat, whether some weights are unbeatable with the source's tie-breaking."""
    plain = asked(Question())
    return {
        found["seat"]: "yes" in found
        for found in answers
        if {key: found[key] for key in plain} == {**plain, "seat": found["seat"]}
    }


def asked(question: Question) -> dict[str, Any]:
    """Return a question as a JSON-serializable dict."""
    limit = question.losing_below
    return {
        "seat": question.seat,
        "ties": question.ties,
        "added": list(question.added),
        "losing_below": None if limit is None else str(limit),
    }


def title(question: Question) -> str:
    """Describe a question in a few words."""
    what = "unbeatable"
    if question.losing_below is not None:
        what = f"losing less than {question.losing_below} to random moves"
    more = f" + {', '.join(question.added)}" if question.added else ""
    return f"seven features{more}, as {question.seat}, ties {question.ties}: {what}"


def contrast(board: str, keeping: int, losing: int) -> dict[str, Any]:
    """Compare the features of a move that keeps the value with those of a losing move.

    Raises:
        ValueError: if the moves do not do so, or the moves that keep the value differ in features.
    """
    game, seen = positions(RULES), features()
    at = int(game.index(RULES.parse(board)))
    keeps = solve(RULES).optimal[at]
    require(bool(keeps[keeping] and not keeps[losing]), f"cells {keeping} and {losing} on {board}")
    kept, lost = seen[game.successors[at][keeps]], seen[game.successors[at][losing]]
    require(bool((kept == kept[0]).all()), f"the moves that keep {board} look different")
    return {
        "board": board,
        "keeps": np.flatnonzero(keeps).tolist(),
        "loses": losing,
        "difference": (kept[0] - lost).tolist(),
    }


def losses(weights: list[float]) -> Fraction:
    """Return the exact fraction of games that a player with these weights loses as O."""
    cells = player(weights).table.argmax(axis=1)
    question = Question("O")
    return reach(question, dict(enumerate(cells.tolist())))[1]


def certificate(weights: list[float], added: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the certificate of weights as JSON data."""
    found: dict[str, Any] = json.loads(json.dumps(certify(RULES, player(weights, added)).to_dict()))
    return found


def require(holds: bool, otherwise: str) -> None:
    """Raise ValueError with the message `otherwise` unless the condition holds."""
    if not holds:
        raise ValueError(otherwise)
