"""Trainings on a GPU: the same seed gives the same weights, and layers round as on the CPU."""

import numpy as np
import pytest
import torch

from learners.nets import computing_on
from learners.registry import LEARNERS
from learners.residual_net import Outputs, ResidualNet, planes_of
from learners.training.run import Run, Schedule
from learners.training.train import train
from tttenv.game.rules import Rules
from tttenv.players.stored.checkpoint import WEIGHTS, file_of, read_card

RULES = Rules(3, 3, 3)


@pytest.mark.parametrize("name", list(LEARNERS))
def test_a_seed_gives_the_same_training_again(tmp_path, name):
    config = LEARNERS.load(name).presets["default"]
    schedule = Schedule(20, 20, 20, device="cuda")
    found = []
    for folder in (tmp_path / "first", tmp_path / "again"):
        train(Run(name, "default", config, RULES, schedule), folder)
        found.append(file_of(read_card(folder), WEIGHTS))  # the name holds a hash of the content
    assert found[0] == found[1]


def test_a_network_rounds_as_finely_as_on_the_cpu():
    rules = Rules(9, 9, 5)
    boards = np.random.default_rng(0).choice([-1, 0, 1], (64, rules.cells)).astype(np.int8)

    def outputs(device: str) -> Outputs:
        with computing_on(device), torch.inference_mode():
            net = ResidualNet(32, 2, np.random.default_rng(1))
            for weight in net.parameters():  # the last layers are zero
                weight.add_(torch.linspace(-0.1, 0.1, weight.numel()).reshape(weight.shape))
            return Outputs(*(part.cpu() for part in net(planes_of(rules)(boards))))

    for here, there in zip(outputs("cpu"), outputs("cuda"), strict=True):
        assert (here - there).abs().max() <= 1e-5 * here.abs().max()


def test_settings_are_restored():
    def settings() -> list[bool]:
        cudnn = torch.backends.cudnn
        deterministic = torch.are_deterministic_algorithms_enabled()
        only_warned = torch.is_deterministic_algorithms_warn_only_enabled()
        return [deterministic, only_warned, cudnn.deterministic, cudnn.allow_tf32, cudnn.enabled]

    for before in ((False, False), (True, True)):
        torch.use_deterministic_algorithms(before[0], warn_only=before[1])
        outside = settings()
        with computing_on("cuda:0"):
            assert settings() == [True, False, True, False, True]
            assert torch.zeros(1).is_cuda
        assert settings() == outside
    torch.use_deterministic_algorithms(False)
    assert not torch.zeros(1).is_cuda
