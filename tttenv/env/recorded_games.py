"""Recorded games between two players as a data set: boards, moves and outcomes."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tttenv.game.rules import Rules
from tttenv.policy import FORFEIT, Policy, ask, player_for, sample_or_forfeit

Arrays = dict[str, NDArray[Any]]


def recorded_games(
    rules: Rules, first: Policy, second: Policy, games: int, seed: int = 0
) -> Arrays:
    """Play and record complete games of `first` as X against `second` as O.

    All games in progress are played at once, each player being queried on all of its boards.

    Args:
        rules: the game.
        first: plays X.
        second: plays O.
        games: the number of games.
        seed: seeds the sampling of moves from the players' probabilities.

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

    Raises:
        ValueError: for fewer than one game, or a policy that plays another game or returns invalid
            probabilities.
    """
    if games < 1:
        raise ValueError(f"games must be at least 1, not {games}")
    players, rng = (
        [player_for(rules, side) for side in (first, second)],
        np.random.default_rng(seed),
    )
    boards, playing = rules.start(games), np.arange(games)
    outcomes, lengths = np.zeros(games, np.int8), np.zeros(games, np.int16)
    plies: list[Arrays] = []
    for ply in range(rules.cells):
        player, sign = players[ply % 2], 1 - ply % 2 * 2
        probs = ask(boards, player)
        cells = sample_or_forfeit(probs, rng.random(len(playing)))
        plies.append({"boards": boards, "probs": probs, "actions": cells, "game": playing})
        lengths[playing] += 1
        gone = cells == FORFEIT
        outcomes[playing[gone]] = -sign
        boards, playing = rules.play(boards[~gone], cells[~gone]), playing[~gone]
        outcomes[playing[rules.lost(boards)]] = sign
        going = ~rules.over(boards)
        boards, playing = boards[going], playing[going]
        if not playing.size:
            break
    whole = {name: np.concatenate([ply[name] for ply in plies]) for name in plies[0]}
    movers = np.concatenate(
        [np.full(len(ply["game"]), 1 - at % 2 * 2, np.int8) for at, ply in enumerate(plies)]
    )
    order = np.argsort(whole["game"], kind="stable")
    game = whole["game"][order]
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
