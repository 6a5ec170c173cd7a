"""Complete games between two players, from the empty board to the end: results, or all moves."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

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
from tttenv.utils.arrays import read_only

Arrays = dict[str, NDArray[Any]]


def rollout(
    rules: Rules, first: Policy, second: Policy, games: int, seed: int = 0
) -> NDArray[np.int8]:
    """Play complete games of `first` as X against `second` as O, and return the results.

    Compiled if both players are random; otherwise each is queried on all boards at once.

    Returns:
        Results (games,) for `first`: 1 win, 0 draw, -1 loss.
    """
    if games < 1:
        raise ValueError(f"a rollout must have at least one game, not {games}")
    rng, both = np.random.default_rng(seed), (player_for(rules, first), player_for(rules, second))
    if all(isinstance(p, Uniform) for p in both):
        seeds = rng.integers(2**64, size=games, dtype=np.uint64)
        if rules.cells <= FEW:
            return random_table_games(seeds, *child_table(rules))
        return random_games(seeds, playground(rules))
    return results(rules, both, rules.start(games), rng)


def results(
    rules: Rules, players: Sequence[Player], boards: Boards, rng: np.random.Generator
) -> NDArray[np.int8]:
    """Play games of X and O to the end from boards (games, cells) with equally many stones.

    Returns:
        Results (games,) for X: 1 win, 0 draw, -1 loss.
    """
    outcomes = np.zeros(len(boards), np.int8)
    for _ in _plies(rules, players, outcomes, rng, boards):
        pass
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
    _, legal, legal_count, _, _ = transition_table(rules).showing_boards
    children = np.take_along_axis(known.successors, legal.astype(np.int64), axis=1)
    own = np.arange(len(known), dtype=np.int32)[:, None]
    values = VALUES[known.outcomes] * np.where(known.seats == 0, 1, -1)
    tables = np.where(known.over[:, None], own, children), np.maximum(legal_count, 1)
    found = tables[0], tables[1].astype(np.uint64), values.astype(np.int8), len(known.plies) - 2
    return read_only(found)


def _plies(
    rules: Rules,
    players: Sequence[Player],
    outcomes: NDArray[np.int8],
    rng: np.random.Generator,
    boards: Boards,
) -> Iterator[Arrays]:
    """Play games of X and O from boards to the end, and yield each ply, by game in progress.

    Each player is queried on all games in progress at once. `outcomes` (games,) are written as the
    games end: 1 if X wins, 0 for a draw, -1 if O wins. A cell is FORFEIT where the mover forfeits.
    """
    playing = np.arange(len(outcomes))
    for ply in range(int(np.count_nonzero(boards[0])), rules.cells):
        probs = ask(boards, players[ply % 2])
        cells = sample_or_forfeit(probs, rng.random(len(playing)))
        sign, gone = 1 - ply % 2 * 2, cells == FORFEIT
        yield {"boards": boards, "probs": probs, "actions": cells, "game": playing}
        outcomes[playing[gone]] = -sign
        boards, playing = rules.play(boards[~gone], cells[~gone]), playing[~gone]
        found = rules.outcomes(boards)  # for the side to move
        outcomes[playing] = -sign * VALUES[found]
        boards, playing = boards[found == GOING], playing[found == GOING]
        if not playing.size:
            return


def recorded_games(
    rules: Rules, first: Policy, second: Policy, games: int, seed: int = 0
) -> Arrays:
    """Play and record complete games of `first` as X against `second` as O, all at once.

    The seed is that of the moves sampled from the players' probabilities.

    Returns:
        Arrays with a row for each move, game by game in the order of the moves:

        - `boards` (moves, cells) int8: the board before the move, seen by the side to move: 1 its
          own stones, -1 the other side's, 0 empty;
        - `probs` (moves, cells) float32: the player's probabilities there;
        - `actions` (moves,) int16: the cell that was played; -1 if the player forfeited;
        - `results` (moves,) int8: how the game ended for that side: 1 won, 0 drawn, -1 lost;
        - `game` (moves,) int32: the number of the game.

        And with a row for each game: `starts` (games,) int64, the row of its first move; `lengths`
        (games,) int16; `outcomes` (games,) int8, its result for X.
    """
    if games < 1:
        raise ValueError(f"games must be at least 1, not {games}")
    players = [player_for(rules, side) for side in (first, second)]
    outcomes = np.zeros(games, np.int8)
    rng = np.random.default_rng(seed)
    plies = list(_plies(rules, players, outcomes, rng, rules.start(games)))
    whole = {name: np.concatenate([ply[name] for ply in plies]) for name in plies[0]}
    movers = np.concatenate(
        [np.full(len(ply["game"]), 1 - at % 2 * 2, np.int8) for at, ply in enumerate(plies)]
    )
    order = np.argsort(whole["game"], kind="stable")
    game = whole["game"][order]
    lengths = np.bincount(game, minlength=games).astype(np.int16)
    return {
        "boards": whole["boards"][order].astype(np.int8),
        "probs": whole["probs"][order].astype(np.float32),
        "actions": whole["actions"][order].astype(np.int16),
        "results": outcomes[game] * movers[order],
        "game": game.astype(np.int32),
        "starts": np.cumsum(lengths, dtype=np.int64) - lengths,
        "lengths": lengths,
        "outcomes": outcomes,
    }


def joined(parts: Sequence[Arrays]) -> Arrays:
    """Concatenate sets of recorded games, renumbering the games in order."""
    games = np.cumsum([0, *(len(part["lengths"]) for part in parts)])
    moves = np.cumsum([0, *(len(part["actions"]) for part in parts)])
    shifted = [
        part | {"game": part["game"] + np.int32(games[at]), "starts": part["starts"] + moves[at]}
        for at, part in enumerate(parts)
    ]
    return {name: np.concatenate([part[name] for part in shifted]) for name in parts[0]}
