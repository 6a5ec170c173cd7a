"""Learning curve on a training's card: bounded, and the same after an interruption."""

import json
import math

import pytest

from learners.registry import LEARNERS
from learners.training.checkpoint import load_training
from learners.training.run import Run, usual_schedule
from learners.training.train import train
from tttenv import Rules, certify, player
from tttenv.certificates import curve
from tttenv.certificates.curve import COLUMNS, KEY, MOST, Curve
from tttenv.certificates.metrics import measure
from tttenv.certificates.snapshots import read
from tttenv.players.stored.checkpoint import SNAPSHOTS, read_card, read_data


def grown(count, every=1, safe=math.inf):
    """Return the points of a training with `count` measures, unbeatable from `safe` on."""
    points = ()
    for number in range(count):
        worst = 0.0 if number >= safe else -0.5
        points = curve.extended(points, (number * every, number / 3, worst, worst, 0.9), every)
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
    assert Curve.from_card({KEY: json.loads(json.dumps(curve.for_card(points)))}).steps == steps
    assert len(json.dumps(curve.for_card(points))) < 10_000


@pytest.mark.parametrize("rules", [Rules(3, 3, 3), Rules(2, 2, 2)], ids=str)
@pytest.mark.parametrize("spoiled", [0.0, 1e-7, 0.5])
def test_a_curve_is_unbeatable_where_the_certificate_says_so(rules, spoiled):
    points, certificates = (), []
    for number, epsilon in enumerate((1.0, spoiled, 0.0)):
        policy = player(f"epsilon:player=minimax,epsilon={epsilon}", rules)
        numbers = measure(rules, policy) | {"time/seconds": float(number)}
        points = curve.extended(points, curve.point(number, numbers), 1)
        certificates.append(certify(rules, policy).unbeatable)
    stored = Curve.from_card({KEY: json.loads(json.dumps(curve.for_card(points)))})
    assert stored.unbeatable_at == (certificates.index(True), certificates.index(True))
    assert curve.landmarks([points[0], *points[-1:] * 40], 1, 6)[1] == 1


def test_the_card_and_snapshots_of_a_training_that_stopped_are_those_of_one_that_did_not(tmp_path):
    config, rules = LEARNERS.load("td0").Config(games=4), Rules()
    for steps in (8, 20):  # more points than snapshots
        schedule = usual_schedule("td0", steps=steps, every=1)
        train(
            Run("td0", "default", config, rules, schedule), tmp_path / "stopped", resume=steps > 8
        )
    train(Run("td0", "default", config, rules, schedule), tmp_path / "through")
    files = [read_data(tmp_path / name, SNAPSHOTS)[1] for name in ("stopped", "through")]
    assert files[0] == files[1]
    card = read_card(tmp_path / "through")
    snapshots = read(tmp_path / "through", card, rules, Curve.from_card(card))
    assert [*snapshots] == [*range(0, 20, 2), 20]
    assert len({moves.tobytes() for moves in snapshots.values()}) > 5  # it learns
    stopped, through = (read_card(tmp_path / name)[KEY] for name in ("stopped", "through"))
    assert list(stopped) == list(COLUMNS)
    for cards in (stopped, through):
        assert cards.pop("seconds")[0] == 0
    assert stopped == through
    assert through["steps"] == list(range(21))
    worst = certify(rules, player(str(tmp_path / "through"))).worst_case
    assert [through[f"worst_case_{seat}"][-1] for seat in "XO"] == [
        pytest.approx(worst[seat], abs=1e-6) for seat in "XO"
    ]
    untrained = certify(rules, LEARNERS.load("td0")(config, rules).policy())
    assert through["optimal_moves"][0] == pytest.approx(untrained.optimal_moves["all"], abs=1e-6)
    assert len(load_training(tmp_path / "through")[1]["progress"]["measures"]) == 21


GOOD = {name: [column.kind(0)] * 2 for name, column in COLUMNS.items()} | {"steps": [1, 2]}
WRONG = {
    "no table": [1],
    "a column too many": GOOD | {"more": [1, 2]},
    "columns of other lengths": GOOD | {"worst_case_O": [0.0]},
    "too many": {name: [each[0]] * (MOST + 1) for name, each in GOOD.items()},
    "steps that go back": GOOD | {"steps": [2, 1]},
    "seconds that go back": GOOD | {"seconds": [2.0, 1.0]},
    "half a step": GOOD | {"steps": [0.5, 1]},
    "no number": GOOD | {"worst_case_O": [math.nan, 0.0]},
    "an unknown number": GOOD | {"worst_case_X": [None, 0.0]},
    "more moves than all": GOOD | {"optimal_moves": [0.5, 1.5]},
}


def test_a_strangers_curve_is_read_or_refused():
    assert Curve.from_card({}) is None
    assert Curve.from_card({KEY: GOOD}).worst == {"X": [0.0, 0.0], "O": [0.0, 0.0]}
    for what, found in WRONG.items():
        with pytest.raises(ValueError, match=r"^the curve in its card (has|must have) [^\n]+$"):
            pytest.fail(f"{what}: {Curve.from_card({KEY: found})}")
