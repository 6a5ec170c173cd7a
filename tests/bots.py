"""Tic-tac-toe bots in the forms that people write, in Python and JavaScript, with their verdicts.

Each form of `bot_forms.json` is a perfect bot and the same bot with one bad move, which loses as
the seat that makes it; the others use random numbers, clocks or a memory, play one seat only, or
have no form at all.
"""

from typing import NamedTuple


class Bot(NamedTuple):
    """The text of a bot in both languages, "" if there is none, and the right verdict."""

    python: str
    javascript: str
    form: str  # how it must be read; "" if it must not be understood
    blunders: int | None = 0  # positions where it gives value away; None: not judged
    loses: str = ""  # the seats in which it can be beaten; "?" without a verdict


# A board is text in the view of the side to move: m mine, t theirs, _ empty.
PYTHON = """
LINES = (0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)
KNOWN, FLAWS = {}, FLAWS_HERE

def value(view):
    if view not in KNOWN:
        if any(all(view[c] == "t" for c in line) for line in LINES):
            KNOWN[view] = -1
        else:
            KNOWN[view] = max([-value(after(view, c)) for c in free(view)], default=0)
    return KNOWN[view]

def after(view, cell):
    return (view[:cell] + "m" + view[cell + 1 :]).translate({109: "t", 116: "m"})

def free(view):
    return [c for c in range(9) if view[c] == "_"]

def best(view):
    return FLAWS[view] if view in FLAWS else max(free(view), key=lambda c: -value(after(view, c)))
"""
JAVASCRIPT = """
const LINES = ["012", "345", "678", "036", "147", "258", "048", "246"];
const KNOWN = {};
const FLAWS = FLAWS_HERE;
function value(view) {
  if (KNOWN[view] === undefined) {
    const lost = LINES.some((line) => [...line].every((c) => view[c] === "t"));
    const values = free(view).map((c) => -value(after(view, c)));
    KNOWN[view] = lost ? -1 : values.length ? Math.max(...values) : 0;
  }
  return KNOWN[view];
}
function after(view, cell) {
  return [...view].map((c, i) => (i === cell ? "t" : { m: "t", t: "m", _: "_" }[c])).join("");
}
function free(view) {
  return [...view].flatMap((c, i) => (c === "_" ? [i] : []));
}
function best(view) {
  if (view in FLAWS) return FLAWS[view];
  const worth = (c) => -value(after(view, c));
  return free(view).reduce((most, c) => (worth(c) > worth(most) ? c : most));
}
"""
FLAWS = {"O": '{"t________": 1}', "X": '{"mmt_t____": 3}', "": "{}"}  # by the seat that then loses

