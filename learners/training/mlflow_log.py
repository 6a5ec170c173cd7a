"""MLflow logger, with one MLflow run per command; MLFLOW_RUN_ID continues an earlier one.

The experiment is `tttenv` or MLFLOW_EXPERIMENT_NAME, on the server or in the store given by
MLFLOW_TRACKING_URI.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import mlflow
from mlflow.exceptions import MlflowException

from learners.training.loggers import Logger
from tttenv.certificates.certificate import Certificate
from tttenv.certificates.verdict import certificate_table
from tttenv.drawing.tiles import Picture
from tttenv.game.rules import Rules


class MLflowLog(Logger):
    """Logger whose calls write their data at once."""

    errors = (MlflowException,)  # such as a server that cannot be reached

    def __init__(self, folder: Path, rules: Rules, settings: Mapping[str, Any], at: int) -> None:
        mlflow.set_experiment(os.environ.get("MLFLOW_EXPERIMENT_NAME") or "tttenv")
        mlflow.start_run(run_name=folder.resolve().name, nested=True)
        mlflow.log_params(dict(settings))

    def curves(self, step: int, numbers: Mapping[str, float]) -> None:
        """Log one point per tag."""
        mlflow.log_metrics({tag: float(number) for tag, number in numbers.items()}, step)

    def pictures(self, step: int, pictures: Mapping[str, Picture]) -> None:
        """Log images as artifacts, such as `policy/opening-00000050.png`."""
        for name, picture in pictures.items():
            mlflow.log_image(picture, f"{name}-{step:08}.png")

    def summary(self, step: int, certificate: Certificate | None) -> None:
        """Log the certificate as text."""
        if certificate is not None:
            mlflow.log_text(certificate_table(certificate), "certificate.md")

    def close(self, finished: bool) -> None:
        """End the MLflow run."""
        mlflow.end_run("FINISHED" if finished else "FAILED")
