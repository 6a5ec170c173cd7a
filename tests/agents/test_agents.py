"""Environments for verifiers and OpenEnv, by their own checks; run by `make test-agents`."""

import json
import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
import uvicorn
from language_server import perfect, serving

from tttenv import Rules, text
from tttenv.adapters.openenv import MnkGame, MnkGameAction, MnkGameEnv, make_app

RULES = Rules()
BIN = Path(sys.executable).parent
PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "language-models.md"


def documented(library):
    """Return the Python block of the documentation that imports our adapter to a library."""
    block = rf"^```python\n(from tttenv.adapters.{library} .*?)^```"
    return re.search(block, PAGE.read_text(encoding="utf-8"), re.S | re.M)[1]


def verifiers(command, folder, *args):
    """Run one of verifiers' programs on a package with our taskset, as the docs describe."""
    (folder / "mnk_game.py").write_text(documented("verifiers"))
    env = os.environ | {"PYTHONPATH": str(folder), "HOME": str(folder), "OPENAI_API_KEY": "none"}
    done = subprocess.run(
        [BIN / command, "mnk_game", "--no-rich", "-o", folder / "out", *args],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "out"


@pytest.mark.parametrize("scheme", text.SCHEMES)
def test_verifiers_own_validator_finds_every_task_valid(scheme, tmp_path):
    runtime = ["--runtime.type", "subprocess"]
    settings = ["--taskset.split", "test", "--taskset.scheme", scheme]
    out = verifiers("vf-validate", tmp_path, *runtime, *settings)
    (summary,) = out.rglob("summary.json")
    found = json.loads(summary.read_text())
    count = len(text.tasks(RULES, "test"))
    assert found["checks"]["gold"]["valid"] == found["checks"]["noop"]["valid"] == count
    assert found["outcomes"]["valid"] == found["total"] == count


def wrong_on_even(asked):
    """Return a perfect model's answer, or cell 0 if the number of empty cells is even."""
    board = asked.split("\n\n")[2]
    return "<move>0</move>" if sum(mark.isdigit() for mark in board) % 2 == 0 else BEST(asked)


BEST = perfect(RULES)


@pytest.mark.parametrize(
    ("model", "finish"), [(BEST, "stop"), (wrong_on_even, "stop"), (BEST, "length")]
)
def test_an_evaluation_of_verifiers_pays_the_exact_rewards(model, finish, tmp_path):
    with serving(model, finish=finish) as (url, requests):
        client = ["--client.base-url", url, "--client.api-key-var", "OPENAI_API_KEY"]
        agent = ["--env.agent.harness.id", "null", "--env.agent.runtime.type", "subprocess"]
        out = verifiers(
            "vf-eval", tmp_path, "--no-push", "--model", "m", "-n", "6", *client, *agent
        )
    traces = [
        json.loads(line)
        for file in out.rglob("traces.jsonl")
        for line in file.read_text().splitlines()
    ]
    assert len(traces) == len(requests) == 6
    for episode in traces:
        (trace,) = episode["traces"]
        about = episode["task"]["data"]
        said = model(about["prompt"]) if finish == "stop" else "cut off"
        board = RULES.parse(about["position"])
        assert trace["rewards"]["exact"]["score"] == text.reward(text.verdict(RULES, board, said))


@pytest.fixture(scope="module")
def address():
    """Yield the address of a server of games against a perfect player."""
    config = uvicorn.Config(make_app(opponent="minimax"), port=0, log_level="warning")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.05)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join()


def test_openenvs_own_validator_passes_the_server(address):
    done = subprocess.run(
        [sys.executable, "-m", "openenv.cli", "validate", "--url", address],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    found = json.loads(done.stdout)
    assert (done.returncode, found["passed"]) == (0, True)
    assert found["summary"]["failed_criteria"] == []


def test_a_client_plays_the_games_of_the_environment_behind_the_server(address):
    """The same seeds, step by step, beside the environment without a server."""
    best, alone = perfect(RULES), MnkGame(opponent="minimax")
    results = []
    with MnkGameEnv(base_url=address).sync() as env:
        for seed in range(6):
            seen, wanted = env.reset(seed=seed), alone.reset(seed=seed)
            while not seen.done:
                assert seen.observation.prompt == wanted.prompt
                action = MnkGameAction(answer=best(seen.observation.prompt))
                seen, wanted = env.step(action), alone.step(action)
                assert (seen.reward, seen.done) == (wanted.reward, wanted.done)
                assert seen.observation.verdict["regret"] == wanted.verdict["regret"] == 0
            results.append(seen.reward)
            assert env.state().step_count == alone.state.step_count
    assert results == [0.0] * 6


def test_the_client_of_the_docs_plays_on_the_server(address, capsys):
    exec(documented("openenv").replace("http://127.0.0.1:8000", address), {})
    assert "'legal': True" in capsys.readouterr().out


def test_an_answer_without_a_legal_move_loses_and_ends_the_game():
    game = MnkGame()
    game.reset(seed=0)
    seen = game.step(MnkGameAction(answer="I resign."))
    assert (seen.done, seen.reward, seen.verdict["reason"]) == (True, -1.0, "none")
    with pytest.raises(ValueError, match="reset"):
        game.step(MnkGameAction(answer="<move>0</move>"))


def test_random_answers_are_paid_the_results_of_their_games():
    game, rng, paid = MnkGame(opponent="random"), np.random.default_rng(0), set()
    for seed in range(30):
        seen = game.reset(seed=seed)
        while not seen.done:
            empty = np.flatnonzero(game.env.board == 0)
            seen = game.step(MnkGameAction(answer=f"[{rng.choice(empty)}]"))
        paid.add(seen.reward)
    assert paid == {-1.0, 0.0, 1.0}
