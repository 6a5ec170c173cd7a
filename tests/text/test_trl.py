"""The dataset and the reward functions for TRL, called as its `GRPOTrainer` calls them."""

import pytest

from tttenv import Rules, text
from tttenv.adapters.trl import reward_function, rows

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


@pytest.mark.parametrize("completion", ["", [], [{"role": "assistant", "content": None}]])
def test_a_completion_without_text_is_worth_nothing(completion):
    assert called(reward_function(), rows(TASKS[:1]), [completion]) == [0.0]


def test_what_a_search_leaves_undecided_is_left_out():
    board = "_" * 361
    assert reward_function()(["a1"], rules=["19,19,5"], position=[board]) == [None]


def test_an_unknown_scheme_is_named_before_the_training():
    with pytest.raises(ValueError, match="scheme is one of regret, kept, game"):
        reward_function("elo")
