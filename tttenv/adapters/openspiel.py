"""Adapter to OpenSpiel: our players in OpenSpiel, and its policies and bots as players."""

import zlib
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np

from tttenv.adapters import wanted
from tttenv.exact import tabulate
from tttenv.exact.enumeration import enumerable, positions, require_enumerable
from tttenv.game.rules import Rules, require_line_wins
from tttenv.game.types import Boards, Probs
from tttenv.players.as_player import as_player
from tttenv.players.language.prompts import move_list
from tttenv.policy import FunctionPlayer, Player, Policy, Traits, ask, sample

with wanted("pyspiel", "open_spiel"):
    import pyspiel
    from open_spiel.python.policy import Policy as Theirs

Moves: TypeAlias = list[tuple[int, float]]  # actions and their probabilities


@lru_cache(maxsize=8)
def game(rules: Rules) -> Any:
    """Return the OpenSpiel game for the rules, `tic_tac_toe` or `mnk`; its actions are our cells.

    It is always zero-sum: OpenSpiel pays both players 0 for a draw.

    Raises:
        ValueError: for a variant of the game, which OpenSpiel does not have.
    """
    require_line_wins(rules, "OpenSpiel")
    if rules == Rules():
        return pyspiel.load_game("tic_tac_toe")
    return pyspiel.load_game(f"mnk(m={rules.n},n={rules.m},k={rules.k})")  # columns first


def board_of(rules: Rules, state: Any) -> Boards:
    """Return the board (cells,) of an OpenSpiel state of the game, from the mover's perspective."""
    board, cells = rules.start(), state.history()
    board[cells[::-2]] = -1  # the last stone is the other side's
    board[cells[-2::-2]] = 1
    return board


def state_of(rules: Rules, board: Boards) -> Any:
    """Return an OpenSpiel state with an undecided board (cells,): one of its many histories."""
    state = game(rules).new_initial_state()
    for cell in move_list(board):
        state.apply_action(cell)
    return state


def player(source: Any, rules: Rules) -> Player:
    """Convert an OpenSpiel policy or bot to a player.

    Args:
        source: a policy (Python or C++), a bot that provides a policy, or a function from a seed to
            a bot: each board gets its own bot, seeded by the board, so that its move is always the
            same, as a certificate requires.
        rules: the game.

    Raises:
        ValueError: for any other object.
    """
    if hasattr(source, "action_probabilities"):
        answer = source.action_probabilities
    elif isinstance(source, pyspiel.Bot) and source.provides_policy():
        answer = source.get_policy
    elif callable(source):

        def answer(state: Any) -> dict[int, float]:
            seed = zlib.crc32(board_of(rules, state).tobytes()) >> 1  # by the board; below 2**31
            return {source(seed).step(state): 1.0}
    else:
        raise ValueError(
            "an OpenSpiel player must be a policy, a bot that provides one, or a function from a"
            f" seed to a bot, not {source!r}"
        )

    def play(boards: Boards) -> Probs:
        probs = np.zeros(boards.shape)
        for row, board in zip(probs, boards, strict=True):
            moves = dict(answer(state_of(rules, board)))
            row[list(moves)] = list(moves.values())
        return probs

    return FunctionPlayer(rules, play, Traits(searches=True), "an OpenSpiel player")


class BoardPolicy(Theirs):
    """An OpenSpiel policy for both sides that follows our player, or one named by a spec."""

    def __init__(self, rules: Rules, player: str | Policy) -> None:
        super().__init__(game(rules), [0, 1])
        self.rules, self.player = rules, _ours(rules, player)

    def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
        """Return the probabilities of the legal actions in a state; `player_id` is ignored."""
        probs = ask(board_of(self.rules, state)[None], self.player)[0]
        return {action: float(probs[action]) for action in state.legal_actions()}


class BoardBot(pyspiel.Bot):
    """An OpenSpiel bot for both sides that samples our player's moves, seeded with `seed`."""

    def __init__(self, rules: Rules, player: str | Policy, seed: int = 0) -> None:
        super().__init__()
        self.rules, self.player = rules, _ours(rules, player)
        self.rng = np.random.default_rng(seed)

    def restart_at(self, state: Any) -> None:
        """Do nothing, since the bot has no memory."""

    def step(self, state: Any) -> int:
        """Sample an action in a state."""
        probs = ask(board_of(self.rules, state)[None], self.player)
        return int(sample(probs, self.rng.random(1))[0])


policy, bot = BoardPolicy, BoardBot  # what the module's users call


def table(rules: Rules, player: str | Policy) -> dict[str, Moves]:
    """Return a player's moves in every information state, for OpenSpiel's C++ code.

    Use it with `pyspiel.nash_conv`, `pyspiel.TabularBestResponse` and `pyspiel.TabularPolicy`.
    There are 294,778 histories on 3,3,3; other games must be enumerable too.

    Args:
        rules: the game.
        player: a policy or a spec.

    Returns:
        The legal cells with their probabilities, by the history, such as "4, 0".

    Raises:
        ValueError: for a game that is not enumerable.
    """
    require_enumerable(rules, "tttenv.certify follows what a player reaches on any board")
    after = positions(rules).successors.tolist()
    probs = tabulate(rules, _ours(rules, player)).table.tolist()
    histories: dict[str, Moves] = {}
    waiting = [("", 0)]
    for history, at in waiting:  # which grows meanwhile
        moves = [(cell, probs[at][cell]) for cell, to in enumerate(after[at]) if to >= 0]
        if moves:
            histories[history] = moves
        start = f"{history}, " if history else ""
        waiting += [(f"{start}{cell}", after[at][cell]) for cell, _ in moves]
    return histories


def _ours(rules: Rules, player: str | Policy) -> Player:
    made = as_player(rules, player)
    return tabulate(rules, made) if enumerable(rules) and not made.traits.depends_on else made
