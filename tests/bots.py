"""Tic-tac-toe bots in the forms that people write, in Python and JavaScript, with their verdicts.

Each form of `bots.toml` is a bot with one bad move, which loses as the seat that makes it, and two
of them are a perfect bot; the others use random numbers, clocks or a memory, play one seat only, or
have no form at all.
"""

import tomllib
from pathlib import Path
from typing import NamedTuple

PARTS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
FORMS = PARTS["forms"]
COURSE = PARTS["course"]["python"]
EQUAL = (  # the moves as good as the best, to choose from
    "equal = [c for c in free(view) if value(after(view, c)) == value(after(view, cell))]; "
    "cell = equal[{} % len(equal)]",
    "const equal = free(view).filter((c) => value(after(view, c)) === value(after(view, cell))); "
    "cell = equal[{} % equal.length];",
)
TURNS = (  # the mark of the side to move, from the counts of the marks in `cells`
    ("cells.count({})", "{0} if {2} == {3} else {1}"),
    ("cells.filter((c) => c === {}).length", "{2} === {3} ? {0} : {1}"),
)


class Bot(NamedTuple):
    """The text of a bot in both languages, "" if there is none, and the right verdict."""

    python: str
    javascript: str
    form: str  # how it must be read; "" if it must not be understood
    blunders: int | None = 0  # positions where it gives value away; None: not judged
    loses: str = ""  # the seats in which it can be beaten; "?" without a verdict


def written(name: str, form: str, flaw: str = "", instead: tuple[str, str] = ("", "")) -> Bot:
    """Return a bot in a form; `instead` are statements of both languages before its answer."""
    shape, stones, arguments, answer = form.split("/")
    stones, _, empty = stones.rpartition("-")
    answer = "put" if arguments == "global" else answer
    texts = []
    for number, language in enumerate(("python", "javascript")):
        mark = PARTS["mine"].get(stones, "mark")
        if stones in PARTS["marks"] and "mark" not in arguments:  # it follows from the board
            x, o = PARTS["marks"][stones]
            count, mine = TURNS[number]
            mark = mine.format(x, o, count.format(x), count.format(o))
        template = PARTS["bot"][language]
        for word, text in (
            ("NAME", name),
            ("ARGUMENTS", PARTS["arguments"][arguments]),
            ("CELLS", PARTS["shapes"][shape][number]),
            ("MARK", mark),
            ("EMPTY", PARTS["empties"][empty][number]),
            ("INSTEAD", instead[number] or ("pass", "")[number]),
            ("ANSWER", PARTS["answers"][answer][number]),
        ):
            template = template.replace(word, text)
        variable = "" if arguments != "global" else ("board = None\n", "let board;\n")[number]
        core = PARTS["core"][language].replace("FLAWS_HERE", PARTS["flaws"][flaw])
        texts.append(core + variable + template)
    javascript = texts[1] if PARTS["shapes"][shape][1] else ""
    return Bot(texts[0], javascript, form, len(flaw), flaw)


def other(row: dict) -> Bot:
    """Return a bot in the first form with other answers, as a row of the table says."""
    instead = row.get("instead", ("", ""))
    if numbers := row.get("chooses"):
        instead = [text.format(number) for text, number in zip(EQUAL, numbers, strict=True)]
    made, more = (
        written(row.get("name", "move"), MOVE, row.get("flaw", ""), instead),
        row.get("more"),
    )
    loses = row.get("loses", "")
    return Bot(
        *(text + (more or ("", ""))[number] for number, text in enumerate(made[:2])),
        form="" if "unread" in row else MOVE,
        blunders=None if loses == "?" else row.get("blunders", len(loses)),
        loses=loses,
    )


MOVE = FORMS["move"]
PERFECT = written("move", MOVE)
BOTS: dict[str, Bot] = {
    **{f"{FORMS[name]}, perfect": written(name, FORMS[name]) for name in ("move", "minimax")},
    **{
        f"{form}, loses as {seat}": written(name, form, seat)
        for number, (name, form) in enumerate(FORMS.items())
        for seat in "OX"[number % 2]
    },
    **{name: other(row) for name, row in PARTS["others"].items()},
    "async": Bot(
        PERFECT.python.replace("def move", "async def move"),
        PERFECT.javascript.replace("function move", "async function move"),
        *("", None, "?"),
    ),
    "no code": Bot("def move(board:\n", "function move(board {\n", "", None, "?"),
}
