"""Weights & Biases logger, with one W&B run per command; WANDB_RUN_ID continues an earlier one.

The project is `tttenv` or WANDB_PROJECT; WANDB_MODE=offline keeps the run in the checkpoint's
folder until `wandb sync` uploads it. Only the library reads the API key.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import wandb

from learners.training.loggers import Logger
from tttenv.certificates.certificate import Certificate
from tttenv.certificates.metrics import flat
from tttenv.certificates.verdict import certificate_table
from tttenv.drawing.tiles import Picture
from tttenv.game.rules import Rules


class WandbLog(Logger):
    """Logger whose curves are over training steps; the library's own process writes the data."""

    errors = (wandb.errors.Error,)  # for example without a login

    def __init__(self, folder: Path, rules: Rules, settings: Mapping[str, Any], at: int) -> None:
        self.run: Any = wandb.init(
            project=os.environ.get("WANDB_PROJECT") or "tttenv",
            name=folder.resolve().name,
            dir=str(folder),
            config=dict(settings),
            settings=wandb.Settings(silent=True, console="off", x_disable_stats=True),
        )
        self.run.define_metric("step", hidden=True)
        self.run.define_metric("*", step_metric="step")

    def curves(self, step: int, numbers: Mapping[str, float]) -> None:
        """Log one point per tag."""
        self.run.log({"step": step, **numbers})

    def pictures(self, step: int, pictures: Mapping[str, Picture]) -> None:
        """Log images."""
        made = {name: wandb.Image(picture) for name, picture in pictures.items()}
        self.run.log({"step": step, **made})

    def summary(self, step: int, certificate: Certificate | None) -> None:
        """Log the certificate as text, and its numbers in the run's summary."""
        if certificate is not None:
            text = wandb.Html(f"<pre>{certificate_table(certificate)}</pre>")
            self.run.log({"step": step, "certificate": text})
            self.run.summary.update(flat(certificate))

    def close(self, finished: bool) -> None:
        """End the W&B run."""
        self.run.finish(exit_code=0 if finished else 1)
