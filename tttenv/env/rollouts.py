"""Complete games between two players, from the empty board to the end."""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tttenv.env.games import asked, new_games
from tttenv.env.transition_table import FEW, child_table, transition_table
from tttenv.exact import Tabulated, tabulate
from tttenv.exact.tabular import is_table
from tttenv.game.rewards import VALUES
from tttenv.game.rollouts_kernel import playground, random_games, random_table_games, table_games
from tttenv.game.rules import Rules
from tttenv.policy import FORFEIT, Player, Policy, Uniform, player_for


def rollout(
    rules: Rules, first: Policy, second: Policy, games: int, seed: int = 0
) -> NDArray[np.int8]:
    """Play complete games of `first` as X against `second` as O, and return the results.

    Compiled if both players are random or tables; otherwise each is queried on all boards at once.

    Returns:
        Results (games,) for `first`: 1 win, 0 draw, -1 loss.

    Raises:
        ValueError: for fewer than one game, or a policy that plays another game or returns invalid
            probabilities.
    """
    if games < 1:
        raise ValueError(f"a rollout must have at least one game, not {games}")
    rng, both = np.random.default_rng(seed), (player_for(rules, first), player_for(rules, second))
    if rules.cells <= FEW and all(isinstance(p, Uniform) or is_table(p) for p in both):
        return _walk_to_the_end(rules, *both, rng.integers(2**64, size=games, dtype=np.uint64))
    if all(isinstance(p, Uniform) for p in both):
        seeds = rng.integers(2**64, size=games, dtype=np.uint64)
        return random_games(seeds, playground(rules.m, rules.n, rules.k))
    return _query_to_the_end(rules, *both, games, rng)


def _query_to_the_end(
    rules: Rules, first: Player, second: Player, count: int, rng: np.random.Generator
) -> NDArray[np.int8]:
    """Run `rollout` for any players, querying each on all games in progress at once."""
    games, results, number = new_games(rules, count), np.zeros(count, np.int8), np.arange(count)
    games.restart(np.arange(count), 0, None, "X")
    replying = games.compiled(second) or second
    while number.size:
        cells = asked(first, games.boards(slice(None)), rng.random(number.size))
        if (gone := cells == FORFEIT).any():
            results[number[gone]] = -1
            number, cells = number[~gone], cells[~gone]
            games.keep(~gone)
        waiting = games.place(cells, self_play=False)
        if waiting.size:
            games.reply(replying, waiting, rng.random(waiting.size))
        results[number[games.over]] = VALUES[games.outcomes[games.over]]
        number = number[~games.over]
        games.keep(~games.over)
    return results


def _walk_to_the_end(
    rules: Rules, first: Player, second: Player, seeds: NDArray[np.uint64]
) -> NDArray[np.int8]:
    """Run `rollout` in compiled code, for random and tabulated players."""
    if isinstance(first, Uniform) and isinstance(second, Uniform):
        return random_table_games(seeds, *child_table(rules))
    reached = []
    for player in (first, second):
        table = _random_player(rules) if isinstance(player, Uniform) else tabulate(rules, player)
        certain = np.arange(rules.cells) >= table.last[:, None]
        reached.append(np.where(certain, 1.0, table.reached))
    known = transition_table(rules)
    return table_games(seeds, known.positions.successors, known.outcomes, *reached)


@lru_cache(maxsize=8)
def _random_player(rules: Rules) -> Tabulated:
    """Return the uniform player as a table."""
    return tabulate(rules, Uniform(rules))
