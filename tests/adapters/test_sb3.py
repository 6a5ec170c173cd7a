"""Stable-Baselines3 and sb3-contrib: the VecEnv, and models as players."""

import base64
import json
import pickle
import re
import zipfile
from dataclasses import asdict

import gymnasium as gym
import numpy as np
import pytest
import stable_baselines3
import torch
from sb3_contrib.common.maskable.evaluation import evaluate_policy as evaluate_masked
from sb3_models import KINDS, RULES, every_kind, made, recurrent
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import VecMonitor, VecNormalize

from tttenv import Rules, certify, player
from tttenv.adapters.sb3 import ExactEvalCallback, SelfPlayCallback, VecEnv, load, policy
from tttenv.adapters.sb3.models import observed
from tttenv.game.features import one_hot
from tttenv.players import FOREIGN, PLAYERS, is_path
from tttenv.players.stored.sb3 import Algorithm
from tttenv.testing import check_policy, some_boards

WRAPPED = {
    "gym.make": lambda obs: gym.make("TicTacToe-v0", illegal="raise", obs=obs),
    "make_vec_env": lambda obs: make_vec_env(
        "TicTacToe-v0", 4, env_kwargs={"illegal": "raise", "obs": obs}
    ),
    "VecMonitor": lambda obs: VecMonitor(VecEnv(4, illegal="raise", obs=obs)),
    "VecNormalize": lambda obs: VecNormalize(VecEnv(4, illegal="raise", obs=obs)),
}


@pytest.mark.filterwarnings("error::UserWarning")
@pytest.mark.parametrize(
    ("wrapped", "obs"), list(zip(WRAPPED, ["onehot", "board", "dict", "dict"], strict=True))
)
def test_masked_training_and_evaluation_work_in_any_wrapping_without_illegal_moves(wrapped, obs):
    env = WRAPPED[wrapped](obs)
    model = made("maskable_ppo", env, n_steps=32, batch_size=32, n_epochs=2)
    exact = ExactEvalCallback(every=100)
    model.learn(300, [exact, SelfPlayCallback(every=100, swap=50)])
    assert exact.certificate == certify(RULES, policy(model, RULES, deterministic=True))
    evaluate_masked(model, model.get_env(), 10, warn=False)


@pytest.mark.parametrize(("kind", "obs"), [("dqn", "onehot"), ("qrdqn", "dict")])
def test_value_models_learn_from_last_observations_in_any_form(kind, obs):
    env = VecNormalize(VecMonitor(VecEnv(4, obs=obs)))
    model = made(kind, env, learning_starts=20, train_freq=1)
    model.learn(200)
    check_policy(policy(model, RULES), RULES, count=50)


@pytest.mark.parametrize("obs", ["onehot", "board", "dict"])
def test_the_last_observation_of_a_game_is_in_its_info_as_the_space_has_it(obs):
    env, found = VecEnv(16, obs=obs), 0
    env.reset()
    for _ in range(20):
        _, _, over, infos = env.step(env.games.sample_actions())
        for info in (infos[game] for game in np.flatnonzero(over)):
            assert env.observation_space.contains(info["terminal_observation"])
            found += 1
    assert found > 30


def test_a_vec_env_that_would_mislead_sb3_says_so():
    with pytest.warns(UserWarning, match="opponent=None .* use SelfPlayCallback"):
        VecEnv(2, opponent=None)


def test_the_vec_env_shows_its_games():
    env = VecEnv(3, render_mode="rgb_array")
    env.reset()
    picture = env.get_images()[0]
    assert len(env.get_images()) == len(env.env_method("render")) == 3
    assert env.render().shape == (2 * picture.shape[0], 2 * picture.shape[1], 3)


@every_kind
@pytest.mark.parametrize("rules", [(3, 3, 3), (2, 4, 3), (5, 5, 4)])
@pytest.mark.parametrize("deterministic", [False, True])
def test_any_model_is_a_lawful_player(kind, rules, deterministic):
    game = Rules(*rules)
    model = made(kind, VecEnv(2, **asdict(game)))
    check_policy(policy(model, game, deterministic), game, count=60)


