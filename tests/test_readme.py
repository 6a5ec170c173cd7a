"""What the README says, run as written."""

import re
from pathlib import Path

import pytest

from learners.registry import LEARNERS
from tttenv.opponents import OPPONENTS

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


@pytest.mark.filterwarnings("ignore")
def test_its_python_runs_from_top_to_bottom(capsys):
    blocks = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert len(blocks) >= 4
    names = {}
    for block in blocks:
        exec(compile(block, "README.md", "exec"), names)
    assert "False" in capsys.readouterr().out  # the player of the last empty cell can be beaten


def test_it_lists_every_player_and_every_learner():
    for name in (*OPPONENTS, *LEARNERS):
        assert f"| `{name}` |" in README


def test_the_scripts_and_folders_it_names_are_there():
    root = Path(__file__).parents[1]
    for script in set(re.findall(r"scripts/\w+\.py", README)):
        assert (root / script).is_file()
    for path in set(re.findall(r"checkpoints/[\w./]*\w", README)):
        assert (root / path if "." in path else root / path / "card.json").is_file()
