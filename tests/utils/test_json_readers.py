"""Readers of JSON files and zips: invalid content gives one short line."""

import io
import json
import os
import zipfile
from pathlib import Path

import numpy as np
import pytest

from tttenv import Rules
from tttenv.adapters.sb3.exact_eval import CERTIFICATE, stored_certificate
from tttenv.adapters.sb3.loading import LARGEST_SETTINGS, load
from tttenv.league import league_file
from tttenv.report import load_players, published

ROOT = Path(__file__).parents[2]


def kept_model(file):
    """Read any file as `stored_certificate` does."""
    (file.parent / CERTIFICATE).unlink(missing_ok=True)
    (file.parent / CERTIFICATE).symlink_to(file)
    return stored_certificate(file.parent, Rules())


READERS = {
    "results": load_players.from_benchmark,
    "published": published.read,
    "league": league_file.read,
    "saved model": kept_model,
    "zip": load,
}
CONTENTS = [
    "[" * 100_000,
    '{"a":' * 100_000,
    "1" * 100_000,
    "[]",
    "5",
    "null",
    '"text"',
    "{}",
    "NaN",
    '{"certificate": 3, "players": 3, "rows": 3}',
    '{"certificate": {}, "players": {}, "rows": {}}',
    '{"certificate": {"\\u001b[2J": 1}, "players": [3], "rows": [3]}',
    "\x1b]0;title\x07",
]


def refused(read, file):
    with pytest.raises(ValueError, match=r".") as refusal:
        read(file)
    told = str(refusal.value).replace(str(file.parent), "")
    assert told.isprintable(), told
    assert len(told) < 500, told


@pytest.mark.parametrize("reader", READERS)
def test_other_contents_are_refused_in_a_short_line(tmp_path, reader):
    for number, content in enumerate(CONTENTS):
        file = tmp_path / f"{number}.file"
        file.write_text(content)
        refused(READERS[reader], file)


@pytest.mark.parametrize("reader", READERS)
def test_what_is_no_file_is_refused_without_being_waited_for(tmp_path, reader):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "device").symlink_to("/dev/zero")
    with (tmp_path / "sparse").open("wb") as stream:
        stream.truncate(10**11)
    for name in ("pipe", "folder", "device", "sparse"):
        refused(READERS[reader], tmp_path / name)


@pytest.mark.parametrize("target", ["none", "link"])
def test_results_that_lead_nowhere_are_refused(tmp_path, target):
    (tmp_path / "link").symlink_to(target)
    refused(load_players.from_benchmark, tmp_path / "link")


def zipped(**parts):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return out.getvalue()


def settings(**fields):
    usual = {"policy_class": {"__module__": "stable_baselines3.common.policies"}, "gae_lambda": 1}
    return json.dumps(usual | fields)


def test_zips_of_any_kind_are_refused_in_a_short_line(tmp_path):
    """Damaged ones, bombs, settings of other kinds; nothing in them is run to find that out."""
    rng, file = np.random.default_rng(0), tmp_path / "model.zip"
    good = zipped(data=settings())
    several = [
        zipped(),
        zipped(data=b" " * (LARGEST_SETTINGS + 1)),
        zipped(data="[" * 100_000),
        zipped(data=settings(policy_class=["__module__"])),
        zipped(data=settings(policy_class={"__module__": "\x1b[2J" * 10_000})),
        zipped(data="[1]"),
        good,
    ]
    for _ in range(300):
        data = np.frombuffer(good, np.uint8).copy()
        at = rng.integers(0, len(data), 3)
        data[at] = rng.integers(0, 256, 3)
        several.append(data.tobytes()[: int(rng.integers(1, len(data) + 1))])
        several.append(data.tobytes())
    for data in several:
        file.write_bytes(data)
        refused(load, file)
