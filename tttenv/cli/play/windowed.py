"""Play in a window with mouse and keyboard."""

import time
from typing import Any

import numpy as np

from tttenv.certificates import phrases
from tttenv.cli.play.advice import GLYPH, Adviser
from tttenv.cli.play.session import Session, cell_of, keys
from tttenv.drawing.tiles import LIGHT
from tttenv.drawing.window import POLL_SECONDS, Event, Window

THINKING = 0.35  # seconds before a reply
LINES = 5  # below the board: two blunders, legend of hints, seats, keys
HELP = "u take back   h hints   n new game, seats swapped   Esc leave"


class Windowed:
    """The games of a session in a window; `run` plays until the user leaves."""

    def __init__(self, session: Session, adviser: Adviser, hints: bool) -> None:
        self.session, self.adviser, self.hints = session, adviser, hints
        title = f"you - {session.name} ({session.rules})"
        self.window = Window(session.rules, title, notes=LINES, seen=True)
        self.going, self.due = True, 0.0

    def run(self) -> None:
        """Play until the user leaves."""
        try:
            self._show()
            while self.going:
                for event in self.window.events():
                    self._obey(event)
                self._let_player_move()
                time.sleep(POLL_SECONDS)
        finally:
            self.window.close()

    def _obey(self, event: Event) -> None:
        session, key = self.session, event.key
        cell = cell_of(session.rules, key) if key and key in keys(session.rules) else event.cell
        if event.kind == "leave":
            self.going = False
        elif key == "h":
            self.hints = not self.hints
        elif key == "n":
            session.again()
        elif key == "u" and session.plies(session.seat):
            session.take_back()
        elif cell is not None and session.awaits_person() and session.board[cell] == 0:
            session.play(cell)
        else:
            return
        self._show()

    def _let_player_move(self) -> None:
        """Play the player's move after a short pause."""
        session = self.session
        if time.monotonic() >= self.due and not session.over and not session.awaits_person():
            session.move()
            self._show()

    def _show(self) -> None:
        session = self.session
        if not self.adviser.exact and (self.hints or session.over):  # a search takes about a second
            self.window.show(session.board, last=session.last, state=session.outcome)
        self.window.show(session.board, **self.scene())
        self.due = time.monotonic() + THINKING

    def scene(self) -> dict[str, Any]:
        """Return the current contents of the window, as the fields of `Scene`."""
        session, blunders = self.session, self._blunders()
        lines = [(f"{GLYPH} {remark}", LIGHT.blunder) for remark in blunders.values()]
        found: dict[str, Any] = {"last": session.last, "state": session.outcome, "lines": lines}
        found["blunders"] = {session.cells[stone]: GLYPH for stone in blunders}
        if self.hints and not session.over:
            hint = self.adviser.hint(session.board, session.player)
            known = "" if hint.best and hint.values is None else hint.legend
            legend = "; ".join(filter(None, (known, hint.best_by_search)))
            lines.append((f"{legend}   below: what {session.name} plays, %", LIGHT.faint))
            labels, grounds = found.setdefault("labels", {}), found.setdefault("grounds", {})
            for cell in np.flatnonzero(session.board == 0).tolist():
                share, value = float(hint.shares[cell]), hint.value(cell)
                small = phrases.share(share, 0) if share else ""
                labels[cell] = "" if hint.values is None else hint.short(cell), small
                if hint.values is None:
                    grounds[cell] = LIGHT.heat(share**0.5)
                elif value is not None:
                    grounds[cell] = LIGHT.value(value)
        lines += [(session.seats, LIGHT.words), (HELP, LIGHT.faint)]
        return found

    def _blunders(self) -> dict[int, str]:
        """Return remarks on the last two stones, and the one that lost the game, by its index."""
        session, count = self.session, len(self.session.cells)
        stones = set(range(max(0, count - 2), count) if self.hints else ())
        if session.winner == 1 - session.seat:
            lost = self.adviser.losing_move(session)
            stones |= set() if lost is None else {lost}
        remarks = {one: self.adviser.remark(session, one, session.over) for one in sorted(stones)}
        return {stone: sentence for stone, sentence in remarks.items() if sentence}
