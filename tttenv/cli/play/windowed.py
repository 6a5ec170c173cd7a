"""Play in a window with mouse and keyboard, or watch two players."""

import time
from typing import Any

from tttenv.cli.play import words
from tttenv.cli.play.advice import Advice, Hint
from tttenv.cli.play.position import cell_of, keys
from tttenv.cli.play.session import SEATS, Session, number_of
from tttenv.cli.play.text_board import best_line
from tttenv.drawing.window import POLL_SECONDS, Event, Window
from tttenv.game.rules import Rules

THINKING, WATCHING = 0.35, 0.8  # seconds before a reply, and between stones when watching
LINES = 5  # below the board: two blunders, legend of hints, score, keys


class Windowed:
    """The games of a session in a window; `run` plays until the user leaves."""

    def __init__(self, session: Session, advice: Advice, hints: bool, games: int) -> None:
        self.session, self.advice, self.hints = session, advice, hints
        self.person = session.sides[0].policy is None
        self.left = games - 1  # to watch after this one
        self.keys = {"u": self._undo, "h": self._switch_hints, "n": self._again, "r": self._resign}
        names = " - ".join(side.name for side in session.sides)
        self.window = Window(session.rules, f"{names} ({session.rules})", notes=LINES, seen=True)
        self.going, self.due = True, 0.0

    def run(self) -> None:
        """Play until the user leaves, then print the score."""
        try:
            self._show()
            while self.going:
                for event in self.window.events():
                    self._obey(event)
                self._let_players_move()
                time.sleep(POLL_SECONDS)
        finally:
            self.window.close()
        print(self._score())

    def scene(self) -> dict[str, Any]:
        """Return the current contents of the window, as the fields of `Scene`."""
        session = self.session
        blunders = self._blunders()
        alarms = [f"{words.GLYPH} {self._whose(n)}: {told}" for n, told in blunders.items()]
        found: dict[str, Any] = {
            "last": session.cells[-1] if session.cells else None,
            "blunders": tuple((session.cells[stone], words.GLYPH) for stone in blunders),
            "state": session.outcome,
        }
        legend = ""
        if self.hints and not session.over:
            player = session.side(session.mover)
            if player.policy is None:
                player = session.sides[1]
            assert player.policy is not None
            hint = self.advice.hint(session.board, player.policy)
            found |= {"values": hint.values, "shares": hint.shares}
            if hint.values is not None:
                cells = range(session.rules.cells)
                found["labels"] = tuple(hint.short(cell) for cell in cells)
            name = player.name.partition(":")[0]  # its options would leave no room
            legend = f"{_legend(session.rules, hint)}   below: what {name} plays, %"
        return found | {
            "alarms": tuple(alarms),
            "legend": legend,
            "notes": (self._score(), self._help()),
        }

    def _obey(self, event: Event) -> None:
        session = self.session
        if event.kind == "leave":
            self.going = False
        elif event.kind == "key" and event.key in self.keys:
            self.keys[event.key]()
        elif event.kind == "key" and event.key in keys(session.rules):
            self._place(cell_of(session.rules, event.key))
        elif event.kind == "click" and event.cell is not None:
            self._place(event.cell)

    def _place(self, cell: int) -> None:
        if self.session.awaits_person() and self.session.board[cell] == 0:
            self.session.play(cell)
            self._show()

    def _let_players_move(self) -> None:
        """After a short pause, play a player's move or start the next game to watch."""
        if time.monotonic() < self.due:
            return
        if self.session.over:
            if not self.person and self.left:
                self.left -= 1
                self._again()
        elif not self.session.awaits_person():
            self.session.move()
            self._show()

    def _undo(self) -> None:
        if self.person and self.session.takes_back():
            self.session.take_back()
            self._show()

    def _switch_hints(self) -> None:
        self.hints = not self.hints
        self._show()

    def _again(self) -> None:
        self.session.again()
        self._show()

    def _resign(self) -> None:
        if self.person and not self.session.over:
            self.session.resign()
            self._show()

    def _show(self) -> None:
        session = self.session
        if not self.advice.exact and (self.hints or session.over):  # a search takes about a second
            last = session.cells[-1] if session.cells else None
            self.window.show(session.board, last=last, state=session.outcome)
        self.window.show(session.board, **self.scene())
        self.due = time.monotonic() + (THINKING if self.person else WATCHING)

    def _blunders(self) -> dict[int, str]:
        """Return remarks on blunders, by the index of the stone.

        With hints they are about the last stone of each side; after a lost game, about the stone
        that lost it.
        """
        session = self.session
        boards, cells = session.boards, session.cells
        stones = range(max(0, len(cells) - 2), len(cells)) if self.hints else range(0)
        found = {stone: self.advice.blunder(boards[stone], cells[stone]) for stone in stones}
        if self.person and not session.resigned and session.winner == 1 - session.seat:
            stone = self.advice.losing_move(boards, cells, session.seat)
            if stone is not None:
                found[stone] = self.advice.blunder(boards[stone], cells[stone])
        return {stone: sentence for stone, sentence in sorted(found.items()) if sentence}

    def _whose(self, stone: int) -> str:
        """Return the beginning of a sentence about a blunder, as in the terminal."""
        board = self.session.boards[stone]
        side = self.session.side(int(self.session.rules.seat(board)))
        whose = "your blunder" if side.policy is None else f"{side.name}'s blunder"
        return f"{whose}, stone {number_of(board)}" if self.session.over else whose

    def _score(self) -> str:
        first, drawn, second = self.session.score
        names = [side.name for side in self.session.sides]
        seats = SEATS[self.session.seat], SEATS[1 - self.session.seat]
        return f"{names[0]} ({seats[0]}) {first}   draws {drawn}   {names[1]} ({seats[1]}) {second}"

    def _help(self) -> str:
        if not self.person:
            return "h hints   n next game   Esc leave"
        if self.session.over:
            return "n next game, seats swapped   u take back   Esc leave"
        return "u take back   h hints   n new game   r resign   Esc leave"


def _legend(rules: Rules, hint: Hint) -> str:
    if hint.stones is not None:
        return words.SHORT_FORM
    known = words.NOTHING_DECIDED if hint.values is None else words.LEGEND_UNDECIDED
    return "; ".join(filter(None, (known, best_line(rules, hint))))
