"""Adapters to libraries for training language models, with exact rewards."""

import numpy as np
import pytest
import reasoning_gym
import textarena

from tttenv import Rules, player, text
from tttenv.adapters import reasoning_gym as items_of_reasoning_gym
from tttenv.adapters import textarena as games_of_textarena
from tttenv.exact import solve

RULES = Rules()


def answer_of(policy, rules, board):
    """Return the text that one of our players would write."""
    return f"<move>{policy(board[None])[0].argmax()}</move>"


@pytest.mark.parametrize("notation", text.NOTATIONS)
def test_reasoning_gyms_items_are_the_tasks_and_their_answers_score_one(notation):
    data = reasoning_gym.create_dataset(
        items_of_reasoning_gym.NAME, size=60, seed=1, notation=notation
    )
    again = reasoning_gym.create_dataset(
        items_of_reasoning_gym.NAME, size=60, seed=1, notation=notation
    )
    assert len(data) == len(list(data)) == 60
    wanted = text.tasks(RULES, "train", 1)
    for at, item in enumerate(data):
        assert item == again[at]
        assert item["question"] == wanted[at].prompt(notation)
        assert item["metadata"]["position"] == wanted[at].position
        assert data.score_answer(item["answer"], item) == 1.0
        assert data.score_answer(None, item) == data.score_answer("no idea", item) == 0.0
        for cell in range(RULES.cells):
            said = f"<move>{cell}</move>"
            assert data.score_answer(said, item) == text.reward(wanted[at].verdict(said))
    with pytest.raises(IndexError):
        data[60]


def test_reasoning_gym_begins_again_where_a_split_has_fewer_positions():
    tests = text.tasks(RULES, "test", 0)
    data = reasoning_gym.create_dataset(
        items_of_reasoning_gym.NAME, size=len(tests) + 1, split="test"
    )
    assert data[len(tests)]["question"] == data[0]["question"]


@pytest.mark.parametrize(
    "wrong",
    [{"rules": "5,5,4"}, {"split": "valid"}, {"notation": "FEN"}, {"scheme": "win"}, {"size": 0}],
)
def test_reasoning_gyms_settings_are_checked_in_one_line(wrong):
    with pytest.raises(ValueError, match=r"^[^\n]+$"):
        reasoning_gym.create_dataset(items_of_reasoning_gym.NAME, **wrong)


def game_of_textarena(env, answers):
    """Play a game by functions of the board; return the infos of all steps, and the rewards."""
    env.reset(num_players=2, seed=0)
    board, infos, done = env.rules.start(), [], False
    while not done:
        who, seen = env.get_observation()
        assert who == len(infos) % 2
        assert text.prompt(env.rules, board) in seen
        done, info = env.step(action=answers[who](board))
        infos.append(info)
        if info["legal"]:
            board = env.rules.play(board, info["cell"])
    rewards, about = env.close()
    return infos, rewards, about


def test_a_game_of_textarena_pays_its_result_and_tells_each_moves_regret():
    env = textarena.make(games_of_textarena.NAME)
    perfect, first = player("minimax"), player("first")
    answers = [lambda board, p=p: answer_of(p, RULES, board) for p in (first, perfect)]
    infos, rewards, _ = game_of_textarena(env, answers)
    assert [info["regret"] for info in infos[1::2]] == [0] * len(infos[1::2])
    lost = sum(info["regret"] for info in infos[::2])
    assert rewards == ({0: 0, 1: 0} if lost == 0 else {0: -1, 1: 1})
    board, solution = RULES.start(), solve(RULES)
    for info in infos:
        row = int(solution.positions.index(board))
        assert info["value_before"] == solution.values[row]
        board = RULES.play(board, info["cell"])


def test_textarena_on_other_rules_and_an_answer_without_a_legal_move():
    env = textarena.make("MnkGame-v0-raw", rules="4,4,3", errors=1)
    env.reset(num_players=2)
    assert env.step("somewhere in the middle") == (False, env_info("none"))
    assert env.get_observation()[0] == 0  # forgiven once: still to move
    done, info = env.step("<move>99</move>")
    assert (done, info["reason"]) == (True, "off the board")
    rewards, about = env.close()
    assert rewards == {0: -1, 1: 1}
    assert about[0]["invalid_move"]
    assert not about[1]["invalid_move"]


def env_info(reason):
    """Return the verdict on an answer without a legal move at the start of 4,4,3, where X wins."""
    found = text.verdict(Rules(4, 4, 3), Rules(4, 4, 3).start(), "nowhere")
    assert found.reason == reason
    return {name: getattr(found, name) for name in found.__dataclass_fields__}


def test_random_answers_end_every_game_of_textarena():
    rng = np.random.default_rng(0)
    ends = set()
    for _ in range(30):
        env = textarena.make("MnkGame-v0-raw", rules="2,3,3")
        env.reset(num_players=2)
        done = False
        while not done:
            env.get_observation()
            done, _ = env.step(f"<move>{rng.choice(np.flatnonzero(env.board == 0))}</move>")
        ends.add(tuple(env.close()[0].values()))
    assert (0, 0) in ends
    assert {(1, -1), (-1, 1)} & ends
