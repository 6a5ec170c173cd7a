"""Random games in all environments and by a referee in plain Python, which must agree.

A case is one game family with one opponent, seat and kind of observation. The batched environment
plays it with arrays of its own and with arrays used again; a batch of one and the
single environment play another; PettingZoo plays with two agents. All are compared move by move,
illegal moves included, with `tests/referee.py`, which is handed the same dice, or with the rules
in plain Python: boards, masks, rewards, ends and last observations.
"""

import random
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium.utils import seeding
from referee import Referee, plain
from reference import windows

from tttenv import Rules, player
from tttenv.env.env import TicTacToe
from tttenv.env.vector import VectorTicTacToe

from .running import Log

BOARDS = [(3, 3, 3), (3, 3, 3), (2, 2, 2), (1, 5, 2), (4, 4, 3), (3, 4, 3), (2, 6, 3)]
BOARDS += [(4, 4, 4), (5, 5, 4), (1, 13, 4), (15, 15, 5), (19, 19, 5), (6, 2, 4)]
PLAYERS = [None, "random", "first", "tactical", "epsilon:player=first,epsilon=0.5"]
GAMES = 6  # side by side
STEPS = 60
WRONG = 0.03  # how often a move is any cell, taken or not


class Games:
    """Family of cases described above."""

    total = None

    def __init__(self, place: Path, log: Log) -> None:
        self.log = log
        self.policies: dict[Any, Any] = {}

    def case(self, number: int, rng: random.Random) -> None:
        """Play games in one setting."""
        size = rng.choice(BOARDS)
        opponent, seat = rng.choice(PLAYERS), rng.choice(("X", "O", "random"))
        self.setting = f"{size}, {opponent} as opponent, seat {seat}"
        policy = self._policy(opponent, Rules(*size))
        seed = rng.getrandbits(32)
        dice = np.random.default_rng(rng.getrandbits(64))
        self._batches(size, policy, seat, seed, dice)
        self._single(size, policy, seat, rng.choice(("onehot", "board", "dict")), seed, dice)
        self._two_agents(size, dice)

    def close(self) -> None:
        """Do nothing, since nothing is left running."""

    def _policy(self, opponent: str | None, rules: Rules) -> Any:
        if (opponent, rules) not in self.policies:
            self.policies[opponent, rules] = opponent and player(opponent, rules)
        return self.policies[opponent, rules]

    def _same(self, one: Any, other: Any, what: str) -> bool:
        if isinstance(one, dict):
            same = all(np.array_equal(one[key], other[key]) for key in one)
        else:
            same = np.array_equal(one, other)
        return self.log.check(same, f"{what} differ", self.setting)

    def _batches(self, size: Any, policy: Any, seat: Any, seed: int, dice: Any) -> None:
        """Compare two ways to play a batch, and the referee."""
        settings = {"seat": seat, "obs": "board"}
        ways = [policy]
        if policy is not None:
            ways.append(lambda boards: policy(boards))  # called through Python
        envs = [VectorTicTacToe(GAMES, *size, one, **settings) for one in ways]
        generator, _ = seeding.np_random(seed)
        asked = None if policy is None else plain(policy)
        referee = Referee(size, GAMES, asked, seat, generator.bit_generator.random_raw)
        referee.deal(range(GAMES))
        seen = [env.reset(seed=seed) for env in envs]
        for _ in range(STEPS):
            masks = np.array(referee.boards) == 0
            cells = _moves(masks, dice)
            for boards, infos in seen:
                if not self._same(boards, referee.boards, "boards"):
                    return
                self._same(infos["action_mask"], masks, "masks")
            answers = referee.step(cells.tolist())
            ended = [over for _, _, over in answers]
            seen = []
            for env in envs:
                boards, rewards, over, _, infos = env.step(cells)
                self._same(rewards, [reward for _, reward, _ in answers], "rewards")
                self._same(over, ended, "ends")
                for i in np.flatnonzero(over):
                    self._same(infos["final_obs"][i], answers[i][0], "last observations")
                seen.append((boards, infos))
            self.log.count("games", sum(ended) * len(envs))
            self.log.count("plies", GAMES * len(envs))
        rolled = generator.random()
        for env in envs:
            self.log.check(env.np_random.random() == rolled, "dice differ", self.setting)

    def _single(self, size: Any, policy: Any, seat: Any, obs: str, seed: int, dice: Any) -> None:
        """Compare the single environment and a batch of one."""
        single = TicTacToe(*size, policy, seat, obs=obs)
        batch = VectorTicTacToe(1, *size, policy, seat, obs=obs)
        seen, info = single.reset(seed=seed)
        seen_too, infos = batch.reset(seed=seed)
        for _ in range(STEPS):
            self._same(seen, _row(seen_too), "observations")
            self._same(info["action_mask"], infos["action_mask"][0], "masks")
            cells = _moves(infos["action_mask"], dice)
            seen, reward, over, truncated, info = single.step(int(cells[0]))
            seen_too, rewards, ended, _, infos = batch.step(cells)
            self._same([reward, over, truncated], [rewards[0], ended[0], False], "results")
            if over:
                self._same(seen, _row(infos["final_obs"]), "last observations")
                seen, info = single.reset()
                self.log.count("games", 2)
            self.log.count("plies", 2)
        same = single.np_random.random() == batch.np_random.random()
        self.log.check(same, "dice differ", self.setting)

    def _two_agents(self, size: Any, dice: Any) -> None:
        """Compare PettingZoo and the rules in plain Python."""
        from tttenv.adapters.pettingzoo import AGENTS, raw_env

        m, n, k = size
        env, lines = raw_env(m=m, n=n, k=k, obs="board"), windows(size)
        for _ in range(3):
            env.reset()
            board, turn, paid, over = [0] * (m * n), 0, 0.0, False
            while not over:
                mover, other = AGENTS[turn % 2], AGENTS[1 - turn % 2]
                stone = 1 if turn % 2 == 0 else -1
                view = [stone * cell for cell in board]
                seen = env.observe(mover)
                self._same(seen["observation"], view, "PettingZoo's boards")
                self._same(seen["action_mask"], [cell == 0 for cell in board], "PettingZoo's masks")
                self.log.check(env.agent_selection == mover, "PettingZoo's turns differ")
                cell = int(_moves([seen["action_mask"]], dice)[0])
                env.step(cell)
                self.log.count("plies")
                if board[cell]:
                    over, paid = True, -1.0
                    wanted = {mover: -1.0, other: 0.0}
                else:
                    board[cell] = stone
                    won = any(all(board[c] == stone for c in line) for line in lines)
                    over, paid = won or 0 not in board, float(won)
                    wanted = {mover: paid, other: -paid}
                self.log.check(env.rewards == wanted, "PettingZoo's rewards differ", self.setting)
                self.log.check(set(env.terminations.values()) == {over}, "PettingZoo's ends differ")
                turn += 1
            self.log.count("games")


def _moves(masks: Any, dice: Any) -> Any:
    """Return a legal cell for each game, and now and then any cell."""
    return np.array(
        [
            dice.integers(len(mask)) if dice.random() < WRONG else dice.choice(np.flatnonzero(mask))
            for mask in np.asarray(masks)
        ]
    )


def _row(seen: Any) -> Any:
    """Return the only row of a batch's observation, or of its final ones."""
    if isinstance(seen, dict):
        return {name: values[0] for name, values in seen.items()}
    names = seen.dtype.names
    return {name: seen[0][name] for name in names} if names else seen[0]
