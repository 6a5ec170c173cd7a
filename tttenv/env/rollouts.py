"""Results of complete games between two players, from the empty board to the end."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tttenv.env.games import FEW, transition_table
from tttenv.exact.enumeration import positions
from tttenv.game.outcomes_kernel import GOING
from tttenv.game.rewards import VALUES
from tttenv.game.rollouts_kernel import playground, random_games, random_table_games
from tttenv.game.rules import Rules
from tttenv.game.types import Boards
from tttenv.policy import FORFEIT, Player, Policy, Uniform, ask, player_for, sample_or_forfeit
from tttenv.utils.arrays import integers_from, read_only


def rollout(
    rules: Rules, first: Policy, second: Policy, games: int, seed: int = 0
) -> NDArray[np.int8]:
    """Play complete games between two players.

    The games are compiled if both are random; else each is queried on all boards at once.

    Args:
        rules: the game.
        first: the player of X.
        second: the player of O.
        games: the number of games.
        seed: the seed of all random numbers.

    Returns:
        The results for X, 1, 0 or -1, int8 (games,).

    Raises:
        ValueError: for fewer than one game, a player of another game or an invalid move.
    """
    integers_from(1, games=games)
    rng, both = np.random.default_rng(seed), (player_for(rules, first), player_for(rules, second))
    if all(isinstance(p, Uniform) for p in both):
        seeds = rng.integers(2**64, size=games, dtype=np.uint64)
        if rules.cells <= FEW:
            return random_table_games(seeds, *child_table(rules))
        return random_games(seeds, playground(rules))
    return results(rules, both, rules.start(games), rng)


def results(
    rules: Rules,
    players: Sequence[Player],
    boards: Boards,
    rng: np.random.Generator,
    moves: Sequence[list[int]] = (),
) -> NDArray[np.int8]:
    """Play on to the end; each player is queried on all games in progress at once.

    Args:
        rules: the game.
        players: that of X and that of O.
        boards: where to start (games, cells), in the view of the side to move, all of as many
            stones.
        rng: the generator of the moves.
        moves: a list for each game, to which the cells played are added, or nothing.

    Returns:
        The results for X, 1, 0 or -1, int8 (games,).
    """
    outcomes, playing = np.zeros(len(boards), np.int8), np.arange(len(boards))
    for ply in range(int(np.count_nonzero(boards[0])), rules.cells):
        cells = sample_or_forfeit(ask(boards, players[ply % 2]), rng.random(len(playing)))
        for game, cell in zip(playing.tolist() if moves else (), cells.tolist(), strict=False):
            moves[game].append(cell)
        sign, gone = 1 - ply % 2 * 2, cells == FORFEIT
        outcomes[playing[gone]] = -sign
        boards, playing = rules.play(boards[~gone], cells[~gone]), playing[~gone]
        found = rules.outcomes(boards)  # for the side to move
        outcomes[playing] = -sign * VALUES[found]
        boards, playing = boards[found == GOING], playing[found == GOING]
        if not playing.size:
            break
    return outcomes


@lru_cache(maxsize=8)
def child_table(
    rules: Rules,
) -> tuple[NDArray[np.int32], NDArray[np.uint64], NDArray[np.int8], int]:
    """Return the tables of `random_table_games`; cached.

    They are each position's children (positions, cells) and their number, the values of final
    positions for X (positions,), and the plies of the longest game.
    """
    known = positions(rules)
    (_, legal, legal_count), _, _ = transition_table(rules).showing_boards
    children = np.take_along_axis(known.successors, legal.astype(np.int64), axis=1)
    own = np.arange(len(known), dtype=np.int32)[:, None]
    values = VALUES[known.outcomes] * np.where(known.seats == 0, 1, -1)
    tables = np.where(known.over[:, None], own, children), np.maximum(legal_count, 1)
    found = tables[0], tables[1].astype(np.uint64), values.astype(np.int8), len(known.plies) - 2
    return read_only(found)
