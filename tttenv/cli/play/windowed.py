"""Playing, and watching, in a window: mouse and keys in, boards out."""

import time

from tttenv.cli.play.advice import Advice
from tttenv.cli.play.notation import cell_of, keys
from tttenv.cli.play.session import SEATS, Session
from tttenv.game.window import Event, Window

THINKING, WATCHING = 0.35, 0.8  # seconds before a player answers, and between stones to watch
BLINK = 0.02  # seconds between looks at the mouse


class Windowed:
    """The games of a session in a window; `run` plays until someone leaves."""

    def __init__(self, session: Session, advice: Advice, hints: bool, games: int) -> None:
        self.session, self.advice, self.hints = session, advice, hints
        self.person = session.sides[0].policy is None
        self.left = games - 1  # to be watched after this one
        self.keys = {"u": self._undo, "h": self._switch_hints, "n": self._again, "r": self._resign}
        names = " - ".join(side.name for side in session.sides)
        self.window = Window(session.rules, f"{names} ({session.rules})", notes=2, seen=True)
        self.going, self.due = True, 0.0

    def run(self) -> None:
        """Play until someone leaves; then tell the score."""
        try:
            self._show()
            while self.going:
                for event in self.window.events():
                    self._obey(event)
                self._let_players_move()
                time.sleep(BLINK)
        finally:
            self.window.close()
        print(self._score())

    def _obey(self, event: Event) -> None:
        session = self.session
        if event.kind == "leave":
            self.going = False
        elif event.kind == "key" and event.key in self.keys:
            self.keys[event.key]()
        elif event.kind == "key" and event.key in keys(session.rules):
            self._place(cell_of(session.rules, event.key))
        elif event.kind == "click" and session.over:
            self._again()
        elif event.kind == "click" and event.cell is not None:
            self._place(event.cell)

    def _place(self, cell: int) -> None:
        if self.session.awaits_person() and self.session.board[cell] == 0:
            self.session.play(cell)
            self._show()

    def _let_players_move(self) -> None:
        """Make the move of a player whose turn it is, a moment after the stone before."""
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
        own = self.session.seat
        if self.person and (self.session.resigned or len(self.session.cells) > own):
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
        values = shares = None
        if self.hints and not session.over:
            mover = session.side(session.mover)
            policy = mover.policy or session.sides[1].policy
            assert policy is not None
            hint = self.advice.hint(session.board, policy)
            values, shares = hint.values, hint.shares
        last = session.cells[-1] if session.cells else None
        self.window.show(
            session.board,
            notes=(self._score(), self._help()),
            last=last,
            values=values,
            shares=shares,
            state=session.outcome,
        )
        self.due = time.monotonic() + (THINKING if self.person else WATCHING)

    def _score(self) -> str:
        first, drawn, second = self.session.score
        names = [side.name for side in self.session.sides]
        seats = SEATS[self.session.seat], SEATS[1 - self.session.seat]
        return f"{names[0]} ({seats[0]}) {first}   draws {drawn}   {names[1]} ({seats[1]}) {second}"

    def _help(self) -> str:
        if not self.person:
            return "h hints   n next game   Esc leave"
        if self.session.over:
            return "click or n: next game, seats swapped   u take back   Esc leave"
        return "u take back   h hints   n new game   r resign   Esc leave"
