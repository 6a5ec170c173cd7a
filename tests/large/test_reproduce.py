"""Re-run of the published numbers: what has no chance in it, the verdicts, and the script."""

import json
from pathlib import Path

import pytest

from scripts import reproduce
from scripts.reproduction import rows, sources
from scripts.reproduction.rows import Run, holds

ROOT = Path(__file__).parents[2]
SUMMARY = json.loads((ROOT / "checkpoints" / "published.json").read_text())
QUICK = Run(quick=True, seed=0)
# Experiments without any chance in them, or with seeded random numbers that no learner shares.
CHEAP = [sources.lms, sources.matches, sources.searches, sources.mistakes]


def test_the_summary_has_the_claims_of_the_sources_and_no_row_that_misses():
    found = {row["id"]: row for row in SUMMARY["rows"]}
    assert len(found) == len(SUMMARY["rows"])
    for id, row in found.items():  # as they were when the summary was written
        assert rows.CLAIMS[id].get("claimed", []) == row["claimed"]
    assert {row["source"] for row in SUMMARY["rows"]} == set(sources.NUMBERS)
    assert [*sources.NUMBERS] == [*reproduce.SOURCES]
    assert not SUMMARY["quick"]
    for row in SUMMARY["rows"]:
        assert row["holds"] is not False
        assert row["repaired"] == [0, 0] or not row["player"]


@pytest.mark.parametrize("experiment", CHEAP)
def test_what_has_no_chance_in_it_is_as_published_and_as_the_summary_has_it(experiment):
    summary = {row["id"]: row for row in SUMMARY["rows"]}
    found = experiment(QUICK) if experiment is sources.lms else experiment()
    for row in found:
        assert row["holds"], row["id"]
        known = summary[row["id"]]
        assert list(known) == list(row)
        same = {"published": pytest.approx(known["published"], abs=1e-9)}
        assert row == known | same | {"repaired": row["repaired"]}  # ours may be trained again


def test_the_published_tree_search_is_as_strong_as_claimed():
    wins = rows.strength(sources.tree_search(4000))["wins"]
    assert wins == pytest.approx((0.8151, 0.6222), abs=5e-5)


@pytest.mark.parametrize(
    ("published", "claim", "verdict"),
    [
        ((1, 2), {"claimed": (1, 2), "within": 0}, True),
        ((1, 2.001), {"claimed": (1, 2), "within": 0}, False),
        ((0.5,), {"claimed": (0.6,), "expected": (0.5,)}, True),
        ((0.6,), {"claimed": (0.6,), "expected": (0.5,)}, False),
        ((0.5,), {"claimed": (0.6,), "band": ((0.5, 0.7),)}, True),
        ((0.49,), {"claimed": (0.6,), "band": ((0.5, 0.7),)}, False),
        ((0.5,), {"claimed": (0.6,), "within": None}, None),
        ((0.5,), {}, None),
    ],
)
def test_numbers_are_judged_by_what_is_known_within_the_tolerance(published, claim, verdict):
    assert holds(claim, published) is verdict


def test_a_row_whose_budget_is_too_small_is_not_judged():
    assert rows.row("S2.nodes", (1,))["holds"] is False
    assert rows.row("S2.nodes", (1,), judged=False)["holds"] is None


def test_the_script_shows_and_writes_its_rows_and_ends_with_1_if_one_is_off(
    tmp_path, monkeypatch, capsys
):
    claims = {"S3.a": {"claimed": (1, 2)}, "S3.b": {"claimed": (5479,)}}
    monkeypatch.setattr(rows, "CLAIMS", {id: row | {"what": ""} for id, row in claims.items()})
    found = [rows.row("S3.a", (1, 2)), rows.row("S3.b", (5478,))]
    monkeypatch.setitem(sources.NUMBERS, "S3", lambda run: found)

    with pytest.raises(SystemExit) as end:
        reproduce.main(["--out", str(tmp_path), "--only", "S3"])
    told = capsys.readouterr()
    assert (end.value.code, told.err) == (1, "reproduce.py: not within tolerance: S3.b\n")
    assert "5,478" in told.out
    written = json.loads((tmp_path / "reproduce.json").read_text())
    assert [row["holds"] for row in written["rows"]] == [True, False]
    assert [path.name for path in tmp_path.iterdir()] == ["reproduce.json"]
