"""Play a match between two players: `tttenv match A B`."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tttenv.certificates import phrases
from tttenv.cli import console, text_tables
from tttenv.cli.league import check_numbers, forced, openings, score_cells
from tttenv.cli.options import FileOrNone, Flag, NumberOrNone, Player, RulesOrNone, SecondsOrNone
from tttenv.cli.text_tables import Column, say

if TYPE_CHECKING:
    from tttenv.league.pair import CachedPlayer

EXAMPLES = """
tttenv match tactical minimax
tttenv match alphabeta:nodes=2000 mcts:iterations=200 --rules 9,9,5 --games 40
tttenv match alphabeta mcts --rules 7,7,4 --time 0.1 --out results/match.json
"""
GAMES = 100  # by default, if the result cannot be exact


@dataclass(frozen=True)
class Arguments:
    """Play one player against another from many openings, in both colours.

    The openings are all boards with --openings stones, one per symmetry class: 12 on 3x3, 846 on
    9x9. The result is exact if both players are functions of the board, and few enough positions
    can be reached: for a player that searches this is estimated before the first search, as
    openings times plies. Otherwise games are played, by default 100, and the score has a 95 %
    interval. With --games or --time games are played in any case.
    """

    first: Player  # a name with options, or a checkpoint folder
    second: Player  # the other player
    rules: RulesOrNone = None  # the game; if omitted, 3,3,3 or the first checkpoint's
    games: NumberOrNone = None  # play so many games, half in each colour
    openings: int = 2  # number of stones on the board at the start of a game; 0: the empty board
    time: SecondsOrNone = None  # seconds per move, of players that search; plays games
    seed: int = 0  # random seed of the games
    positions: int = 2_500_000  # maximum number of positions for an exact result
    searches: int = 20_000  # the same for a player that searches
    out: FileOrNone = None  # file for the result and the moves of all games, as JSON
    json: Flag = False  # print the same as JSON


def main(args: list[str], prog: str = "tttenv match") -> None:
    """Play the match; print the result, and write it with its games."""
    given = console.parse(Arguments, prog, args, examples=EXAMPLES)
    check_numbers(GAMES if given.games is None else given.games, given.positions, given.searches)
    if given.time is not None and not 0 < given.time < float("inf"):
        raise ValueError(f"--time must be a positive number of seconds, not {given.time}")
    if given.out and given.out.is_dir():
        raise ValueError(f"--out must be a file such as results/match.json, not {given.out}")
    console.check_folder(given.out and given.out.parent)
    from tttenv.game.openings import opening_classes
    from tttenv.league.pair import CachedPlayer
    from tttenv.utils.files import write

    names = given.first, given.second
    rules = console.rules_for(given.rules, *names)
    boards, seats, limited = opening_classes(rules, given.openings), [], given.time is None
    for name in names:
        one, changes = console.load_player(name, rules, given.json), {}
        if given.time is not None and one.limit_time(given.time):
            limited, changes = True, {"depends_on": "time"}
        seats.append(CachedPlayer(one, strict=False, **changes))
    if not limited:
        raise ValueError("--time: neither player searches, so neither takes a limit")
    with console.stage(f"{names[0]} against {names[1]}", given.json) as tell:
        found = played(given, seats, boards, tell)
    if given.out:
        write(given.out, json.dumps(found) + "\n")
    if given.json:
        print(json.dumps(found, indent=2))
        return
    show(found)
    if given.out:
        say(f"{'games' if found['games'] else 'result'}     {given.out}")
    if summary := "; ".join(filter(None, (one.summary() for one in seats))):
        say(summary)


def played(
    given: Arguments, seats: "list[CachedPlayer]", boards: Any, tell: Callable[[str], None]
) -> dict[str, Any]:
    """Play a match: exactly if possible, else as games.

    Args:
        given: the command's arguments.
        seats: both players.
        boards: the openings (openings, cells).
        tell: reports the progress in one line.

    Returns:
        The content of the match's file.
    """
    from tttenv.league.league import result_to_dict
    from tttenv.league.pair import Game, PairLimits, play
    from tttenv.policy import FORFEIT

    def news(done: int, most: int, what: str) -> None:
        # The names come last, as a narrow terminal cuts the end.
        tell(f"{done:,} of {most:,} boards {what}: {given.first} against {given.second}")

    first, second = seats
    rules, wanted = first.rules, given.games is not None or given.time is not None
    limits = PairLimits(0, 0) if wanted else PairLimits(given.positions, given.searches)
    count, games = given.games or GAMES, list[Game]()
    result = play(rules, first, second, boards, count, given.seed, limits, news, games)
    why = f"too many positions for --searches {given.searches} or --positions {given.positions}"
    for one in seats:
        if one.traits.depends_on is not None:
            why = f"{one.name} depends on {one.traits.depends_on}"
    settings: dict[str, Any] = {"rules": str(rules), "stones": given.openings}
    settings |= {name: getattr(given, name) for name in ("seed", "time", "positions", "searches")}
    return {
        "version": 1,
        "settings": settings,
        "players": [given.first, given.second],
        "openings": [rules.format(board) for board in boards],
        "shares": dict(zip(("win", "draw", "loss"), result.shares.tolist(), strict=True)),
        "interval": list(result.interval),
        **result_to_dict(result),
        "why_games": why if games and not wanted else "",
        "games": [
            {
                "opening": game.opening,
                "X": given.first if game.seat == "X" else given.second,
                "moves": [None if cell == FORFEIT else cell for cell in game.moves],
                "result": game.result,
            }
            for game in games
        ],
    }


def show(found: dict[str, Any]) -> None:
    """Print a match."""
    (first, second), games = found["players"], found["games"]
    how = f"exact, {openings(found)}, both colours"
    if games:
        used, every = len({game["opening"] for game in games}), len(found["openings"])
        of = f"{used:,} of " if used < every else ""
        how = f"{len(games):,} games, {of}{openings(found)}, both colours"
    say(f"{first} against {second} on {found['settings']['rules']}: {how}")
    columns = [Column("", left=True), *map(Column, ("score %", "win %", "draw %", "loss %"))]
    of_x, of_o = ([sum(part) for part in zip(*found[f"as_{seat}"], strict=True)] for seat in "XO")
    both = [sum(part) for part in zip(of_x, of_o, strict=True)]
    rows = []
    for name, odds in ((f"{first} as X", of_x), (f"{first} as O", of_o), (first, both)):
        rows.append([name, *score_cells(*(part / sum(odds) for part in odds))])
    text_tables.show(columns, rows)
    if found["why_games"]:
        say(f"not exact: {found['why_games']}")
    if games:
        low, high = (phrases.share((1 + end) / 2, 1) for end in found["interval"])
        say(f"95 % interval of the score: {low} to {high} %")
        half = len(games) // 2  # in each colour
        different = len(
            {(at < half, one["opening"], *one["moves"]) for at, one in enumerate(games)}
        )
        if different < len(games):
            say(
                f"only {different:,} of the games differ: the interval is too narrow for players"
                " that hardly choose at random"
            )
    if text := forced(found):
        say(text)
