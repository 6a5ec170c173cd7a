"""Export solved positions as a table, or recorded games: `tttenv export positions.csv`."""

import csv
import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from tttenv.cli import console
from tttenv.cli.options import File, Flag, OpponentOrNone, RulesOrNone
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
    games: int = 1000  # with .npz: the number of games
    seed: int = 0  # with .npz: random seed
    json: Flag = False  # print a summary as JSON


def main(args: list[str], prog: str = PROG) -> None:
    """Write the file, and print its size."""
    given = console.parse(Arguments, prog, args, examples=EXAMPLES)
    console.check_seed(given.seed)
    kinds = {".csv": as_csv, ".parquet": as_parquet, GAMES: as_npz}
    kind = given.out.suffix.lower()
    if kind not in kinds:
        raise ValueError(
            f"the file must end in .csv or .parquet for a table, or .npz for games, not {given.out}"
        )
    if given.out.is_dir():
        raise ValueError(f"{given.out} is a folder; give the name of a file")
    for name in ("rows",) if kind == GAMES else ("player", "against", "games", "seed"):
        if getattr(given, name) != getattr(Arguments, name):
            raise ValueError(
                f"--{name} is for tables, in a .csv or .parquet file"
                if kind == GAMES
                else f"--{name} is for games, in a .npz file: tables are not random"
            )
    if kind == GAMES:
        table, told = _games(given)
        words = "{games:,} games, {moves:,} moves"
    else:
        table, told = _positions(given)
        words = "{rows:,} rows, {test:,} of them for testing"
    content = kinds[kind](table)
    write(given.out, content)
    if given.json:
        print(json.dumps({"file": str(given.out), **told, "bytes": len(content)}, indent=2))
    else:
        print(f"{words.format(**told)}: {given.out}")


def _positions(given: Arguments) -> tuple[Mapping[str, Any], dict[str, Any]]:
    """Return the solved positions as columns along with their counts."""
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
    if given.games < 1:
        raise ValueError(f"--games must be at least 1, not {given.games}")
    with console.stage(f"playing {given.games:,} games of {given.player}", given.json):
        import numpy as np

        from tttenv import Rules, player
        from tttenv.env.rollouts import joined, recorded_games
        from tttenv.players import rules_of

        rules = Rules.of(given.rules) if given.rules else rules_of(given.player)
        one, other = given.player, given.against or given.player
        half = given.games // 2
        pairs = [(one, other, given.games - half), (other, one, half)]  # X, O, their games
        pairs = [(one, other, given.games)] if one == other else [pair for pair in pairs if pair[2]]
        players = {name: player(name, rules) for name in (one, other)}
        table = joined(
            [
                recorded_games(rules, players[first], players[second], games, given.seed + number)
                for number, (first, second, games) in enumerate(pairs)
            ]
        )
        names = [[first, second] for first, second, games in pairs for _ in range(games)]
    about = {"rules": np.array(str(rules)), "players": np.array(names)}
    return table | about, {"games": given.games, "moves": len(table["actions"])}


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
    """Convert arrays to a compressed .npz file that, unlike numpy.savez's, stores no time."""
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