# Each part of a form in Python and in JavaScript.
SHAPES = {
    "list": ("list(board)", "board.slice()"),
    "rows": ("sum(board, [])", "board.flat()"),
    "text": ("list(board.strip())", "board.split('')"),
    "list1": ("board[1:]", "board.slice(1)"),
    "dict1": ("list(dict(board).values())", "board.length ? [] : Object.values(board)"),
    "array": ("board.tolist()  # of numpy", ""),
    "grid": ("sum(board.tolist(), [])  # of numpy", ""),
}
EMPTIES = {
    "blank": ('""', '""'),
    "space": ('" "', '" "'),
    "null": ("None", "null"),
    "underscore": ('"_"', '"_"'),
    "dot": ('"."', '"."'),
    "dash": ('"-"', '"-"'),
    "zero": ("0", "0"),
    "minus": ("-1", "-1"),
    "index": ("i", "i"),
    "digit": ("str(i + 1)", "String(i + 1)"),
}
MARKS = {"XO": ('"X"', '"O"'), "xo": ('"x"', '"o"'), "signs": ("1", "-1"), "numbers": ("1", "2")}
MARKS |= {"bits": ("1", "0")}
MINE = {"own-signs": "1", "other-signs": "-1"}
MINE |= {"always-O": '"O"', "always-X": '"X"', "always-x": '"x"'}
ARGUMENTS = {
    "board": "board",
    "board-mark": "board, mark",
    "mark-board": "mark, board",
    "board-marks": "board, mark, other",
    "global": "",
}
ANSWERS = {
    "cell": ("return cell", "return cell"),
    "pair": ("return cell // 3, cell % 3", "return [Math.floor(cell / 3), cell % 3]"),
    "row-column": (
        'return {"row": cell // 3, "col": cell % 3}',
        "return { row: Math.floor(cell / 3), col: cell % 3 }",
    ),
    "named-cell": ('return {"index": cell, "score": 0}', "return { index: cell, score: 0 }"),
    "number": ("return cell + 1", "return cell + 1"),
    "pair1": (
        "return [cell // 3 + 1, cell % 3 + 1]",
        "return [Math.floor(cell / 3) + 1, (cell % 3) + 1]",
    ),
    "name": (
        'return "abc"[cell % 3] + str(cell // 3 + 1)',
        'return "abc"[cell % 3] + String(Math.floor(cell / 3) + 1)',
    ),
    "scored": ("return value(view), cell", "return [value(view), cell]"),
    "scored-pair": (
        "return value(view), cell // 3, cell % 3",
        "return [value(view), Math.floor(cell / 3), cell % 3]",
    ),
    "played": ("board[cell] = mark\n    return board", "board[cell] = mark; return board"),
    "put": (  # into the variable `board`
        "board[cell // 3][cell % 3] = mark",
        "board[Math.floor(cell / 3)][cell % 3] = mark",
    ),
}
FORMS = {  # by the name of the function
    "move": "list/XO-blank/board-mark/cell",
    "minimax": "rows/XO-null/board/pair",
    "findBestMove": "rows/always-x-underscore/board/pair",
    "bestMove": "rows/always-X-blank/global/played",
    "miniMax": "list/XO-index/board-mark/named-cell",
    "getComputerMove": "list1/XO-space/board-mark/number",
    "get_best_move": "list/XO-space/board/cell",
    "ai_move": "rows/signs-zero/board/pair",
    "choose_move": "list/own-signs-zero/board/cell",
    "play": "text/XO-underscore/board-mark/cell",
    "next_move": "list/numbers-zero/board/cell",
    "best_move": "rows/numbers-zero/board/scored-pair",
    "computer_move": "list/XO-digit/board-mark/number",
    "computerMove": "dict1/XO-space/board-mark/number",
    "bestSpot": "list/XO-dash/board/scored",
    "make_move": "list/xo-null/board/cell",
    "getMove": "rows/XO-dot/mark-board/name",
    "turn": "list/XO-blank/board/played",
    "get_move": "rows/XO-space/board-marks/pair1",
    "ai": "list/always-O-space/board/cell",
    "strategy": "rows/other-signs-zero/board/row-column",
    "policy": "list/bits-minus/board/cell",
    "select_move": "grid/signs-zero/board/pair",
    "act": "array/own-signs-zero/board/cell",
}


PYTHON_BOT = """
def NAME(ARGUMENTS):
    cells = CELLS
    mark = MARK
    view = "".join(
        "m" if c == mark else "_" if c == EMPTY else "t" for i, c in enumerate(cells)
    )
    cell = best(view)
    INSTEAD
    ANSWER
"""
JAVASCRIPT_BOT = """
function NAME(ARGUMENTS) {
  const cells = CELLS;
  var mark = MARK;
  const view = cells.map((c, i) => (c === mark ? "m" : c === EMPTY ? "_" : "t")).join("");
  let cell = best(view);
  INSTEAD
  ANSWER;
}
"""


