"""Logger that writes plain files: curves as CSV, images, and the certificate as Markdown."""

import csv
import io
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from PIL import Image

from tttenv.certificates.certificate import Certificate
from tttenv.certificates.verdict import certificate_table
from tttenv.drawing.tiles import Picture
from tttenv.game.rules import Rules
from tttenv.utils.files import write
from tttenv.utils.untrusted import read_bytes, shown

FOLDER, CURVES, CERTIFICATE = "csv", "curves.csv", "certificate.md"
HEAD = ("step", "tag", "value")
STEP = re.compile(r"[0-9]{1,18}")
LARGEST = 2**30  # bytes of curves that are read to go on


class CSVLog:
    """Logger that writes a training run to the folder `csv`; see `loggers.Logger`.

    `curves.csv` has one row per point: step, tag and value. Image files are named after tag and
    step.
    """

    def __init__(
        self, folder: Path, rules: Rules, settings: Mapping[str, Any], at: int = 0
    ) -> None:
        self.folder = folder / FOLDER
        file = self.folder / CURVES
        write(file, _text([HEAD, *(_rows_until(file, at) if at else [])]))
        self.stream = file.open("a", encoding="utf-8", newline="")

    def curves(self, step: int, numbers: Mapping[str, float]) -> None:
        """Write one row per tag."""
        self.stream.write(_text((step, tag, repr(float(n))) for tag, n in numbers.items()))

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
            write(self.folder / CERTIFICATE, f"{certificate_table(certificate)}\n")

    def close(self, finished: bool) -> None:
        """Close the curves file."""
        self.stream.close()


def _text(rows: Any) -> str:
    made = io.StringIO(newline="")
    csv.writer(made, lineterminator="\n").writerows(rows)
    return made.getvalue()


def _rows_until(file: Path, step: int) -> list[list[str]]:
    """Return the rows of an interrupted run up to `step`; the last line may be truncated.

    Raises:
        ValueError: naming the file, if it is not CSV.
    """
    try:
        text = read_bytes(file, LARGEST).decode(errors="replace")
    except FileNotFoundError:
        return []
    whole = text[: text.rfind("\n") + 1]
    try:
        rows = [row for row in csv.reader(io.StringIO(whole)) if len(row) == len(HEAD)]
    except csv.Error as error:
        raise ValueError(f"{shown(file)} is not CSV: {shown(error)}") from None
    return [row for row in rows if STEP.fullmatch(row[0]) and int(row[0]) <= step]
