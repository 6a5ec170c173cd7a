"""Random damage to bytes, JSON and safetensors."""

import json
import random
import struct
from pathlib import Path
from typing import Any

ESCAPES = "\x1b]0;pwned\x07\x1b[2J"
NUMBERS = [
    *("0", "-1", "1", "2", "3.0", "2.5", "1e999", "-1e999", "NaN", "Infinity", "-Infinity"),
    *("1e-400", "20000", "65536", "1000000000", "2147483647", "2147483648", "4294967296"),
    *("9223372036854775807", "9223372036854775808", "-9223372036854775809"),
    *("18446744073709551616", "1" + "0" * 400, "7" * 5000),
]
NESTED = [
    *("[]", "{}", "[[]]", "[null]", "[20000,20000]", "[1000000000]", "[-1]", "[0]", "[1.5]"),
    *("[" * 50 + "]" * 50, "[" * 100_000, '{"a":' * 100_000, "[" * 70 + "]" * 70),
    *('{"dict":3}', '{"list":5}', '{"tensor":"0"}', '{"array":"none"}', '{"dict":[[1,2,3]]}'),
    *('{"dict":[[[],1]]}', '{"list":{}}', '{"tensor":[]}', '{"dict":[],"list":[]}'),
    *('{"__class__":"os.system"}', "[" + "0," * 5000 + "0]"),
]


def texts(canary: Path) -> list[str]:
    """Return hostile texts: long ones, escapes, markup, and specs and paths of `canary`."""
    touch = f"external:command=(touch {canary})"
    return [
        *("", "x", "x" * 300, "x" * 100_000, ESCAPES, "\x00", "a\nb\r\nc", "\ud800", "\u202e"),
        *("é" * 400, "\U0001f600", "3,3,3", "5,5,4", "19,19,5", "1,1,1", "9,9", "none"),
        *("cuda", "meta", "random", "first", "minimax", "tactical", "nobody", "__class__"),
        *(
            touch,
            f"gomocup:command=(touch {canary}),anyk=true",
            f"external:command=touch {canary}",
            f"epsilon:player=({touch}),epsilon=0.5",
        ),
        *(f"sb3:path={canary},trust=true", str(canary), f"{canary}/", "/etc/passwd", "../" * 40),
        *("mcts:iterations=1000000000", "epsilon:epsilon=2", "alphabeta:nodes=100000000000"),
        *("learners.td0:TD0", "os:system", "/dev/zero", "/dev/stdin", "."),
    ]


def damaged(data: bytes, dice: random.Random, others: list[bytes]) -> bytes:
    """Return bytes with some damage: flipped, cut, extended, spliced, overwritten or swapped."""
    made = bytearray(data)
    for _ in range(dice.choice((1, 1, 1, 2, 5))):
        at = (
            dice.randrange(len(made) + 1)
            if dice.random() < 0.5
            else dice.randrange(min(len(made), 300) + 1)
        )
        kind = dice.randrange(8)
        if kind <= 2 and at < len(made):
            made[at] ^= 1 << dice.randrange(8)
        elif kind == 3:
            del made[at:]
        elif kind == 4:
            made[at:at] = dice.randbytes(dice.choice((1, 8, 1000)))
        elif kind == 5:
            other = dice.choice(others)
            made[at:] = other[dice.randrange(len(other) + 1) :]
        elif kind == 6:
            length = dice.choice((1, 8, 64, 4096))
            made[at : at + length] = bytes([dice.choice((0, 255))]) * len(made[at : at + length])
        else:
            length = dice.choice((1, 8, 200))
            del made[at : at + length]
    return bytes(made)


