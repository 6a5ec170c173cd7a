"""Trainings logged to Weights & Biases, offline, and to MLflow in a local store.

`make test-loggers` runs this, in the environment of RLlib: both want other versions than the rest.
"""

import json
import os
import subprocess
import sys

import pytest

from learners.registry import LEARNERS
from learners.training.run import Run, usual_schedule
from learners.training.train import train
from tttenv import Rules
from tttenv.certificates.verdict import certificate_table

SHORT = usual_schedule("td0", steps=10, every=2, checkpoint_every=4)
TAG = "exact/worst_case_X"


def trained(out, *log, **options):
    return train(
        Run("td0", "default", LEARNERS.load("td0").Config(), Rules(), SHORT, log=log),
        out,
        **options,
    )


def stop(evaluation):
    if evaluation.step == 6:
        raise KeyboardInterrupt


def curve(out):
    """Return the curve of one tag in the CSV file beside it."""
    rows = [line.split(",") for line in (out / "csv" / "curves.csv").read_text().splitlines()]
    return [(int(step), float(value)) for step, tag, value in rows[1:] if tag == TAG]


@pytest.fixture
def mlflow(tmp_path, monkeypatch):
    """Return MLflow with a store in files."""
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    library = pytest.importorskip("mlflow")
    library.set_tracking_uri(f"file://{tmp_path}/store")
    return library


def test_mlflow_has_the_curves_pictures_and_certificate(mlflow, tmp_path):
    last = trained(out := tmp_path / "mine", "mlflow", "csv")
    client = mlflow.MlflowClient()
    (run,) = client.search_runs([client.get_experiment_by_name("tttenv").experiment_id])
    assert run.info.run_name == "mine"
    assert run.info.status == "FINISHED"
    assert run.data.params["learner"] == "td0"
    points = client.get_metric_history(run.info.run_id, TAG)
    assert [(point.step, point.value) for point in points] == curve(out)
    pictures = {file.path for file in client.list_artifacts(run.info.run_id, "policy")}
    assert "policy/opening-00000010.png" in pictures
    folder = mlflow.artifacts.download_artifacts(
        run_id=run.info.run_id, artifact_path="certificate.md"
    )
    with open(folder, encoding="utf-8") as file:
        assert file.read() == certificate_table(last.certificate)


def test_mlflow_goes_on_with_a_run_that_is_named(mlflow, tmp_path, monkeypatch):
    with pytest.raises(KeyboardInterrupt):
        trained(tmp_path / "r", "mlflow", watch=stop)
    client = mlflow.MlflowClient()
    number = client.get_experiment_by_name("tttenv").experiment_id
    (run,) = client.search_runs([number])
    assert run.info.status == "FAILED"
    monkeypatch.setenv("MLFLOW_RUN_ID", run.info.run_id)
    trained(tmp_path / "r", "mlflow", resume=True)
    (run,) = client.search_runs([number])
    assert run.info.status == "FINISHED"
    steps = {point.step for point in client.get_metric_history(run.info.run_id, TAG)}
    assert steps == {0, 2, 4, 6, 8, 10}


def test_a_server_of_mlflow_that_is_not_there_is_one_line(mlflow, tmp_path, monkeypatch):
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
    mlflow.set_tracking_uri("http://127.0.0.1:9")
    with pytest.raises(ValueError, match=r"^mlflow: .*127\.0\.0\.1"):
        trained(tmp_path / "r", "mlflow")


def records(data):
    """Yield the records of a run's file: a LevelDB log, in blocks of 32 KiB, after a header.

    Each piece has a checksum of four bytes, its length, and its kind: whole, first, middle, last.
    """
    at, parts, block = 7, b"", 2**15
    while at + 7 <= len(data):
        if block - at % block < 7:
            at += block - at % block
            continue
        length, kind = int.from_bytes(data[at + 4 : at + 6], "little"), data[at + 6]
        parts += data[at + 7 : at + 7 + length]
        at += 7 + length
        if kind in (1, 4):
            yield parts
            parts = b""


def test_wandb_offline_has_the_curves_pictures_and_certificate(tmp_path, monkeypatch):
    wandb = pytest.importorskip("wandb")
    from wandb.proto.wandb_internal_pb2 import Record

    monkeypatch.setenv("WANDB_MODE", "offline")
    with pytest.raises(KeyboardInterrupt):
        trained(tmp_path / "r", "wandb", "csv", watch=stop)
    trained(tmp_path / "r", "wandb", "csv", resume=True)
    wandb.teardown()  # its process writes the files
    points, folders = {}, sorted((tmp_path / "r" / "wandb").glob("offline-run-*"))
    for folder in folders:
        for data in records(next(folder.glob("*.wandb")).read_bytes()):
            record = Record.FromString(data)
            row = {
                (item.key or ".".join(item.nested_key)): json.loads(item.value_json)
                for item in record.history.item
            }
            if TAG in row:
                points[row["step"]] = row[TAG]
    assert len(folders) == 2  # the second run has the points since the last checkpoint
    assert list(points.items()) == curve(tmp_path / "r")
    media = [path.name for path in (tmp_path / "r" / "wandb").rglob("media/**/*") if path.is_file()]
    assert any(name.startswith("opening") for name in media)
    assert any(name.startswith("certificate") for name in media)


def test_no_login_is_one_line_before_the_training(tmp_path):
    env = {k: v for k, v in os.environ.items() if not k.startswith("WANDB")}
    env |= {"HOME": str(tmp_path), "WANDB_BASE_URL": "http://127.0.0.1:9"}
    command = [sys.executable, "-m", "tttenv", "train", "td0", "--log", "wandb", "--out", "r"]
    done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2
    assert "wandb" in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr
