"""Adapter to OpenSpiel: our players in OpenSpiel, and its policies and bots as players.

Example::

    import pyspiel
    import tttenv
    from tttenv.adapters.openspiel import game, player, table

    rules = tttenv.Rules(3, 3, 3)
    print(pyspiel.nash_conv(game(rules), table(rules, "tactical")))


    def search(seed):
        chance = pyspiel.RandomRolloutEvaluator(1, seed)
        return pyspiel.MCTSBot(game(rules), chance, 2.0, 50, 10, False, seed, False)


    print(tttenv.certify(rules, player(search, rules)).worst_case)
"""

from tttenv.adapters.openspiel.from_openspiel import player
from tttenv.adapters.openspiel.states import board_of, game, state_of
from tttenv.adapters.openspiel.to_openspiel import BoardBot, BoardPolicy, bot, policy, table

__all__ = [
    "BoardBot",
    "BoardPolicy",
    "board_of",
    "bot",
    "game",
    "player",
    "policy",
    "state_of",
    "table",
]
