"""A game as an animated GIF, with the value after each stone, a blunder and its refutation."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from PIL import Image, ImageDraw

from learners.training.board_pictures import Annotations, board_picture, coordinates, write
from scripts.lib.gif import PALETTES, gif
from tttenv import Rules, player
from tttenv.cli.play import words
from tttenv.cli.play.advice import Advice
from tttenv.cli.play.session import Session, Side
from tttenv.drawing.tiles import Palette
from tttenv.game.rules import name_of

RULES = Rules()
FIRST, SECOND = "selfplay", "tactical"  # X, who never loses, and O
CELL, LEFT, TOP, BAR = 176, 64, 72, 30  # pixels
LEGEND = "-3 loss in 3: the winner needs 3 more stones"


class Game(NamedTuple):
    """A game in which O blunders once, and X wins."""

    boards: list[Any]  # (cells,) before each stone and at the end, seen by the side to move
    cells: list[int]
    blunder: int  # the number of the stone, from 0


def pictures(seed: int) -> dict[tuple[str, str], bytes]:
    """Return a game as GIFs, by file name and scheme."""
    advice = Advice(RULES)
    game = _found(seed, advice)
    made = {}
    for scheme, palette in PALETTES.items():
        frames, times = [], []
        for stones in range(len(game.cells) + 1):
            if stones == game.blunder:
                frames.append(_frame(game, stones, palette, advice, hints=True))
                times.append(3200)
            frames.append(_frame(game, stones, palette, advice))
            times.append(3600 if stones == game.blunder + 1 else 1000)
        times[-1] = 4500
        made["game.gif", scheme] = gif(frames, times)
    return made


def _found(seed: int, advice: Advice) -> Game:
    """Return the first game from `seed` on that X wins and whose only error is O's first move."""
    sides = [Side(name, player(name, RULES)) for name in (FIRST, SECOND)]
    while True:
        session = Session(RULES, sides[0], sides[1], 0, seed)
        while not session.over:
            session.move()
        told = [
            stone
            for stone, cell in enumerate(session.cells)
            if advice.blunder(session.boards[stone], cell)
        ]
        if session.winner == 0 and told == [1]:
            return Game(session.boards, session.cells, told[0])
        seed += 1


def _frame(game: Game, stones: int, palette: Palette, advice: Advice, hints: bool = False) -> Any:
    """Draw the game after some stones, with the value of each reply if `hints` is set."""
    side = RULES.n * CELL
    whole = Image.new("RGB", (1200, TOP + side + 40), palette.ground)
    board, corner = game.boards[stones], (LEFT, TOP)
    bad = game.cells[game.blunder]
    told: dict[str, Any] = {}
    if stones:
        last = game.cells[stones - 1]
        told["rims"] = {last: palette.ink("XO"[(stones - 1) % 2])}
    if stones > game.blunder:
        told["rims"][bad] = palette.blunder
        told["badges"] = {bad: words.GLYPH}
    if hints:
        hint = advice.hint(board, player("random", RULES))
        free = np.flatnonzero(hint.legal).tolist()
        told["grounds"] = {cell: palette.value(int(hint.values[cell])) for cell in free}
        told["labels"] = {cell: hint.short(cell) for cell in free}
    coordinates(whole, RULES, corner, CELL, palette.faint)
    whole.paste(board_picture(RULES, board, CELL, palette, Annotations(**told)), corner)
    _value_bar(whole, game, stones, palette)
    _words(whole, game, stones, palette, advice, hints)
    return whole


def _value(board: Any) -> tuple[int, int]:
    """Return the value of a position for X, and the number of stones until the win."""
    if RULES.over(board):
        seat = int(RULES.seat(board))
        return ((-1, 1)[seat] if RULES.lost(board) else 0), 0
    hint = Advice(RULES).hint(board, player("random", RULES))
    ranked = [(v, -v * s) for v, s in zip(hint.values, hint.stones, strict=True)]
    value, speed = max(rank for rank, free in zip(ranked, hint.legal, strict=True) if free)
    return int(value) * (1, -1)[int(RULES.seat(board))], abs(int(speed))


def _value_bar(whole: Any, game: Game, stones: int, palette: Palette) -> None:
    """Draw the evaluation bar beside the board: half full for a draw, fuller if X wins."""
    value, _ = _value(game.boards[stones])
    x, side = LEFT + RULES.n * CELL + 24, RULES.m * CELL
    share = (1 + 0.9 * value) / 2 if not RULES.over(game.boards[stones]) else (1 + value) / 2
    pen = ImageDraw.Draw(whole)
    split = TOP + round(side * (1 - share))
    pen.rectangle((x, TOP, x + BAR - 1, TOP + side - 1), palette.ink("O"))
    pen.rectangle((x, split, x + BAR - 1, TOP + side - 1), palette.ink("X"))


def _words(
    whole: Any, game: Game, stones: int, palette: Palette, advice: Advice, hints: bool
) -> None:
    """Write the players, the position's value, the moves and the blunder beside the bar."""
    x = LEFT + RULES.n * CELL + 24 + BAR + 36
    board = game.boards[stones]
    write(whole, f"{FIRST} (X)", 32, palette.ink("X"), (x, TOP))
    write(whole, f"{SECOND} (O)", 32, palette.ink("O"), (x + 250, TOP))
    write(whole, _standing(board), 56, palette.words, (x, TOP + 58))
    for stone in range(stones):
        mark, row = "XO"[stone % 2], TOP + 156 + stone // 2 * 50
        name = name_of(RULES, game.cells[stone])
        at = x + stone % 2 * 150
        write(whole, f"{mark} {name}", 36, palette.ink(mark), (at, row))
        if stone == game.blunder:
            write(whole, words.GLYPH, 36, palette.blunder, (at + 86, row))
    below = TOP + RULES.m * CELL - 100
    if hints:
        write(whole, "What each answer is worth:", 36, palette.words, (x, below))
        write(whole, LEGEND, 24, palette.faint, (x, below + 54))
    elif stones > game.blunder:
        bad = game.boards[game.blunder], game.cells[game.blunder]
        for row, line in enumerate(_lines(advice.blunder(*bad) or "")):
            write(whole, line, 36, palette.blunder, (x, below + row * 50))


def _standing(board: Any) -> str:
    """Describe a position's value: "draw", "X wins in 3", "X wins"."""
    value, stones = _value(board)
    if value == 0:
        return words.RESULT[0]
    winner = "X" if value > 0 else "O"
    return f"{winner} {words.VERBS[1][0]}" + (f" in {stones}" if stones else "")


def _lines(sentence: str) -> Sequence[str]:
    """Split the sentence about a blunder into two lines."""
    first, _, second = sentence.partition("; ")
    return [f"{first};", second]
