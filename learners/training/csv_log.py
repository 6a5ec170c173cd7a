"""Logger that writes plain files: curves as CSV, images, and the certificate as Markdown."""

import csv
import io
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from PIL import Image

from learners.training.loggers import Logger
from tttenv.certificates.certificate import Certificate
from tttenv.certificates.verdict import certificate_table
from tttenv.drawing.tiles import Picture
from tttenv.game.rules import Rules
from tttenv.utils.files import write

HEAD = "step,tag,value\n"


class CSVLog(Logger):
    """Logger that writes a training run to the folder `csv`.

    `curves.csv` has one row per point: step, tag and value. Image files are named after tag and
    step.
    """

    def __init__(
        self, folder: Path, rules: Rules, settings: Mapping[str, Any], at: int = 0
    ) -> None:
        self.folder = folder / "csv"
        file = self.folder / "curves.csv"
        lines = file.read_text(encoding="utf-8").splitlines(True)[1:] if file.exists() else []
        whole = [line for line in lines if line.endswith("\n")]  # the last one may be cut off
        kept = [line for line in whole if int(line.partition(",")[0]) <= at]
        write(file, "".join([HEAD, *kept]))
        self.stream = file.open("a", encoding="utf-8", newline="")

    def curves(self, step: int, numbers: Mapping[str, float]) -> None:
        """Write one row per tag."""
        rows = ((step, tag, repr(float(number))) for tag, number in numbers.items())
        csv.writer(self.stream, lineterminator="\n").writerows(rows)

    def pictures(self, step: int, pictures: Mapping[str, Picture]) -> None:
        """Write each image as a PNG file, such as `policy-opening-00000050.png`."""
        for name, picture in pictures.items():
            data = io.BytesIO()
            Image.fromarray(picture).save(data, "PNG")
            write(self.folder / f"{name.replace('/', '-')}-{step:08}.png", data.getvalue())

    def flush(self) -> None:
        """Write everything to disk."""
        self.stream.flush()
        os.fsync(self.stream.fileno())

    def summary(self, step: int, certificate: Certificate | None) -> None:
        """Write the certificate."""
        if certificate is not None:
            write(self.folder / "certificate.md", f"{certificate_table(certificate)}\n")

    def close(self, finished: bool) -> None:
        """Close the curves file."""
        self.stream.close()