@pytest.mark.parametrize("obs", ["onehot", "board", "dict"])
def test_a_player_moves_as_its_model_predicts(obs):
    env = VecEnv(2, obs=obs)
    boards = some_boards(RULES, 80)
    masks, legal = boards == 0, np.arange(len(boards))
    hot = one_hot(boards)
    both = {"observation": hot, "action_mask": masks.astype(np.int8)}
    seen = {"onehot": hot, "board": boards, "dict": both}[obs]
    for kind in ("maskable_ppo", "dqn"):
        model = made(kind, env)
        tensor, _ = model.policy.obs_to_tensor(seen)
        likeliest = policy(model, RULES, deterministic=True)(boards)
        if kind == "dqn":
            values = np.where(masks, model.q_net(tensor).detach().numpy(), -np.inf)
            cells = values.argmax(axis=1)
        else:
            cells, _ = model.predict(seen, action_masks=masks, deterministic=True)
            chances = model.policy.get_distribution(tensor, masks).distribution
            values = chances.logits.detach().numpy()
            odds = chances.probs.detach().numpy()
            assert policy(model, RULES)(boards) == pytest.approx(odds, abs=1e-6)
        played = likeliest.argmax(axis=1)
        assert (likeliest[legal, played] == 1).all()
        assert values[legal, played] == pytest.approx(values[legal, cells], abs=3e-4)
        assert (played == cells).mean() > 0.8  # an untrained model's values hardly differ


@pytest.mark.parametrize(
    ("kind", "obs"), [(kind, "onehot") for kind in KINDS] + [("ppo", "board"), ("dqn", "dict")]
)
def test_beyond_enumeration_a_copy_of_the_network_is_evaluated_in_float64(kind, obs):
    game = Rules(5, 5, 4)
    model = made(kind, VecEnv(2, obs=obs, **asdict(game)))
    own, boards = observed(model, game, False), some_boards(game, 40)
    with torch.no_grad():
        for weights in model.policy.parameters():
            weights += 0.01 * torch.randn_like(weights)  # since ARS begins with zeros
    before = {name: value.clone() for name, value in model.policy.state_dict().items()}
    play = policy(model, game)
    numbers = play.numbers(boards)
    assert numbers == pytest.approx(own.numbers(boards), abs=1e-5)
    assert (numbers != numbers.astype(np.float32)).any()
    alone = np.concatenate([play.numbers(board[None]) for board in boards])
    assert alone == pytest.approx(numbers, abs=1e-13)
    after = model.policy.state_dict()
    assert all(torch.equal(after[name], value) for name, value in before.items())
    assert not any(part._forward_pre_hooks for part in model.policy.modules())
    assert (own.numbers(boards) == own.numbers(boards).astype(np.float32)).all()
    assert {value.dtype for value in model.policy.parameters()} == {torch.float32}


def broken():
    model = made("ppo")
    with torch.no_grad():
        model.policy.action_net.bias[0] = torch.nan
    return model


@pytest.mark.parametrize(
    ("model", "rules", "why"),
    [
        (lambda: made("ppo"), (5, 5, 4), "action space is Discrete(9), not 25 cells"),
        (recurrent, (3, 3, 3), "a RecurrentPPO cannot be a player: it remembers earlier boards"),
        (broken, (3, 3, 3), "the model returned no distribution"),
        (
            lambda: stable_baselines3.PPO("MlpPolicy", gym.make("FrozenLake-v1"), device="cpu"),
            (2, 2, 2),
            "the model observes Discrete(16), which matches no observations of 2,2,2",
        ),
    ],
)
def test_a_model_that_is_no_player_is_refused_in_one_line(model, rules, why):
    with pytest.raises(ValueError, match=f"^[^\n]*{re.escape(why)}[^\n]*$"):
        policy(model(), Rules(*rules))


@pytest.fixture(scope="module")
def zips(tmp_path_factory):
    """Return a saved model of each kind."""
    folder = tmp_path_factory.mktemp("zips")
    for kind in KINDS:
        made(kind).save(folder / f"{kind}.zip")
    return folder


