"""Loggers of a training: all get the same, and none changes what is learned."""

import csv
import sys
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from learners.registry import LEARNERS
from learners.training import loggers
from learners.training.run import Run, usual_schedule
from learners.training.tensorboard import grouped
from learners.training.train import train
from tttenv import Rules, certify, player
from tttenv.certificates.verdict import certificate_table
from tttenv.players.stored.checkpoint import WEIGHTS, file_of, read_card
from tttenv.utils.registry import Row

SHORT = usual_schedule("td0", steps=10, every=2, checkpoint_every=4)


def trained(out, *log, steps=10, **options):
    schedule = replace(SHORT, steps=steps)
    return train(
        Run("td0", "default", LEARNERS.load("td0").Config(), Rules(), schedule, log=log),
        out,
        **options,
    )


def rows_of(out):
    with (out / "csv" / "curves.csv").open(newline="") as file:
        return [(int(r["step"]), r["tag"], float(r["value"])) for r in csv.DictReader(file)]


def points(rows):
    """Return the rows without times."""
    return [row for row in rows if not row[1].startswith(("time/", "unbeatable/seconds"))]


class _Kept(loggers.Logger):
    """Logger that keeps its input, for the table."""

    made = []

    def __init__(self, folder, rules, settings, at=0):
        self.settings, self.at, self.got, self.pictured, self.ended = settings, at, [], {}, None
        _Kept.made.append(self)

    def curves(self, step, numbers):
        self.got += [(step, tag, float(number)) for tag, number in numbers.items()]

    def pictures(self, step, pictures):
        self.pictured |= {(step, name): picture for name, picture in pictures.items()}

    def flush(self):
        self.flushed = len(self.got)

    def summary(self, step, certificate):
        self.certificate = certificate

    def close(self, finished):
        self.ended = finished


@pytest.fixture
def kept(monkeypatch):
    monkeypatch.setitem(loggers.LOGGERS.rows, "kept", Row(f"{__name__}:_Kept", "keeps all"))
    monkeypatch.setattr(_Kept, "made", [])
    monkeypatch.setitem(sys.modules, __name__, sys.modules[__name__])
    return _Kept


@pytest.fixture
def both(kept, tmp_path):
    """Return the folder of a training with three loggers, and the logger that kept everything."""
    last = trained(tmp_path / "r", "tensorboard", "csv", "kept")
    return tmp_path / "r", kept.made[0], last


def test_all_loggers_get_the_same_numbers_pictures_and_certificate(both):
    out, kept, last = both
    assert rows_of(out) == kept.got
    assert {step for step, *_ in kept.got} == {0, 2, 4, 6, 8, 10}
    events = EventAccumulator(str(out), {"images": 0}).Reload()
    for tag in {tag for _, tag, _ in kept.got}:
        wanted = [(step, np.float32(number)) for step, name, number in kept.got if name == tag]
        assert [(e.step, np.float32(e.value)) for e in events.Scalars(grouped(tag))] == wanted
    for (step, name), picture in kept.pictured.items():
        file = out / "csv" / f"{name.replace('/', '-')}-{step:08}.png"
        assert np.array_equal(np.asarray(Image.open(file)), picture)
        assert step in [e.step for e in events.Images(name)]
    assert {name for _, name in kept.pictured} == {
        f"policy/{name}" for name in loggers.SCENES["3,3,3"]
    }
    assert kept.certificate == last.certificate == certify(Rules(), player(str(out)))
    table = certificate_table(last.certificate)
    assert (out / "csv" / "certificate.md").read_text() == f"{table}\n"
    assert kept.settings["learner"] == "td0"
    assert kept.ended is True
    assert kept.flushed == len(kept.got)


def test_loggers_change_nothing_that_is_learned(tmp_path, kept):
    names = []
    for log in (("tensorboard",), ("csv", "kept")):
        trained(out := tmp_path / log[0], *log)
        names.append(file_of(read_card(out), WEIGHTS))
    assert names[0] == names[1]


def test_a_log_keeps_all_digits_of_its_last_row(tmp_path):
    (tmp_path / "csv").mkdir()
    (file := tmp_path / "csv" / "curves.csv").write_text(text := "step,tag,value\n4,a,0.25\n")
    loggers.CSVLog(tmp_path, Rules(), {}, at=4).close(True)
    assert file.read_text() == text


def test_an_interrupted_log_goes_on_without_gaps_or_repeats(tmp_path, kept):
    trained(whole := tmp_path / "whole", "csv")

    def stop(evaluation):
        if evaluation.step == 6:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        trained(tmp_path / "r", "csv", "kept", watch=stop)
    assert kept.made[0].ended is False
    with (tmp_path / "r" / "csv" / "curves.csv").open("a") as file:
        file.write("6,exact/blun")  # the process died in the middle of a line
    trained(tmp_path / "r", "csv", "kept", resume=True)
    assert kept.made[1].at == 4  # the last checkpoint
    assert points(rows_of(tmp_path / "r")) == points(rows_of(whole))


def test_a_new_training_removes_what_a_dead_one_logged_and_nothing_else(tmp_path):
    (tmp_path / "csv").mkdir()
    theirs = [tmp_path / "csv" / name for name in ("measurements.csv", "photo.png", ".hidden")]
    ours = [tmp_path / "csv" / name for name in ("curves.csv", "certificate.md", ".curves.csv.x")]
    for file in theirs + ours:
        file.touch()
    trained(tmp_path, "tensorboard", steps=2)
    assert sorted((tmp_path / "csv").iterdir()) == sorted(theirs)


def test_the_command_takes_several_and_says_where_they_are(run_here, tmp_path):
    told = run_here("train.py", "td0", "--steps", 4, "--log", "csv,tensorboard", "--out", "r")
    assert told.returncode == 0, told.stderr
    assert "r/csv/curves.csv" in told.stdout
    assert "tensorboard --logdir" in told.stdout
    told = run_here("train.py", "td0", "--steps", 4, "--log", "csv", "--log", "csv", "--out", "s")
    assert told.returncode == 0, told.stderr
    assert not list((tmp_path / "s").glob("events*"))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("wandb", "pip install 'tttenv[wandb]'"),
        ("mlflow", "pip install 'tttenv[mlflow]'"),
        ("csv,tensorbord", "did you mean tensorboard?"),
    ],
)
def test_a_logger_that_is_not_there_is_refused_before_the_training(
    run_here, tmp_path, monkeypatch, name, said
):
    monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, f"learners.training.{name}_log", raising=False)
    told = run_here("train.py", "td0", "--log", name, "--out", "r")
    assert told.returncode == 2
    assert told.stderr.count("\n") == 1
    assert said in told.stderr
    assert not (tmp_path / "r").exists()
