"""Play a match between two players: `tttenv match A B`."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tttenv.certificates import phrases
from tttenv.cli import console, text_tables
from tttenv.cli.league import check_numbers, forced, openings
from tttenv.cli.options import FileOrNone, Flag, NumberOrNone, Player, RulesOrNone, SecondsOrNone
from tttenv.cli.text_tables import Column, say
from tttenv.players import did_you_mean

if TYPE_CHECKING:
    from tttenv.league.pair import CachedPlayer

PROG = "tttenv match"
EXAMPLES = """
tttenv match tactical minimax
tttenv match alphabeta:nodes=2000 mcts:iterations=200 --rules 9,9,5 --games 40
tttenv match alphabeta mcts --rules 7,7,4 --time 0.1 --out results/match.json
"""
NAMED = 6  # openings, at most
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


def main(args: list[str], prog: str = PROG) -> None:
    """Play the match; print the result, and write it with its games."""
    given = console.parse(Arguments, prog, args, examples=EXAMPLES)
    console.check_seed(given.seed)
    check_numbers(GAMES if given.games is None else given.games, given.positions, given.searches)
    if given.time is not None and not 0 < given.time < float("inf"):
        raise ValueError(f"--time must be a positive number of seconds, not {given.time}")
    if given.out and given.out.is_dir():
        raise ValueError(f"--out must be a file such as results/match.json, not {given.out}")
    console.check_folder(given.out and given.out.parent)
    from tttenv import Rules, player
    from tttenv.game.openings import opening_classes
    from tttenv.league.pair import CachedPlayer
    from tttenv.players import is_path, rules_of
    from tttenv.utils.files import write

    names = given.first, given.second
    named = next(filter(is_path, names), "random")  # a checkpoint stores its rules
    with did_you_mean(named):
        rules = Rules.of(given.rules) if given.rules else rules_of(named)
    boards, seats = opening_classes(rules, given.openings), []
    for name in names:
        with console.stage(f"loading {name}", given.json), did_you_mean(name):
            seats.append(CachedPlayer(player(name, rules)))
    if given.time is not None and not any([one.limit_time(given.time) for one in seats]):  # noqa: C419  # all are asked
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
    """Return a match as the content of its file: exact if possible, else with its games."""
    from tttenv.league import pair
    from tttenv.league.league import result_to_dict
    from tttenv.policy import FORFEIT

    first, second = seats
    rules, listed = first.rules, list[dict[str, Any]]()
    limits = pair.PairLimits(given.positions, given.searches)

    def news(done: int, most: int, what: str) -> None:
        tell(f"{given.first} against {given.second}: {done:,} of {most:,} boards {what}")

    odds, why = None, ""
    if given.games is None and given.time is None:
        odds = pair.exact_odds(rules, first, second, boards, limits, news)
        varying = [one for one in seats if one.traits.depends_on is not None]
        why = f"too many positions for --searches {given.searches} or --positions {given.positions}"
        if varying:
            why = f"{varying[0].name} depends on {varying[0].traits.depends_on}"
    if odds is not None:
        result = pair.PairResult(pair.EXACT, odds)
    else:
        count = given.games or GAMES
        games = pair.sampled_games(rules, first, second, boards, count, given.seed, news)
        result = pair.PairResult(pair.SAMPLED, games.odds)
        for number, cells in enumerate(games.moves):
            moves = [None if cell == FORFEIT else cell for cell in cells]
            about: dict[str, Any] = {
                "X": [given.first, given.second][2 * number >= count],
                "moves": moves,
            }
            about |= {"result": int(games.results[number])}
            listed.append({"opening": int(games.openings[number]), **about})
    return {
        "version": 1,
        "settings": {"rules": str(rules), "stones": given.openings, "seed": given.seed},
        "players": [given.first, given.second],
        "openings": [rules.format(board) for board in boards],
        "shares": dict(zip(("win", "draw", "loss"), result.shares.tolist(), strict=True)),
        "interval": list(result.interval),
        **result_to_dict(result),
        "why_games": why if listed else "",
        "games": listed,
    }


def show(found: dict[str, Any]) -> None:
    """Print a match."""
    (first, second), games = found["players"], found["games"]
    how = f"exact, {openings(found)}, both colours"
    if games:
        begun = len({game["opening"] for game in games})
        of = f"{begun:,} of " if begun < len(found["openings"]) else ""
        how = f"{len(games):,} games, {of}{openings(found)}, both colours"
    say(f"{first} against {second} on {found['settings']['rules']}: {how}")
    named = [_stones(found, text) for text in found["openings"][:NAMED]]
    if found["settings"]["stones"]:
        more = ", ..." if len(found["openings"]) > NAMED else ""
        say(f"openings: {', '.join(named)}{more}")
    columns = [Column("", left=True), *map(Column, ("score %", "win %", "draw %", "loss %"))]
    totals = [[sum(part) for part in zip(*found[f"as_{seat}"], strict=True)] for seat in "XO"]
    rows = []
    for name, (win, draw, loss) in (
        *((f"{first} as {seat}", total) for seat, total in zip("XO", totals, strict=True)),
        (first, [sum(both) for both in zip(*totals, strict=True)]),
    ):
        every = win + draw + loss
        shares = [(win + draw / 2) / every, win / every, draw / every, loss / every]
        rows.append([name, *map(phrases.share, shares)])
    text_tables.show(columns, rows)
    if found["why_games"]:
        say(f"not exact: {found['why_games']}")
    if games:
        low, high = (phrases.share((1 + end) / 2, 1) for end in found["interval"])
        say(f"95 % interval of the score: {low} to {high} %")
        different = len({(game["X"], game["opening"], *game["moves"]) for game in games})
        if different < len(games):
            say(
                f"only {different:,} of the games differ: the interval is too narrow for players"
                " that hardly choose at random"
            )
    if text := forced(found):
        say(text)


def _stones(found: dict[str, Any], text: str) -> str:
    """Name the stones of an opening, such as "X b2 O a1"."""
    from tttenv.game.rules import Rules, names_of

    rules = Rules.of(found["settings"]["rules"])
    sides = [(side, [cell for cell, mark in enumerate(text) if mark == side]) for side in "XO"]
    return " ".join(f"{side} {names_of(rules, cells)}" for side, cells in sides if cells)
