"""The check of a course's project: project 0 of Harvard's CS50 AI, in a user's file."""

from typing import Any

from .bot_search import limited, short

OF_COURSE = "rows/XO-null/board/pair"
COURSE = ("initial_state", "player", "actions", "result", "winner", "terminal", "utility")


def course(module: Any, seconds: float, right: dict[str, Any]) -> dict[str, str]:
    """Return what is wrong about a position in the functions of a course's project, by name.

    These are the functions of project 0 of Harvard's CS50 AI: `COURSE` and `minimax`.

    Args:
        module: the file.
        seconds: the limit of each call.
        right: the position's "board", "player", "winner", "terminal" and "utility".
    """
    space, board = vars(module), right["board"]
    wrong: dict[str, str] = {}
    marks = {"_": space.get("EMPTY"), "X": space.get("X", "X"), "O": space.get("O", "O"), "": None}

    def rows(text: str) -> list[list[Any]]:
        return [[marks[c] for c in text[at : at + 3]] for at in (0, 3, 6)]

    def call(name: str, wanted: Any, *arguments: Any) -> None:
        before = repr(arguments)
        report = short(f"{name}({before[1:-1].rstrip(',')})", plainly=True)
        try:
            with limited(seconds):
                value = space[name](*arguments)
            good = value is None if wanted is None else value == wanted
            report += f" returned {short(value)}"
        except BaseException as error:
            good, report = wanted is FAILS, f"{report} raised {short(repr(error), plainly=True)}"
        if good and repr(arguments) != before:
            good, report = False, f"{report} and changed the board that it was given"
        if not good:
            wrong.setdefault(name, f"{report}; right is {short(wanted)}")

    free = [divmod(cell, 3) for cell, mark in enumerate(board) if mark == "_"]
    taken = [divmod(cell, 3) for cell, mark in enumerate(board) if mark != "_"]
    call("winner", marks[right["winner"]], rows(board))
    call("terminal", right["terminal"], rows(board))
    if not taken:
        call("initial_state", rows(board))
    if right["terminal"]:
        call("utility", right["utility"], rows(board))
        call("minimax", None, rows(board))
        return wrong
    call("player", marks[right["player"]], rows(board))
    call("actions", set(free), rows(board))
    for i, j in free:
        after = rows(board)
        after[i][j] = marks[right["player"]]
        call("result", after, rows(board), (i, j))
    for cell in taken:
        call("result", FAILS, rows(board), cell)
    return wrong


class _Fails:
    def __repr__(self) -> str:
        return "an exception"


FAILS = _Fails()
