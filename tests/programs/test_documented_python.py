"""Python of the READMEs, run as written from top to bottom."""

import pytest
from test_readme import BLOCKS

ANSWERS = {  # what their Python prints, besides other things
    "README.md": "X wins\nWIN 1.0\n{'X': 0.0, 'O': 0.0}\n",
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [name for name, blocks in BLOCKS.items() if blocks])
def test_its_python_runs_from_top_to_bottom(name, capsys):
    names = {}
    for block in BLOCKS[name]:
        exec(compile(block, name, "exec"), names)
    assert ANSWERS.get(name, "") in capsys.readouterr().out
