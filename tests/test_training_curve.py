"""The curve that a training leaves on its card: bounded, and the same after a stop."""

import itertools
import json
import math

import pytest

from learners.registry import LEARNERS
from learners.training.checkpoint import load_training
from learners.training.curve import COLUMNS, KEY, MOST, extended, for_card, from_card
from learners.training.loop import usual_schedule
from learners.training.train import train
from tttenv import Rules, certify, player
from tttenv.checkpoint import CARD, read_card


def grown(count, every=1, safe=math.inf):
    """The points of a training with so many measures, unbeatable from one on."""
    points = ()
    for number in range(count):
        worst = 0.0 if number >= safe else -0.5
        points = extended(points, (number * every, number / 3, worst, worst, 0.9), every)
        assert len(points) <= MOST
    return points


@pytest.mark.parametrize("every", [1, 7])
@pytest.mark.parametrize("count", [1, 2, MOST - 1, MOST, MOST + 1, 1000, 3777])
def test_a_curve_stays_bounded_and_keeps_its_landmarks(count, every):
    safe = count // 3
    points = grown(count, every, safe)
    steps = [point[0] for point in points]
    assert steps == sorted(set(steps))
    assert steps[0] == 0
    assert steps[-1] == (count - 1) * every
    assert safe * every in steps
    assert len(points) == count or len(points) > MOST // 2 - 4
    assert from_card({KEY: json.loads(json.dumps(for_card(points)))}).steps == steps
    assert len(json.dumps(for_card(points))) < 10_000


def test_measures_stand_evenly():
    steps = [point[0] for point in grown(1000)]
    gaps = {b - a for a, b in itertools.pairwise(steps)}
    assert max(gaps) == 8  # 1000 measures, 8 apart, are fewer than MOST


def test_the_card_of_a_training_that_stopped_is_that_of_one_that_did_not(tmp_path):
    config, rules = LEARNERS.load("td0").Config(games=4), Rules()
    for steps in (4, 10):
        schedule = usual_schedule("td0", steps=steps, every=1)
        train("td0", config, rules, schedule, tmp_path / "stopped", resume=steps > 4)
    train("td0", config, rules, usual_schedule("td0", steps=10, every=1), tmp_path / "through")
    stopped, through = (read_card(tmp_path / name)[KEY] for name in ("stopped", "through"))
    assert list(stopped) == list(COLUMNS)
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


def test_numbers_of_a_card_stand_in_a_line_and_are_json(tmp_path):
    config = LEARNERS.load("td0").Config(games=4)
    train("td0", config, Rules(), usual_schedule("td0", steps=2, every=1), tmp_path / "a")
    text = (tmp_path / "a" / CARD).read_text()
    assert '    "steps": [0, 1, 2],\n' in text
    assert json.loads(text)[KEY]["steps"] == [0, 1, 2]


def test_on_boards_too_large_to_list_a_card_has_no_curve(tmp_path):
    config = LEARNERS.load("reinforce").Config(hidden=(8,), games=8)
    schedule = usual_schedule("reinforce", steps=1, every=1)
    train("reinforce", config, Rules(4, 5, 4), schedule, tmp_path / "a")
    assert KEY not in read_card(tmp_path / "a")
