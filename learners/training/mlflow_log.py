"""MLflow logger, with one MLflow run per training run.

The experiment is `tttenv` or MLFLOW_EXPERIMENT_NAME, on the server or in the store given by
MLFLOW_TRACKING_URI.
"""

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mlflow import MlflowClient
from mlflow.entities import Metric, Param, RunStatus
from mlflow.exceptions import MlflowException

from learners.training.loggers import Logger, run_of
from tttenv.certificates.certificate import Certificate
from tttenv.certificates.verdict import certificate_table
from tttenv.drawing.tiles import Picture
from tttenv.game.rules import Rules
from tttenv.utils.files import write

RUN = "mlflow-run.txt"  # the run's identifier, in the checkpoint's folder
LONGEST = 500  # characters of a setting


class MLflowLog(Logger):
    """Logger of a training run, continued on resume; each call writes its data at once."""

    errors = (MlflowException,)  # such as a server that cannot be reached

    def __init__(
        self, folder: Path, rules: Rules, settings: Mapping[str, Any], at: int = 0
    ) -> None:
        self.client: Any = MlflowClient()
        known = run_of(folder / RUN) if at else None
        if known is not None:
            self.client.update_run(known, status=RunStatus.to_string(RunStatus.RUNNING))
        else:
            name = os.environ.get("MLFLOW_EXPERIMENT_NAME") or "tttenv"
            found = self.client.get_experiment_by_name(name)
            number = found.experiment_id if found else self.client.create_experiment(name)
            known = self.client.create_run(number, run_name=folder.resolve().name).info.run_id
            params = [Param(key, str(value)[:LONGEST]) for key, value in settings.items()]
            self.client.log_batch(known, params=params)
        self.run = known
        write(folder / RUN, f"{known}\n")

    def curves(self, step: int, numbers: Mapping[str, float]) -> None:
        """Log one point per tag."""
        now = int(time.time() * 1000)
        metrics = [Metric(tag, float(number), now, step) for tag, number in numbers.items()]
        self.client.log_batch(self.run, metrics=metrics)

    def pictures(self, step: int, pictures: Mapping[str, Picture]) -> None:
        """Log images as artifacts, such as `policy/opening-00000050.png`."""
        for name, picture in pictures.items():
            self.client.log_image(self.run, picture, f"{name}-{step:08}.png")

    def summary(self, step: int, certificate: Certificate | None) -> None:
        """Log the certificate as text."""
        if certificate is not None:
            self.client.log_text(self.run, certificate_table(certificate), "certificate.md")

    def close(self, finished: bool) -> None:
        """End the MLflow run."""
        self.client.set_terminated(self.run, "FINISHED" if finished else "FAILED")
