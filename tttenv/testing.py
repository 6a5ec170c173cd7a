"""Conformance kits for players and environments made elsewhere; the first broken law raises.

Use them in your own tests: `check_policy(my_player, Rules())`, `check_env(gym.make(...))`.
"""

from typing import Any

import numpy as np

from tttenv import policy as policies
from tttenv.exact import enumerable, positions
from tttenv.game.rules import Rules
from tttenv.kernels.types import Boards
from tttenv.policy import Policy


class LawBrokenError(AssertionError):
    """What a player or environment did that it must not, in one line."""


def require(holds: Any, law: str) -> None:
    """Let it pass if `holds`.

    Raises:
        LawBrokenError: if not, naming the law.
    """
    if not holds:
        raise LawBrokenError(law)


def some_boards(rules: Rules, count: int = 500, seed: int = 0) -> Boards:
    """Undecided boards (count or fewer, cells): all of a small game, else from random games."""
    rng = np.random.default_rng(seed)
    if enumerable(rules):
        game = positions(rules)
        chosen = rng.permutation(game.decisions)[:count]
        some: Boards = game.boards[np.sort(chosen)]
        return some
    boards, found = rules.start(32), [rules.start(1)]
    while sum(map(len, found)) < count and len(boards):
        cells = policies.sample(policies.uniform(boards), rng.random(len(boards)))
        boards = rules.play(boards, cells)
        boards = boards[~rules.over(boards)]
        found.append(boards)
    return np.concatenate(found)[:count]


def check_policy(policy: Policy, rules: Rules, tolerance: float = 1e-6, count: int = 500) -> None:
    """Check the laws of a policy: legal, summing to one, pure whatever the batch, memoryless.

    Args:
        policy: the player.
        rules: the game.
        tolerance: how far the same board's probabilities may differ from batch to batch.
        count: on how many boards to look.

    Raises:
        LawBrokenError: at the first broken law.
    """
    boards = some_boards(rules, count)
    given = boards.copy()
    try:
        probs = policies.validated(boards, policy(given))
    except ValueError as error:
        raise LawBrokenError(str(error)) from None
    require((given == boards).all(), "a policy leaves the boards it is given as they are")
    order = np.random.default_rng(1).permutation(len(boards))
    again = np.asarray(policy(boards[order].copy()))
    require(_near(again, probs[order], tolerance), "the order of the boards makes no difference")
    alone = np.concatenate([np.asarray(policy(boards[i : i + 1].copy())) for i in order[:50]])
    require(_near(alone, probs[order[:50]], tolerance), "a board alone is answered as in a batch")
    require(_near(np.asarray(policy(given)), probs, tolerance), "a policy remembers nothing")


def _near(first: Any, second: Any, tolerance: float) -> bool:
    # Answers may be off one by 1e-4 in their sum; then they differ by as much once divided by it.
    return first.shape == second.shape and bool((np.abs(first - second) <= tolerance + 1e-4).all())


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
