"""Explain a player's move: `tttenv analyze alphabeta --moves b2`."""

import json
from dataclasses import dataclass

from tttenv.cli import console
from tttenv.cli.options import Flag, Player, RulesOrNone, TextOrNone
from tttenv.cli.text_tables import say

EXAMPLES = """
tttenv analyze alphabeta --moves b2
tttenv analyze mcts --board "X.O/.X./..O"
tttenv analyze alphabeta:nodes=50000 --rules 15,15,5 --moves h8,g8,g9 --json
tttenv analyze alphazero:simulations=64 --moves a1,b2
"""


@dataclass(frozen=True)
class Arguments:
    """Explain which move a player chooses in a position, and why.

    Every legal move is a row, the player's own first: its exact value where that is known, the
    value that the player's search gives it, and the line that the search expects. Alpha-beta also
    shows how deep it searched, a tree search how often it visited the move. For a player without
    a search only probabilities are shown, and lines of best play where the game is solved.
    """

    player: Player  # name[:option=value,...] or a checkpoint's folder
    rules: RulesOrNone = None  # the game; if omitted, 3,3,3 or the checkpoint's
    moves: TextOrNone = None  # moves that led to the position, such as b2,a1
    board: TextOrNone = None  # the position (before --moves): X, O and . with / after rows
    top: int = 10  # number of moves to show
    json: Flag = False  # print all moves as JSON


def main(args: list[str], prog: str = "tttenv analyze") -> None:
    """Analyze a position, and print its moves."""
    given = console.parse(Arguments, prog, args, console.with_players(Arguments), EXAMPLES)
    if given.top < 1:
        raise ValueError(f"--top must be at least 1, not {given.top}")
    from tttenv.cli.play.advice import advising
    from tttenv.cli.play.session import position_of
    from tttenv.cli.play.text_board import board_lines, show_moves

    rules = console.rules_for(given.rules, given.player)
    position = position_of(rules, given.board, given.moves)
    policy = console.load_player(given.player, rules, given.json)
    board, doing = position.boards[-1], f"analyzing the position with {given.player}"
    with console.stage(doing, given.json), advising(rules) as adviser:
        found = adviser.analysis(board, policy)
    if given.json:
        about_it = {"player": given.player, "rules": str(rules), "board": rules.format(board)}
        print(json.dumps(about_it | found.to_dict(), indent=2))
        return
    say(f"{given.player} on {rules}, {'XO'[int(rules.seat(board))]} to play:", "  ")
    last = position.cells[-1] if position.cells else None
    print("\n".join(board_lines(rules, board, last)))
    show_moves(found, given.top)
