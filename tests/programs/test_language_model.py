"""Language models that learn from prompts alone: some steps of one, and the one in checkpoints."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

from tttenv import Rules, certify, player

SHIPPED = Path(__file__).parents[2] / "checkpoints" / "language-model"


def test_a_training_writes_a_model_that_is_certified_by_name(tmp_path):
    folder = tmp_path / "lm"
    rules = Rules(1, 5, 3)
    given = shlex.split("--rules 1,5,3 --steps 20 --every 10")
    done = subprocess.run(
        [sys.executable, "-m", "learners.examples.language_model", "--folder", folder, *given],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    last = json.loads((folder / "results.json").read_text())["curve"][-1]
    found = certify(rules, player(f"hf:path={folder},tokens=16", rules))
    assert found.worst_case == {seat: last[f"exact/worst_case_{seat}"] for seat in "XO"}


def test_the_shipped_model_is_certified_unbeatable_by_its_answers():
    model = player(f"hf:path={SHIPPED}", Rules())
    assert certify(Rules(), model).unbeatable
    assert not model.illegal
    assert sum(file.stat().st_size for file in SHIPPED.iterdir()) < 1_000_000
