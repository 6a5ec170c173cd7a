"""Largest boards with exact results, 4 by 4, compared with known numbers."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tttenv import Rules
from tttenv.env.rollouts import rollout
from tttenv.exact import score
from tttenv.exact.enumeration import positions
from tttenv.exact.solution import solve
from tttenv.game.symmetry import maps
from tttenv.players.stored.checkpoint import read_card
from tttenv.policy import uniform

# Positions of n by n, n in a row, that O wins under best play, up to symmetry, by stones: OEIS
# A317574 (Ibeas, 2018). Positions where O has won are among them.
WON_BY_O = {
    3: [0, 0, 0, 8, 5, 72, 38, 56, 23, 0],
    4: [0] * 7 + [2476, 642, 31841, 11251, 66364, 21718, 29258, 8496, 1335, 371],
}

pytestmark = pytest.mark.xdist_group("16 cells")


@pytest.fixture(scope="module", autouse=True)
def _memory_is_given_back():
    yield
    solve.cache_clear()
    positions.cache_clear()


@pytest.mark.parametrize("n", WON_BY_O)
def test_o_wins_as_many_positions_as_are_known(n):
    game, solution = positions(Rules(n, n, n)), solve(Rules(n, n, n))
    powers = 3 ** np.arange(n * n)
    for stones, wanted in enumerate(WON_BY_O[n]):
        rows = np.arange(len(game))[game.ply(stones)]
        won = game.boards[rows[solution.values[rows] == (-1 if stones % 2 == 0 else 1)]]
        images = [(won[:, image] + 1) @ powers for image in maps(game.rules)]
        assert len(np.unique(np.min(images, axis=0))) == wanted


def test_exact_odds_of_random_play_agree_with_sampled_games():
    rules, games = Rules(4, 4, 4), 4_000_000
    results = rollout(rules, uniform, uniform, games, seed=1)
    for share, result in zip(score(rules, uniform, uniform), (1, 0, -1), strict=True):
        error = np.sqrt(share * (1 - share) / games)
        assert abs((results == result).mean() - share) < 5 * error


def test_the_shipped_network_is_as_strong_as_its_card_says_and_certified_in_four_gibibytes():
    folder = Path(__file__).parents[2] / "checkpoints/larger/reinforce_444"
    # A process begins with the peak of the one that started it as its ru_maxrss, so the peak of its
    # own memory is read where the system reports it.
    script = f"""
import json, re, resource
from pathlib import Path
from tttenv import Rules, certify, player
found = certify(Rules(4, 4, 4), player({str(folder)!r}), method="all positions")
print(json.dumps(found.to_dict()))
status = Path("/proc/self/status")
own = re.search(r"VmHWM:\\s*(\\d+) kB", status.read_text()) if status.exists() else None
print(own[1] if own else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
    told = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=900
    ).stdout.splitlines()
    assert int(told[1]) < 4 * 2**20  # KiB
    found, shipped = json.loads(told[0]), read_card(folder)["certificate"]
    assert found["unbeatable"]
    assert shipped["unbeatable"]
    assert found["value"] == 0
    assert found["worst_case"] == shipped["worst_case"] == {"X": 0, "O": 0}
    for seat in "XO":  # processors differ in a network's last digits
        assert found["vs_random"][seat] == pytest.approx(shipped["vs_random"][seat], abs=1e-4)
