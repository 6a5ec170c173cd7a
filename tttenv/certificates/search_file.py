"""Files of unfinished certificates, from which long searches are resumed.

One safetensors file with the positions of every round of the seat in progress, and JSON metadata.
Its form is checked, which finds damage. But unlike a proof, a certificate is not checked in the
end: one that is resumed from a file is as trustworthy as the file.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tttenv.certificates.frontier import contains, distinct, geometry
from tttenv.certificates.frontier_kernel import WORD, Codes, decode, encode
from tttenv.certificates.reachability import MERGED, Findings, Place, SearchState, SeatResults
from tttenv.exact.evaluation import SEATS
from tttenv.game.rules import Rules
from tttenv.utils import files, schema
from tttenv.utils.tensor_file import Header, Kind, header, pieces
from tttenv.utils.untrusted import MEBIBYTE, parse_json, read_bytes, shown

KIND = "unfinished certificate of reachable positions, 1"
BLOCK = 2**20  # codes checked together
# The tensors of `Drawn.arrays`: their type, and the one that has as many rows.
SAMPLED = {
    "keys": ("F64", "keys"),
    "kept.0": ("I8", "keys"),
    "kept.1": ("F64", "keys"),
    "always.0": ("I8", "always.0"),
    "always.1": ("F64", "always.0"),
}


@dataclass(frozen=True)
class _Metadata:
    finished: dict[str, SeatResults]  # by seat
    findings: Findings | None  # None between two seats
    place: Place | None
    rounds: int


def write(
    file: Path,
    about: Mapping[str, Any],
    finished: dict[str, SeatResults],
    state: SearchState | None,
) -> None:
    """Write the results of finished seats and the state of the next one atomically.

    Args:
        file: the file.
        about: what the certificate depends on, JSON-serializable; see `read`.
        finished: the results of finished seats, by seat.
        state: the search in the next seat, or None before its first query.

    Raises:
        OSError: if the file cannot be written.
    """
    arrays: dict[str, NDArray[Any]] = {}
    if state is not None:
        arrays = {f"round.{number}": codes for number, codes in enumerate(state.rounds)}
        nothing = np.empty((0, state.rounds[0].shape[1]), np.int64)
        arrays["next"] = np.concatenate([nothing, *(codes for codes, _ in state.found)])
        if state.findings.following:
            every = [chances for _, chances in state.found if chances is not None]
            arrays["chances"] = state.chances
            arrays["next.chances"] = np.concatenate([np.zeros(0), *every])
        arrays |= {f"sampled.{name}": part for name, part in state.sampled.items()}
    metadata = _Metadata(
        finished=finished,
        findings=None if state is None else state.findings,
        place=None if state is None else state.place,
        rounds=0 if state is None else len(state.rounds),
    )
    texts = {"about": json.dumps(about), "state": json.dumps(asdict(metadata))}
    arrays = {name: np.ascontiguousarray(part) for name, part in arrays.items()}
    files.write(file, pieces(arrays, {"kind": KIND, **texts}))


def read(
    file: Path, about: Mapping[str, Any], rules: Rules, positions: int
) -> tuple[dict[str, SeatResults], SearchState | None]:
    """Read what `write` wrote.

    Args:
        file: the file.
        about: what the certificate depends on now. A key names a value that differs in the message.
        rules: the game.
        positions: the limit of positions per seat.

    Returns:
        The results of finished seats, and the state of the next one.

    Raises:
        FileNotFoundError: if there is no such file.
        ValueError: if it was saved with another `about`, or for anything but a file of this form.
    """
    words = -(-rules.cells // WORD)
    most = 16 * words * (positions + 4 * MERGED) + 64 * MEBIBYTE
    found = header(read_bytes(file, most), file)
    if found.metadata.get("kind") != KIND:
        raise ValueError(f"{shown(file)} is not an unfinished certificate")
    saved = parse_json(found.metadata.get("about", "").encode(), file)
    for name, now in about.items():
        if not isinstance(saved, dict) or saved.get(name) != now:
            raise ValueError(
                f"{shown(file)} was saved with another {name}: continue with the same one, or"
                " delete the file"
            )
    damaged = f"{shown(file)} is a damaged unfinished certificate"
    content = parse_json(found.metadata.get("state", "").encode(), file)
    metadata = schema.checked(_Metadata, content, damaged)
    if tuple(metadata.finished) not in ((), SEATS[:1]):
        raise ValueError(f"{damaged}: its seats are not in order")
    for results in metadata.finished.values():
        line = results.losing_line or []
        if len({*line} & {*range(rules.cells)}) != len(line):
            raise ValueError(f"{damaged}: its lost game repeats a cell or leaves the board")
    return metadata.finished, _state(found, metadata, rules, positions, damaged)


def _state(
    found: Header, metadata: _Metadata, rules: Rules, positions: int, damaged: str
) -> SearchState | None:
    """Return the state of the search in a file's tensors, checking every number.

    Raises:
        ValueError: if a number is out of range, or numbers contradict each other.
    """
    known, place = metadata.findings, metadata.place
    if known is None or place is None:
        found.arrays({}, damaged)
        return None
    names = [f"round.{number}" for number in range(min(metadata.rounds, rules.cells))]
    sampled = [name for name in SAMPLED if f"sampled.{name}" in found.tensors]
    expected = _expected(found, names, sampled, known.following, rules.cells)
    arrays = found.arrays(expected, damaged)
    rounds, codes = [arrays[name] for name in names], arrays["next"]
    second = len(metadata.finished)
    for number, part in enumerate([*rounds, codes]):
        ordered = part is codes or np.array_equal(distinct(part), part)
        if not ordered or not _have_stones(part, rules, number, number + second):
            raise ValueError(
                f"{damaged}: its round {number + 1} holds impossible or unordered positions"
            )
    last = len(rounds[-1]) if rounds else 0
    counts = [n for n in (*asdict(known).values(), *asdict(place).values()) if isinstance(n, int)]
    before = sum(map(len, rounds)) - last
    if not (
        last
        and min(counts) >= 0
        and 0 <= place.seconds < float("inf")
        and before + last <= positions
        and place.queried <= last
        and known.images_checked <= known.asked == before + place.queried
        and place.sampled_from <= known.asked
        and (sampled in ([*SAMPLED], [*SAMPLED][:3]) if place.sampled_from else not sampled)
        and place.merge_above <= positions + MERGED
        and [len(row) for row in place.ended] == [3, 3]
        and (known.lost_at is None or _is_within(known.lost_at, rounds[known.lost_round :][:1]))
    ):
        raise ValueError(f"{damaged}: its counts contradict each other")
    numbers = {name: part for name, part in arrays.items() if part.dtype != np.int64}
    if not all(((part >= -1) & (part <= 1)).all() for part in numbers.values()):  # neither is a NaN
        raise ValueError(f"{damaged}: a probability is out of range")
    return SearchState(
        findings=known,
        place=place,
        rounds=rounds,
        chances=arrays.get("chances", np.zeros(last)),
        found=[(codes, arrays.get("next.chances"))] if len(codes) else [],
        sampled={name: arrays[f"sampled.{name}"] for name in sampled},
    )


def _expected(
    found: Header, rounds: list[str], sampled: list[str], following: bool, cells: int
) -> dict[str, Kind]:
    """Return the type and shape of every tensor, given the lengths that the file states."""
    words = -(-cells // WORD)
    kinds: dict[str, Kind] = {
        name: ("I64", (found.length(name), words)) for name in (*rounds, "next")
    }
    if following:
        kinds["chances"] = ("F64", (found.length((*rounds, "chances")[len(rounds) - 1]),))
        kinds["next.chances"] = ("F64", (found.length("next"),))
    for name in sampled:
        count = found.length("sampled." + SAMPLED[name][1])
        kinds[f"sampled.{name}"] = (SAMPLED[name][0], (count, cells)[: 1 + (name != "keys")])
    return kinds


def _have_stones(codes: Codes, rules: Rules, own: int, other: int) -> bool:
    """Return whether codes (positions, words) are those of boards with so many stones."""
    about = geometry(rules, images=False)
    for first in range(0, len(codes), BLOCK):
        some = codes[first : first + BLOCK]
        boards = decode(some, rules.cells)
        if (
            ((boards == 1).sum(axis=1) != own).any()
            or ((boards == -1).sum(axis=1) != other).any()
            or (encode(boards, about) != some).any()  # beyond the board
        ):
            return False
    return True


def _is_within(code: tuple[int, ...], rounds: list[Codes]) -> bool:
    """Return whether a position is in the only one of the rounds."""
    fits = bool(rounds) and len(code) == rounds[0].shape[1] and max(map(abs, code)) <= 3**WORD
    return fits and contains(rounds[0], np.array(code, np.int64))
