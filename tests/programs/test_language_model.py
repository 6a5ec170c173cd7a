"""Language model that learns from prompts alone: a few steps of each stage."""

import json
import shlex
import subprocess
import sys

from tttenv import Rules, certify, player, text
from tttenv.exact import positions


def test_its_stages_write_models_that_are_certified_by_name(tmp_path):
    folder = tmp_path / "lm"
    rules = Rules(2, 3, 3)
    given = shlex.split("--rules 2,3,3 --steps 10 --grpo-steps 2 --prompts 2")
    done = subprocess.run(
        [sys.executable, "-m", "learners.examples.language_model", "--folder", folder, *given],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads((folder / "results.json").read_text())["results"]
    assert list(found) == ["untrained", "imitation", "grpo"]
    stage, result = list(found.items())[-1]
    model = player(f"hf:path={folder / stage},tokens=16", rules)
    never = {seat: worst == 0 for seat, worst in result["worst_case"].items()}
    assert certify(rules, model).never_loses == never
    game = positions(rules)
    board = game.boards[game.decisions[0]]
    assert isinstance(model.ask(text.prompt(rules, board)), str | None)
