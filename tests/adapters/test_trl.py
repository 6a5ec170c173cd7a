"""Dataset and reward functions for TRL, called as its `GRPOTrainer` calls them."""

import ast
import inspect
import re
from pathlib import Path

import pytest
from language_server import perfect
from transformers.utils import get_json_schema
from trl import GRPOConfig

from tttenv import Rules, text
from tttenv.adapters.trl import game_factory, reward_function, rows

RULES = Rules()
TASKS = text.tasks(RULES)[:40]


def called(function, taken, completions):
    """Call a reward function with the columns of the rows, and what else the trainer adds."""
    columns = {key: [row[key] for row in taken] for key in ("rules", "position")}
    return function(
        prompts=[row["prompt"] for row in taken],
        completions=completions,
        completion_ids=None,
        trainer_state=None,
        **columns,
    )


@pytest.mark.parametrize("chat", [True, False])
@pytest.mark.parametrize("scheme", text.SCHEMES)
def test_rewards_are_those_of_the_verdicts(scheme, chat):
    answers = [f"<move>{number % 9}</move>" for number in range(len(TASKS))]
    completions = [[{"role": "assistant", "content": said}] if chat else said for said in answers]
    function = reward_function(scheme)
    found = called(function, rows(TASKS, chat=chat), completions)
    assert found == [
        text.reward(task.verdict(said), scheme) for task, said in zip(TASKS, answers, strict=True)
    ]
    assert set(found) > {0.0}
    assert function.__name__ == f"exact_{scheme}"


def test_rows_are_plain_data_with_the_prompt_asked_for():
    (row,) = rows(TASKS[:1], "moves", legal=True)
    assert row["prompt"] == [{"role": "user", "content": TASKS[0].prompt("moves", legal=True)}]
    assert (row["rules"], row["position"]) == ("3,3,3", TASKS[0].position)
    (row,) = rows(TASKS[:1], chat=False)
    assert row["prompt"] == TASKS[0].prompt()


def test_the_last_message_of_a_conversation_counts():
    good, bad = (f"<move>{cell}</move>" for cell in (TASKS[0].best[0], 99))
    said = [{"role": "assistant", "content": part} for part in (bad, good)]
    assert called(reward_function(), rows(TASKS[:1] * 2), [said, said[::-1]]) == [1.0, 0.0]


def test_the_documented_settings_are_valid_without_a_gpu():
    page = (Path(__file__).parents[2] / "docs/how-to/language-models.md").read_text()
    blocks = [ast.parse(block) for block in re.findall(r"^```python\n(.*?)^```", page, re.S | re.M)]
    calls = [node for block in blocks for node in ast.walk(block) if isinstance(node, ast.Call)]
    configs = [ast.unparse(call) for call in calls if ast.unparse(call.func) == "GRPOConfig"]
    assert len(configs) == 2
    for config in configs:
        assert eval(config, {"GRPOConfig": GRPOConfig}).use_cpu


def test_what_a_search_leaves_undecided_is_left_out():
    board = "_" * 361
    assert reward_function()(["a1"], rules=["19,19,5"], position=[board]) == [None]


def test_a_perfect_rollout_is_paid_in_full_and_its_result_is_that_of_the_game():
    make = {pays: game_factory(pays=pays, seed=3) for pays in ("regret", "result")}
    regret, result = make["regret"](), make["result"]()
    results, best = set(), perfect(RULES)
    for _ in range(20):
        seen, same = regret.reset(prompt="ignored"), result.reset()
        assert regret.get_reward() == result.get_reward() == 0.0
        while "The game is over" not in seen:
            assert seen == same
            cell = re.search(r"\d+", best(seen))[0]
            seen, same = regret.play(f"{cell}"), result.play(f"[{cell}]")
        assert regret.get_reward() == 1.0
        ends = {"The game is over: you have won.": 1.0, "The game is over: a draw.": 0.5}
        assert result.get_reward() == ends[seen]
        assert regret.play("0") == "The game is over."
        results.add(result.get_reward())
    assert 1.0 in results


def test_trl_finds_one_tool_with_a_schema_and_games_of_their_own():
    make = game_factory(seed=5)
    one, other = make(), make()
    public = [name for name, _ in inspect.getmembers(type(one), inspect.isfunction)]
    assert [name for name in public if not name.startswith("_")] == ["get_reward", "play", "reset"]
    found = get_json_schema(one.play)["function"]
    assert (found["name"], found["parameters"]["required"]) == ("play", ["cell"])
    starts = [[game.reset() for _ in range(20)] for game in (one, other, game_factory(seed=5)())]
    assert starts[0] == starts[2] != starts[1]
