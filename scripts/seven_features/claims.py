"""Claims about the seven features: how they are found, and how they are verified."""

import json
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from scripts.seven_features.facts import certificate, contrast, losses, require
from scripts.seven_features.features import ADDED, RULES, SEVEN, Question, player
from scripts.seven_features.proof import check
from tttenv.certificates.certificate import Certificate
from tttenv.exact import worst_case

ORDERS = 8  # tries for the smallest proof of questions that are quickly answered
CURE = "their_forks"  # the one feature that the seven lack
REST = tuple(name for name in ADDED if name != CURE)
# After X corner, O centre, X opposite corner, and after X centre, O corner, X opposite corner.
# On each all moves that keep the draw look alike: a cell that keeps it and one that loses.
WHY = (("X___O___X", 1, 2), ("O___X___X", 2, 1))

Tell = Callable[[str], None]


def questions(best: Fraction) -> list[Question]:
    """Return all questions, given the fewest losses found."""
    ours = [Question("O", ties) for ties in ("first", "mixed", "distinct")]
    fewer = Question("O", losing_below=best)
    added = [Question("O", added=REST), Question("O", added=(CURE,))]
    return [*ours, fewer, Question("X"), *added]


def find(best_weights: list[float], tell: Tell) -> dict[str, Any]:
    """Answer all questions.

    Raises:
        ValueError: if SciPy is missing, or an answer fails its check.
    """
    lost = losses(best_weights)
    answers = [answer(question, tell) for question in questions(lost)]
    cure = next(found["yes"] for found in answers if found["added"] == [CURE])
    return {
        "rules": str(RULES),
        "features": list(SEVEN),
        "unbeatable_possible": possible(answers),
        "proved": True,
        "best_weights": best_weights,
        "best_losses": str(lost),
        "best": certificate(best_weights),
        "lacking": [
            {"feature": CURE, "weights": cure, "certificate": certificate(cure, (CURE,))},
        ],
        "not_enough": list(REST),
        "why": [contrast(*row) for row in WHY],
        "answers": answers,
    }


def answer(question: Question, tell: Tell) -> dict[str, Any]:
    """Answer a question: weights under "yes", or the smallest proof found under "no"."""
    from scripts.seven_features.search import Search

    quick = question.ties == "first" and question.losing_below is None
    found: list[Any] = []
    for order in range(ORDERS if quick else 1):
        found.append(Search(question, order, lambda: tell(title(question))).answer())
        if isinstance(found[0], list):
            return {**asked(question), "yes": found[0]}
    return {**asked(question), "no": min(found, key=lambda tree: len(json.dumps(tree)))}


def verify(data: Mapping[str, Any]) -> None:
    """Check all claims again, without a solver.

    Raises:
        ValueError: naming what does not hold.
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
    """Return, by seat, whether any weights are unbeatable with the source's tie-breaking."""
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
