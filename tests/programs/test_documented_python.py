"""Python of the READMEs and of the documentation, run as written from top to bottom.

Most code of the documentation runs when it is built; pages that have other blocks run here.
"""

from functools import partialmethod

import pytest
from self_play_recipes import RECIPES
from test_docs import PAGES, python_blocks
from test_readme import BLOCKS

ANSWERS = {"README.md": "X wins\nWIN\nunbeatable: False\n"}  # what their Python prints, and more
# Blocks that are not run here, by their first lines, and where they are.
ELSEWHERE = {
    "from dataclasses import replace": "tests/ray_cluster",
    **{f"# {library}:": "tests/self_play_recipes.py" for library in RECIPES},
    "from tttenv.adapters.verifiers import *": "tests/agents",
    "import uvicorn\nfrom tttenv.adapters.openenv": "tests/agents",
    "from tttenv.adapters.openenv import MnkGameAction, MnkGameEnv": "tests/agents",
    "import gymnasium as gym\nfrom gymnasium.wrappers import RecordVideo": "nowhere, says the page",
    "from dataclasses import dataclass\n\nfrom reasoning_gym": "nowhere: no extra installs it",
    "import textarena": "nowhere: no extra installs it",
}


def run(name, blocks):
    names = {}
    for block in blocks:
        exec(compile(block, name, "exec"), names)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [name for name, blocks in BLOCKS.items() if blocks])
def test_its_python_runs_from_top_to_bottom(name, capsys):
    run(name, BLOCKS[name])
    assert ANSWERS.get(name, "") in capsys.readouterr().out


def here(page, cells):
    """Return the Python blocks of a page that are not run elsewhere, with or without its cells."""
    blocks = python_blocks(page, cells)
    return [block for block in blocks if not block.startswith((*ELSEWHERE,))]


def save_models(folder, monkeypatch):
    """Save the untrained models that a page names, and train no model for more than a step."""
    import trl  # few pages need it
    from trl.chat_template_utils import qwen3_chat_template

    from learners.examples.language_model import Args, untrained, word_tokenizer

    tokenizer = word_tokenizer([])
    tokenizer.chat_template = qwen3_chat_template
    for name in ("model", "model-with-tools"):
        untrained(Args(), tokenizer, 640).save_pretrained(folder / "path" / "to" / name)
        tokenizer.save_pretrained(folder / "path" / "to" / name)
    short = partialmethod(trl.GRPOConfig.__init__, max_steps=1, max_completion_length=8)
    monkeypatch.setattr(trl.GRPOConfig, "__init__", short)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("page", [page for page in PAGES if here(page, cells=False)])
def test_a_page_runs_with_the_blocks_that_no_build_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if "path/to/model" in PAGES[page]:
        save_models(tmp_path, monkeypatch)
    run(page, here(page, cells=True))