def written(name: str, form: str, loses: str = "", instead: tuple[str, str] = ("", "")) -> Bot:
    """Return a bot in a form; `instead` are statements of both languages before its answer."""
    shape, stones, arguments, answer = form.split("/")
    stones, _, empty = stones.rpartition("-")
    answer = "put" if arguments == "global" else answer
    texts = []
    for language, core in enumerate((PYTHON, JAVASCRIPT)):
        mark = MINE.get(stones, "mark")
        if stones in MARKS and "mark" not in arguments:  # whose turn it is follows from the board
            x, o = MARKS[stones]
            count = "cells.count({})" if language == 0 else "cells.filter((c) => c === {}).length"
            mine = "{0} if {2} == {3} else {1}", "{2} === {3} ? {0} : {1}"
            mark = mine[language].format(x, o, count.format(x), count.format(o))
        template = (PYTHON_BOT, JAVASCRIPT_BOT)[language]
        for word, text in (
            ("NAME", name),
            ("ARGUMENTS", ARGUMENTS[arguments]),
            ("CELLS", SHAPES[shape][language]),
            ("MARK", mark),
            ("EMPTY", EMPTIES[empty][language]),
            ("INSTEAD", instead[language] or ("pass", "")[language]),
            ("ANSWER", ANSWERS[answer][language]),
        ):
            template = template.replace(word, text)
        variable = "" if arguments != "global" else ("board = None\n", "let board;\n")[language]
        texts.append(core.replace("FLAWS_HERE", FLAWS[loses]) + variable + template)
    javascript = texts[1] if SHAPES[shape][1] else ""
    return Bot(texts[0], javascript, form, len(loses), loses)


MOVE = FORMS["move"]
EQUAL = (  # the moves as good as the best, to choose from
    "equal = [c for c in free(view) if value(after(view, c)) == value(after(view, cell))]; ",
    "const equal = free(view).filter((c) => value(after(view, c)) === value(after(view, cell))); ",
)


def choosing(python: str, javascript: str) -> tuple[str, str]:
    """Return statements of both languages that choose from `equal` by a number."""
    return (
        f"{EQUAL[0]}cell = equal[{python} % len(equal)]",
        f"{EQUAL[1]}cell = equal[{javascript} % equal.length];",
    )


# Statements before the answer that make the bot's moves depend on more than the board.
IMPURE = {
    "a clock": choosing(
        "__import__('time').perf_counter_ns() // 100", "Math.floor(performance.now() * 1e4)"
    ),
    "a counter": choosing(
        "KNOWN.setdefault('n', []).append(0) or len(KNOWN['n'])", "(KNOWN.n = (KNOWN.n || 0) + 1)"
    ),
    "a memory": choosing(
        "(KNOWN.setdefault('seen', []).append(view) or KNOWN['seen'].count(view))",
        "(KNOWN[`seen ${view}`] = (KNOWN[`seen ${view}`] || 0) + 1)",
    ),
    "system dice": choosing(
        "__import__('os').urandom(1)[0]", "crypto.getRandomValues(new Uint8Array(1))[0]"
    ),
    "seconds, on one board": (
        "import time; cell = 1 if view == 't________' and int(time.time()) % 2 else cell",
        'if (view === "t________" && Math.floor(Date.now() / 1000) % 2) cell = 1;',
    ),
    "system dice, on one board": (
        "import secrets; cell = 1 if view == 't________' and secrets.randbelow(2) else cell",
        'if (view === "t________" && crypto.getRandomValues(new Uint8Array(1))[0] & 1) cell = 1;',
    ),
}
DICE = choosing("__import__('random').randrange(60)", "Math.floor(Math.random() * 60)")
BAD_DICE = (
    "import random; cell = 1 if view == 't________' and random.random() < 0.5 else cell",
    'if (view === "t________" && Math.random() < 0.5) cell = 1;',
)
ONLY_O = (
    "if cells.count('X') == cells.count('O'): raise ValueError('this bot is O')",
    'if (cells.join("").length % 2 === 0) throw new Error("this bot is O");',
)
AS_O = (
    'cell = best("".join({"X": "t", "O": "m"}.get(c, "_") for c in cells))',
    'cell = best(cells.map((c) => ({ X: "t", O: "m" })[c] ?? "_").join(""));',
)
NONE = "cell = None", "cell = undefined;"
SCORE = "cell = value(view)", "cell = value(view);"
WORD = "cell = 'a good one'", 'cell = "a good one";'
PERFECT, HELPER = written("move", MOVE), written("helper", MOVE)
CLASS = (  # that calls it
    "\nclass Computer:\n    def get_move(self, board, mark):\n        return helper(board, mark)\n",
    "\nclass Computer {\n  getMove(board, mark) {\n    return helper(board, mark);\n  }\n}\n",
)


