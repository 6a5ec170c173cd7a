"""Single-file PPO: it learns, is reproducible bit for bit, and prints one line."""

import json
import sys

import pytest
import torch

from learners.examples import ppo


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


@pytest.mark.parametrize("rules", ["3,3,3", "5,5,4"])
def test_it_ends_with_a_certificate_or_on_larger_boards_with_samples(
    rules, tmp_path, monkeypatch, capsys
):
    few = ["--rules", rules, "--steps", "1024", "--every", "5", "--folder", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", ["ppo", *few])
    ppo.main()
    told = json.loads(capsys.readouterr().out)
    if rules == "3,3,3":
        assert (told["rules"], set(told["worst_case"])) == (rules, {"X", "O"})
    else:
        assert all(tag.startswith(("sampled/", "exact/losing_leaves_")) for tag in told)
