"""Export solved positions as a table, or recorded games: `tttenv export positions.csv`."""

import csv
import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from tttenv.cli import console
from tttenv.cli.options import File, Flag, NumberOrNone, OpponentOrNone, RulesOrNone
from tttenv.utils.files import write

PROG = "tttenv export"
EXAMPLES = """
tttenv export positions.csv
tttenv export positions.parquet --rules 3,4,3 --rows position
tttenv export games.npz --player mcts:iterations=200 --games 1000
tttenv export games.npz --player alphazero_554 --against random
"""


GAMES = ".npz"


@dataclass(frozen=True)
class Arguments:
    """Write the solved positions of a game as a table, or games of players.

    Each row is a position with a move to make: one of each class of mirror images and turns, or all
    of them. Values are those for the side to move: 1 a win, 0 a draw, -1 a loss. The column split
    says train or test; a class is never in both.

    A .npz file gets complete games of --player instead, against itself or --against with seats
    swapped after half of the games: every board, the player's probabilities, the move and the
    result, as NumPy arrays.
    """

    out: File  # the output file: .csv, .parquet (extra data), or .npz for games
    rules: RulesOrNone = None  # the game; default: 3,3,3, or what --player was trained on
    rows: Literal["class", "position"] = "class"  # one position of each class, or all
    player: OpponentOrNone = None  # with .npz: the player
    against: OpponentOrNone = None  # with .npz: the other side; default: the same player
    games: NumberOrNone = None  # with .npz: the number of games; default: 1000
    seed: int = 0  # with .npz: random seed
    json: Flag = False  # print a summary as JSON


def main(args: list[str], prog: str = PROG) -> None:
    """Write the file, and print its size.

    Raises:
        ValueError: for another kind of file, or a game that is too large to solve.
    """
    given = console.parse(Arguments, prog, args, examples=EXAMPLES)
    kinds = {".csv": as_csv, ".parquet": as_parquet, GAMES: as_npz}
    kind = given.out.suffix.lower()
    if kind not in kinds:
        raise ValueError(
            f"the file must end in .csv or .parquet for a table, or .npz for games, not {given.out}"
        )
    if given.out.is_dir():
        raise ValueError(f"{given.out} is a folder; give the name of a file")
    if kind != GAMES and (given.player or given.against or given.games is not None):
        raise ValueError("--player, --against and --games are for games, in a .npz file")
    if kind != GAMES and given.seed != Arguments.seed:
        raise ValueError("--seed is for games, in a .npz file: tables are not random")
    if kind == GAMES and given.rows != Arguments.rows:
        raise ValueError("--rows is for tables, in a .csv or .parquet file")
    if kind == GAMES:
        table, told = _games(given)
    else:
        table, told = _positions(given)
    content = kinds[kind](table)
    write(given.out, content)
    if given.json:
        print(json.dumps({"file": str(given.out), **told, "bytes": len(content)}, indent=2))
    elif kind == GAMES:
        print(f"{told['games']:,} games, {told['moves']:,} moves: {given.out}")
    else:
        print(f"{told['rows']:,} rows, {told['test']:,} of them for testing: {given.out}")


def _positions(given: Arguments) -> tuple[Mapping[str, Any], dict[str, Any]]:
    rules = given.rules or "3,3,3"
    with console.stage(f"solving {rules}", given.json):
        from tttenv.exact.dataset import solved_positions
        from tttenv.game.rules import Rules

        table = solved_positions(Rules.of(rules), given.rows)
    split = table["split"]
    return table, {"rows": len(split), "test": int((split == "test").sum())}


def _games(given: Arguments) -> tuple[Mapping[str, Any], dict[str, Any]]:
    """Play games, and return them as arrays along with their counts."""
    if given.player is None:
        raise ValueError(f"which player plays the games in {given.out}? name it with --player")
    console.check_seed(given.seed)
    count = 1000 if given.games is None else given.games
    if count < 1:
        raise ValueError(f"--games must be at least 1, not {count}")
    with console.stage(f"playing {count:,} games of {given.player}", given.json):
        import numpy as np

        from tttenv import Rules, player
        from tttenv.env.rollouts import joined, recorded_games
        from tttenv.players import rules_of

        rules = Rules.of(given.rules) if given.rules else rules_of(given.player)
        one, other = given.player, given.against or given.player
        pairs = [(one, other, count)] if one == other else _halves(one, other, count)
        players = {name: player(name, rules) for name in (one, other)}
        table = joined(
            [
                recorded_games(rules, players[first], players[second], games, given.seed + number)
                for number, (first, second, games) in enumerate(pairs)
            ]
        )
        names = [[first, second] for first, second, games in pairs for _ in range(games)]
    about = {"rules": np.array(str(rules)), "players": np.array(names)}
    return table | about, {"games": count, "moves": len(table["actions"])}


def _halves(one: str, other: str, games: int) -> list[tuple[str, str, int]]:
    """Split `games` between both seatings of two players: (X, O, number of games) for each."""
    pairs = [(one, other, games - games // 2), (other, one, games // 2)]
    return [pair for pair in pairs if pair[2]]


def as_csv(table: Mapping[str, Any]) -> bytes:
    """Convert a table to CSV with a header; the values of illegal moves are empty."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table)
    writer.writerows(zip(*(column.tolist() for column in table.values()), strict=True))
    return text.getvalue().encode()


def as_parquet(table: Mapping[str, Any]) -> bytes:
    """Convert a table to Parquet; the values of illegal moves are null."""
    import numpy as np
    import pyarrow as pa
    from pyarrow import parquet

    arrays = {
        name: pa.array(np.ma.getdata(column), mask=np.ma.getmaskarray(column))
        for name, column in table.items()
    }
    sink = pa.BufferOutputStream()
    parquet.write_table(pa.table(arrays), sink)
    return bytes(sink.getvalue())


def as_npz(arrays: Mapping[str, Any]) -> bytes:
    """Convert arrays to a compressed .npz file without pickles, reproducible byte for byte.

    numpy.savez would store the current time.
    """
    import numpy as np

    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in arrays.items():
            part = io.BytesIO()
            np.lib.format.write_array(part, np.asarray(array), allow_pickle=False)
            entry = zipfile.ZipInfo(f"{name}.npy")
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, part.getvalue())
    return sink.getvalue()
