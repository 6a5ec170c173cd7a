"""`tttenv report` as a command, and the numbers in its data."""

import json

import numpy as np
import pytest

from tttenv.certificates.all_positions import TINY
from tttenv.cli import report
from tttenv.exact import positions
from tttenv.players.bundled import home
from tttenv.report import leaderboard
from tttenv.report.data import quantised
from tttenv.report.load_players import RULES, from_benchmark, from_specs


def test_it_ends_with_the_address_and_opens_it_on_demand(monkeypatch, tmp_path, capsys):
    shown, file = [], tmp_path / "a b.html"
    monkeypatch.setattr(report, "make", lambda *_: {"left_out": []})
    monkeypatch.setattr(report.webbrowser, "open", shown.append)
    report.main(["--out", str(file)])
    assert capsys.readouterr().out == f"report    {file.as_uri()}\n"
    assert shown == []
    report.main(["--out", str(file), "--open"])
    assert shown == [file.as_uri()]


def test_named_results_that_are_missing_are_refused(tmp_path):
    file = tmp_path / "none.json"
    with pytest.raises(ValueError, match=r"there is no file .*none\.json"):
        report.main(["first", "--results", str(file), "--out", str(tmp_path / "r.html")])
    assert not (tmp_path / "r.html").exists()


def test_it_names_the_trained_players_in_runs_that_it_leaves_out(monkeypatch, tmp_path, capsys):
    monkeypatch.chdir(tmp_path)
    for folder in ("dqn-0", "sweep/td0-0", "shown"):
        (tmp_path / "runs" / folder).mkdir(parents=True)
        (tmp_path / "runs" / folder / "card.json").touch()
    left = report.left_out(["minimax", "runs/shown"])
    assert left == ["runs/dqn-0", "runs/sweep"]
    monkeypatch.setattr(report, "make", lambda *_: {"left_out": left})
    report.main([], "tttenv report")
    assert capsys.readouterr().out.endswith("runs/sweep: to show one, tttenv report runs/dqn-0\n")


@pytest.mark.parametrize("seeds", [1, 4])
def test_the_leaderboard_has_the_pace_of_all_seeds_and_how_many_there_are(tmp_path, seeds):
    one = {"learner": "dqn", "folder": str(home() / "dqn"), "unbeatable_at": None}
    rates = [2e6, 1e6, 9e6, None][:seeds]
    trainings = [{**one, "seed": i, "moves_per_second": rate} for i, rate in enumerate(rates)]
    results = {"players": [{"player": "dqn 0", **one}], "trainings": trainings}
    (tmp_path / "benchmark.json").write_text(json.dumps(results))
    (shown,) = from_benchmark(tmp_path / "benchmark.json", home())
    table = leaderboard.html([shown])
    assert f"<small>expert {shown.curve.perfect_at[1]:.1f}</small>" in table
    assert "<small>2 million moves/s</small>" in table
    assert ("seeds unbeatable" in table) == (seeds > 1)


@pytest.mark.parametrize("spec", ["minimax:ties=first", "minimax", "random"])
def test_the_data_hold_every_probability_to_the_nearest_of_255_steps(spec):
    (shown,) = from_specs([spec])
    probs = shown.table.table[positions(RULES).successors >= 0]
    steps = quantised(shown)
    assert ((steps > 0) == (probs > TINY)).all()
    assert np.abs(steps - 255 * probs).max() <= 0.5