def changed_json(value: Any, dice: random.Random, words: list[str]) -> bytes:
    """Return a JSON value as text with nodes replaced, renamed, removed, doubled or added."""
    raw: list[str] = []

    def hostile() -> Any:
        kind = dice.randrange(4)
        if kind == 0:
            return _drawn(words, dice)
        if kind == 1:
            return [dice.choice(words) for _ in range(dice.choice((1, 2)))]
        raw.append(_drawn(NUMBERS if kind == 2 else [*NESTED, "true", "false", "null"], dice))
        return f"@@raw{len(raw) - 1}@@"

    for _ in range(dice.choice((1, 1, 1, 2, 4))):
        parent, key = _node(value, dice)
        if parent is None:
            value = hostile()
            continue
        kind = dice.randrange(10)
        if kind <= 5:
            parent[key] = hostile()
        elif kind == 6:
            del parent[key]
        elif kind == 7 and isinstance(parent, dict):
            parent[dice.choice([*words, "seed", "opponent", "pool", "weights"])] = parent.pop(key)
        elif kind == 8 and isinstance(parent, dict):
            parent[dice.choice(words)] = hostile()
        elif isinstance(parent, list):
            parent.insert(dice.randrange(len(parent) + 1), hostile())
        else:
            parent[key] = [parent[key]] * 2
    text = json.dumps(value)
    for number, part in reversed(list(enumerate(raw))):
        text = text.replace(f'"@@raw{number}@@"', part)
    if dice.random() < 0.05 and text.startswith("{"):
        text = text[:-1] + "," + text[1:]  # every key twice
    return text.encode("utf-8", "surrogatepass")


def _drawn(texts: list[str], dice: random.Random) -> str:
    """Return a random text, rarely one of the longest, which take long to read."""
    text = dice.choice(texts)
    return dice.choice(texts) if len(text) > 10_000 and dice.random() < 0.8 else text


def _node(value: Any, dice: random.Random) -> tuple[Any, Any]:
    """Return a random node within nested lists and dicts, as its container and its key."""
    parent: Any = None
    key: Any = None
    while isinstance(value, dict | list) and value:
        if parent is not None and dice.random() < 0.25:
            break
        parent = value
        key = dice.choice(list(value)) if isinstance(value, dict) else dice.randrange(len(value))
        value = parent[key]
    return parent, key


def split(data: bytes) -> tuple[dict[str, Any], bytes]:
    """Return the header and the numbers of a safetensors file."""
    (length,) = struct.unpack("<Q", data[:8])
    return json.loads(data[8 : 8 + length]), data[8 + length :]


def joined(header: bytes, numbers: bytes) -> bytes:
    """Return a safetensors file with this header and these numbers."""
    return struct.pack("<Q", len(header)) + header + numbers


def changed_tensors(data: bytes, dice: random.Random, words: list[str]) -> bytes:
    """Return a safetensors file with another header, or other numbers under the same one."""
    header, numbers = split(data)
    tensors = [name for name in header if name != "__metadata__"]
    kind = dice.randrange(8)
    if kind == 0:
        return struct.pack("<Q", dice.choice(LENGTHS)) + data[8:]
    if kind == 1 or not tensors:
        return joined(changed_json(header, dice, words), numbers)
    if kind == 2:
        return joined(json.dumps(header).encode(), damaged(numbers, dice, [numbers]))
    if kind == 3:  # numbers that are none, or beyond all bounds
        pattern = dice.choice((b"\x00\x00\xc0\x7f", b"\x00\x00\x80\x7f", b"\xff" * 4, bytes(4)))
        return joined(json.dumps(header).encode(), (pattern * len(numbers))[: len(numbers)])
    name = dice.choice(tensors)
    entry = header[name]
    if kind == 4:
        entry["dtype"] = dice.choice(DTYPES)
    elif kind == 5:
        entry["shape"] = dice.choice(SHAPES + [entry["shape"][::-1], [*entry["shape"], 1]])
    elif kind == 6:
        entry["data_offsets"] = dice.choice(OFFSETS)
    else:
        header[dice.choice([*tensors, *words, "", "0", "policy"])] = header.pop(name)
    return joined(json.dumps(header).encode("utf-8", "surrogatepass"), numbers)


LENGTHS = (0, 1, 7, 2**16, 2**31, 2**32, 2**40, 2**63, 2**64 - 1, 100_000_001)
DTYPES = ("F16", "F32", "F64", "BF16", "I8", "U8", "I64", "U64", "BOOL", "F8_E4M3", "C64", "X", "")
SHAPES = [[], [0], [1], [0, 9], [2**31], [2**62, 4], [2**32, 2**32], [1] * 100, [-1], [3, 3]]
OFFSETS = [[0, 0], [0, 1], [0, 2**40], [5, 3], [-1, 4], [2**64 - 1, 2**64], [0], [], [8, 16]]