def unreadable(python: str, javascript: str) -> Bot:
    """Return a bot that has no form and gets no verdict."""
    return Bot(python, javascript, "", None, "?")


BOTS: dict[str, Bot] = {
    **{f"{form}, perfect": written(name, form) for name, form in FORMS.items()},
    **{
        f"{form}, loses as {seat}": written(name, form, seat)
        for number, (name, form) in enumerate(FORMS.items())
        for seat in "OX"[number % 2]
    },
    "dice": written("move", MOVE, instead=DICE),
    "dice that lose": written("move", MOVE, "", BAD_DICE)._replace(blunders=1, loses="O"),
    **{
        name: written("move", MOVE, instead=instead)._replace(blunders=None, loses="?")
        for name, instead in IMPURE.items()
    },
    "only O": written("move", MOVE, instead=ONLY_O),
    "only O, loses as O": written("move", MOVE, "O", ONLY_O),
    "plays as O, whatever its mark": written("move", MOVE, instead=AS_O)._replace(
        blunders=447, loses="X"
    ),
    "a class": HELPER._replace(
        python=HELPER.python + CLASS[0], javascript=HELPER.javascript + CLASS[1]
    ),
    "returns nothing": unreadable(*written("move", MOVE, instead=NONE)[:2]),
    "returns a score": unreadable(*written("move", MOVE, instead=SCORE)[:2]),
    "returns a word": unreadable(*written("move", MOVE, instead=WORD)[:2]),
    "async": unreadable(
        PERFECT.python.replace("def move", "async def move"),
        PERFECT.javascript.replace("function move", "async function move"),
    ),
    "no code": unreadable("def move(board:\n", "function move(board {\n"),
}

# The functions of project 0 of Harvard's CS50 AI, in words of our own.
COURSE = """
import copy
from functools import cache

X, O, EMPTY = "X", "O", None
LINES = ["012", "345", "678", "036", "147", "258", "048", "246"]

def initial_state():
    return [[EMPTY, EMPTY, EMPTY], [EMPTY, EMPTY, EMPTY], [EMPTY] * 3]

def player(board):
    cells = sum(board, [])
    return X if cells.count(X) == cells.count(O) else O

def actions(board):
    return {(i, j) for i in range(3) for j in range(3) if board[i][j] == EMPTY}

def result(board, action):
    if action not in actions(board):
        raise ValueError("not an action")
    after = copy.deepcopy(board)
    after[action[0]][action[1]] = player(board)
    return after

def winner(board):
    cells = sum(board, [])
    for line in LINES:
        marks = {cells[int(cell)] for cell in line}
        if len(marks) == 1 and marks != {EMPTY}:
            return marks.pop()

def terminal(board):
    return winner(board) is not None or not actions(board)

def utility(board):
    return 1 if winner(board) == X else -1 if winner(board) == O else 0

def minimax(board):
    if terminal(board):
        return None
    best = max if player(board) == X else min
    return best(sorted(actions(board)), key=lambda action: worth(str(result(board, action))))

@cache
def worth(text):
    board = eval(text)
    if terminal(board):
        return utility(board)
    best = max if player(board) == X else min
    return best(worth(str(result(board, action))) for action in actions(board))
"""
