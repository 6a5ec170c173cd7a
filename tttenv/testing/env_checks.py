"""The laws of an environment: masks, rewards, views and endings."""

from typing import Any

import numpy as np

from tttenv.testing.policy_checks import require


def check_env(env: Any, games: int = 200, seed: int = 0) -> None:
    """Check a single-game environment like `TicTacToe-v0`: masks, rewards, views and endings.

    Args:
        env: made with an opponent, not with `opponent=None`.
        games: how many to play, by random legal moves.
        seed: of the environment and of the moves.

    Raises:
        LawBrokenError: at the first broken law.
    """
    rng, draws = np.random.default_rng(seed), set()
    _, info = env.reset(seed=seed)
    for _ in range(games):
        over = False
        while not over:
            mask = np.asarray(info["action_mask"])
            require(mask.any(), "while the game goes on some cell is legal")
            require(
                (mask.astype(bool) == env.unwrapped.action_masks()).all(),
                'info["action_mask"] and action_masks() say the same',
            )
            observed, reward, over, truncated, info = env.step(rng.choice(np.flatnonzero(mask)))
            require(env.observation_space.contains(observed), "observations lie in their space")
            require(not truncated, "a game is never truncated")
            require(over or reward == 0, "only the end of a game is rewarded")
        require(-1 <= reward <= 1, "a game ends with a reward from -1 to 1")
        draws |= {float(reward)} - {-1.0, 1.0}
        require(len(draws) <= 1, "a win pays 1, a loss -1, and every draw the same")
        require(not np.any(info["action_mask"]), "a finished board has no legal cell")
        _, info = env.reset()


def check_mirrored(env_as_x: Any, env_as_o: Any, cells: list[int]) -> None:
    """Check that the same game, replayed from both seats, pays each side its own result.

    Rewards sum to zero, or a draw pays both sides the same, less than a win.

    Args:
        env_as_x: an environment with `seat="X"` whose opponent plays O's cells of the game.
        env_as_o: one with `seat="O"` whose opponent plays X's cells.
        cells: the game, cell by cell.

    Raises:
        LawBrokenError: if an agent is paid its opponent's reward.
    """
    paid = []
    for seat, env in enumerate((env_as_x, env_as_o)):
        env.reset()
        rewards = [float(env.step(cell)[1]) for cell in cells[seat::2]]
        paid.append(sum(rewards))
    drawn = paid[0] == paid[1] and -1 < paid[0] < 1
    require(drawn or sum(paid) == 0, f"one side's win is the other's loss: paid {paid}")
