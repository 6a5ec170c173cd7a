"""Single-file PPO: it learns, is reproducible bit for bit, and prints one line."""

import ast
import sys
from pathlib import Path

import pytest
import torch

from learners.examples import ppo

FILE = Path(ppo.__file__)


def test_the_same_seed_gives_the_same_weights(tmp_path):
    def weights(seed):
        args = ppo.Args(steps=3000, seed=seed, opponent="tactical", folder=str(tmp_path))
        return torch.nn.utils.parameters_to_vector(ppo.train(args).parameters())

    torch.manual_seed(5)
    first = weights(1)
    after = torch.rand(1)
    torch.manual_seed(6)
    assert torch.equal(weights(1), first)
    assert not torch.equal(weights(2), first)
    torch.manual_seed(5)
    assert torch.equal(torch.rand(1), after), "the global dice are left as they were"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [(["--opponent", "nobody"], "unknown player"), (["--rules", "3"], "m,n,k")],
)
def test_mistakes_are_named_in_one_line(wrong, message, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["ppo", "--folder", str(tmp_path), *wrong])
    with pytest.raises(SystemExit) as ended:
        ppo.main()
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert message in said


def test_it_is_one_file_of_fewer_than_250_lines():
    text = FILE.read_text(encoding="utf-8")
    assert text.count("\n") < 250
    imported = {
        getattr(node, "module", None)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ImportFrom)
    }
    assert not {name for name in imported if name and name.startswith("learners")}
