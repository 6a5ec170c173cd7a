"""Learning curve on a training's card: bounded, and the same after an interruption."""

import json
import math

import pytest

from learners.registry import LEARNERS
from learners.training.checkpoint import load_training
from learners.training.loop import usual_schedule
from learners.training.train import train
from tttenv import Rules, certify, player
from tttenv.certificates.curve import MOST, exact_curve, larger_curve
from tttenv.certificates.metrics import measure
from tttenv.players.stored.checkpoint import read_card

KEY = exact_curve.key


def grown(count, every=1, safe=math.inf):
    """Return the points of a training with `count` measures, unbeatable from `safe` on."""
    points = ()
    for number in range(count):
        worst = 0.0 if number >= safe else -0.5
        points = exact_curve.extended(
            points, (number * every, number / 3, worst, worst, 0.9), every
        )
        assert len(points) <= MOST
    return points


@pytest.mark.parametrize("every", [1, 7])
@pytest.mark.parametrize("count", [1, MOST, MOST + 1, 1000])
def test_a_curve_stays_bounded_and_keeps_its_landmarks(count, every):
    safe = count // 3
    points = grown(count, every, safe)
    steps = [point[0] for point in points]
    assert steps == sorted(set(steps))
    assert steps[0] == 0
    assert steps[-1] == (count - 1) * every
    assert safe * every in steps
    assert len(points) == count or len(points) > MOST // 2 - 4
    assert (
        exact_curve.from_card({KEY: json.loads(json.dumps(exact_curve.for_card(points)))}).steps
        == steps
    )
    assert len(json.dumps(exact_curve.for_card(points))) < 10_000


@pytest.mark.parametrize("rules", [Rules(3, 3, 3), Rules(2, 2, 2)], ids=str)
@pytest.mark.parametrize("spoiled", [0.0, 1e-7, 0.5])
def test_a_curve_is_unbeatable_where_the_certificate_says_so(rules, spoiled):
    points, certificates = (), []
    for number, epsilon in enumerate((1.0, spoiled, 0.0)):
        policy = player(f"epsilon:player=minimax,epsilon={epsilon}", rules)
        numbers = measure(rules, policy) | {"time/seconds": float(number)}
        points = exact_curve.extended(points, exact_curve.point(number, numbers), 1)
        certificates.append(certify(rules, policy).unbeatable)
    stored = exact_curve.from_card({KEY: json.loads(json.dumps(exact_curve.for_card(points)))})
    assert stored.unbeatable_at == (certificates.index(True), certificates.index(True))
    assert exact_curve.landmarks([points[0], *points[-1:] * 40], 1, 6)[1] == 1


def test_the_card_of_a_training_that_stopped_is_that_of_one_that_did_not(tmp_path):
    config, rules = LEARNERS.load("td0").Config(games=4), Rules()
    for steps in (4, 10):
        schedule = usual_schedule("td0", steps=steps, every=1)
        train("td0", config, rules, schedule, tmp_path / "stopped", resume=steps > 4)
    train("td0", config, rules, usual_schedule("td0", steps=10, every=1), tmp_path / "through")
    stopped, through = (read_card(tmp_path / name)[KEY] for name in ("stopped", "through"))
    assert list(stopped) == list(exact_curve.columns)
    for cards in (stopped, through):
        assert cards.pop("seconds")[0] == 0
    assert stopped == through
    assert through["steps"] == list(range(11))
    worst = certify(rules, player(str(tmp_path / "through"))).worst_case
    assert [through[f"worst_case_{seat}"][-1] for seat in "XO"] == [
        pytest.approx(worst[seat], abs=1e-6) for seat in "XO"
    ]
    untrained = certify(rules, LEARNERS.load("td0")(config, rules).policy())
    assert through["optimal_moves"][0] == pytest.approx(untrained.optimal_moves["all"], abs=1e-6)
    assert len(load_training(tmp_path / "through")["clock"]["measures"]) == 11


def test_on_a_board_too_large_to_list_a_card_tells_of_its_certificates(tmp_path):
    config, rules = LEARNERS.load("reinforce").Config(hidden=(8,), games=8), Rules(4, 5, 4)
    for steps in (1, 3):
        schedule = usual_schedule("reinforce", steps=steps, every=1)
        train("reinforce", config, rules, schedule, tmp_path / "stopped", resume=steps > 1)
    train("reinforce", config, rules, schedule, tmp_path / "through")
    stopped, through = (read_card(tmp_path / name) for name in ("stopped", "through"))
    assert KEY not in through
    curves = [dict(card[larger_curve.key]) for card in (stopped, through)]
    for curve in curves:
        seconds = curve.pop("seconds")
        assert seconds == sorted(seconds)
    assert curves[0] == curves[1]
    found = larger_curve.from_card(through)
    assert found.steps == [1, 2, 3]
    certificate = through["certificate"]
    for seat in "XO":
        line = certificate["losing_line"][seat]
        assert found.counts[f"reached_{seat}"][-1] == certificate["reached"][seat]
        assert found.counts[f"worst_case_{seat}"][-1] == certificate["worst_case"][seat]
        assert found.counts[f"losing_line_{seat}"][-1] == (None if line is None else len(line))


GOOD = {name: [1, None] for name in larger_curve.columns} | {"steps": [1, 2], "seconds": [0.5, 2]}
WRONG = {
    "no table": [1],
    "a column too many": GOOD | {"more": [1, 2]},
    "columns of other lengths": GOOD | {"reached_O": [1]},
    "too many": {name: list(range(MOST + 1)) for name in GOOD},
    "seconds that go back": GOOD | {"seconds": [2, 1]},
    "half a position": GOOD | {"reached_X": [0.5, None]},
    "no number": GOOD | {"worst_case_O": [math.nan, None]},
    "more stones than cells": GOOD | {"losing_line_X": [362, None]},
}


def test_a_strangers_larger_curve_is_read_or_refused():
    assert larger_curve.from_card({}) is None
    assert larger_curve.from_card({larger_curve.key: GOOD}).counts["reached_X"] == [1, None]
    for what, found in WRONG.items():
        with pytest.raises(ValueError, match=r"^the curve in its card (has|must have) [^\n]+$"):
            pytest.fail(f"{what}: {larger_curve.from_card({larger_curve.key: found})}")