@every_kind
def test_a_saved_model_is_recognised_and_plays_by_its_name(zips, kind):
    boards, file = some_boards(RULES, 60), zips / f"{kind}.zip"
    assert type(load(file)) is KINDS[kind]
    for option, deterministic in (("", False), (",deterministic=true", True)):
        spec = f"sb3:path={file},trust=true{option}"
        wanted = policy(made(kind), RULES, deterministic)(boards)
        assert (player(spec)(boards) == wanted).all()
    assert not is_path(spec)
    gym.make("TicTacToe-v0", opponent=spec).reset(seed=0)


class Bomb:
    """Object that writes a file when it is unpickled."""

    def __init__(self, file):
        self.file = file

    def __reduce__(self):
        return open, (str(self.file), "w")


def test_nothing_in_a_zip_is_run_without_trust(zips, tmp_path):
    with zipfile.ZipFile(zips / "ppo.zip") as archive:
        data = json.loads(archive.read("data"))
        rest = {name: archive.read(name) for name in archive.namelist() if name != "data"}
    bomb = base64.b64encode(pickle.dumps(Bomb(tmp_path / "gone_off"))).decode()
    data["lr_schedule"] = {":type:": "x", ":serialized:": bomb}
    file = tmp_path / "gift.zip"
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in {**rest, "data": json.dumps(data)}.items():
            archive.writestr(name, content)
    for spec in (f"sb3:path={file}", f"sb3:path={file},trust=false,algorithm=ppo"):
        with pytest.raises(ValueError, match=r"^[^\n]*without trust=true[^\n]*unpickled[^\n]*$"):
            player(spec)
    assert not (tmp_path / "gone_off").exists()
    player(f"sb3:path={file},trust=true")
    assert (tmp_path / "gone_off").exists()  # it does what the error warns of


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ("", "sb3 needs a saved model: sb3:path=MODEL.zip,trust=true"),
        ("path={0}/none.zip,trust=true", "none.zip cannot be read: No such file"),
        ("path={0}/text.zip,trust=true", "text.zip is not a model saved by SB3: File is not a zip"),
        ("path={0}/half.zip,trust=true", "half.zip is not a model saved by SB3"),
        ("path={0}/torn.zip,trust=true", "torn.zip is not a ppo model"),
        ("path={0}/dqn.zip,trust=true,algorithm=ppo", "dqn.zip is not a ppo model"),
        ("path={0}/lstm.zip,trust=true", "set algorithm= to one of maskable_ppo, ppo"),
        ("path={0}/ppo.zip,trust=true,algorithm=tqc", "algorithm='tqc' is not one of detect,"),
    ],
)
def test_a_model_that_cannot_be_loaded_is_refused_in_one_line(zips, options, why):
    (zips / "text.zip").write_text("no zip")
    whole = (zips / "ppo.zip").read_bytes()
    (zips / "half.zip").write_bytes(whole[: len(whole) // 2])
    with zipfile.ZipFile(zips / "ppo.zip") as old, zipfile.ZipFile(zips / "torn.zip", "w") as new:
        new.writestr("data", old.read("data"))
        new.writestr("policy.pth", b"torn")
    recurrent().save(zips / "lstm.zip")
    with pytest.raises(ValueError, match=f"^[^\n]*{re.escape(why)}[^\n]*$"):
        player("sb3:" + options.format(zips))


def test_players_from_outside_have_rows_of_their_own():
    assert not set(FOREIGN) & set(PLAYERS)
    assert {"sb3", "external"} <= set(FOREIGN)
    assert callable(FOREIGN.load("sb3"))
    assert set(Algorithm.__args__) == {"detect", *KINDS}
    for row in FOREIGN.rows.values():
        assert 0 < len(row.about) <= 80


def test_openings_change_neither_a_seat_nor_games_that_go_on():
    env = VecEnv(32, opening=4)
    env.seed(0)
    env.reset()
    env.set_options({"seat": "O"})
    env.reset()
    assert (np.count_nonzero(env.games.boards, axis=1) == 1).all()
    before, some = env.games.boards, np.arange(32) < 8
    env.set_options({"reset_mask": some})
    env.reset()
    assert (env.games.boards[~some] == before[~some]).all()
