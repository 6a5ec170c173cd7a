"""Public names for code outside this repository, which stay when modules move."""

import importlib
from pathlib import Path

import pytest

import tttenv

# What each module offers, by the name under which people import it.
PUBLIC = {
    "tttenv": "Outcome Policy Rules certify draw draw_games player refute score solve worst_case",
    "tttenv.adapters": "frozen wanted",
    "tttenv.adapters.alphazero_general": "Net player",
    "tttenv.adapters.trl": "answered reward_function rows",
    "tttenv.env": "ExploringStarts TicTacToe VectorExploringStarts",
    "tttenv.env.vector": "VectorTicTacToe",
    "tttenv.exact": "SEATS ActionRule Chooser Mixture PlayPolicy Positions Score Solution Tabulated"
    " backward_induction best_response enumerable follow positions require_enumerable"
    " require_solvable score solvable solve sweep tabulate worst_case",
    "tttenv.reach": "Graph",
    "tttenv.reach.walk": "Ply TooManyPositionsError Visit first_boards visits walk",
    "tttenv.utils.compiled": "compiled",
    "tttenv.certificates.metrics": "METRICS description measure",
    "tttenv.certificates.metrics.arena": "arena",
    "tttenv.certificates.milestones": "Milestones",
    "tttenv.players": "PLAYERS player",
    "tttenv.policy": "Player Policy Traits Uniform Wrapped blend from_observations greedy"
    " masked_normalise player_for sample softmax uniform uniform_over validated",
    "tttenv.utils.registry": "Row Spec Table",
    "tttenv.game.rules": "Rules",
    "tttenv.testing": "Diagnosis Finding LawBrokenError check_env check_policy"
    " diagnose require some_boards",
    "tttenv.text": "NOTATIONS Parsed SCHEMES SPLITS Task Verdict parse prompt reward tasks verdict",
    "learners": "train",
    "learners.base": "Learner LearnerTraits",
    "learners.training.checkpoint": "load_learner load_policy load_training save"
    " state_bytes state_of",
    "learners.training.loop": "Evaluation Progress run",
    "learners.training.run": "Run Schedule usual_schedule",
    "learners.registry": "LEARNERS LearnerRow row",
    "learners.training.tensorboard": "TensorBoard",
    "learners.testing": "check_learner",
    "learners.training.train": "train",
}
FOREIGN = {  # the same of the adapters, by the library that each needs
    "openspiel": ("pyspiel", "BoardBot BoardPolicy board_of bot game player policy state_of table"),
    "pettingzoo": ("pettingzoo", "AGENTS env raw_env"),
    "sb3": (
        "sb3_contrib",
        "ExactEvalCallback SelfPlayCallback VecEnv illegal_mass load masked policy save",
    ),
    "skrl": ("skrl", "make_env policy"),
    "tianshou": ("tianshou", "make_env policy set_opponent"),
    "torchrl": ("torchrl", "Games LegalActions make_env policy"),
}
SCRIPTS = "benchmark certify doctor play report reproduce speed train"


@pytest.mark.parametrize("module", PUBLIC)
def test_a_public_name_can_be_imported(module):
    found = importlib.import_module(module)
    assert not [name for name in PUBLIC[module].split() if not hasattr(found, name)]


@pytest.mark.parametrize("adapter", FOREIGN)
def test_a_public_name_of_an_adapter_can_be_imported(adapter):
    library, names = FOREIGN[adapter]
    pytest.importorskip(library)
    found = importlib.import_module(f"tttenv.adapters.{adapter}")
    assert not [name for name in names.split() if not hasattr(found, name)]


def test_every_script_is_where_it_was():
    folder = Path(tttenv.__file__).parents[1] / "scripts"
    assert not [name for name in SCRIPTS.split() if not (folder / f"{name}.py").is_file()]
