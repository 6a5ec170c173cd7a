"""Play in a window with mouse and keyboard, or watch two players."""

import time
from typing import Any

from tttenv.cli.play import words
from tttenv.cli.play.advice import Advice, Hint
from tttenv.cli.play.session import SEATS, Session, cell_of, keys
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

    def _obey(self, event: Event) -> None:
        session, key = self.session, event.key
        cell = cell_of(session.rules, key) if key and key in keys(session.rules) else event.cell
        if event.kind == "leave":
            self.going = False
        elif key == "h":
            self.hints = not self.hints
        elif key == "n":
            session.again()
        elif self.person and key == "u" and (session.resigned or session.plies(session.seat)):
            session.take_back()
        elif self.person and key == "r" and not session.over:
            session.resign()
        elif cell is not None and session.awaits_person() and session.board[cell] == 0:
            session.play(cell)
        else:
            return
        self._show()

    def _let_players_move(self) -> None:
        """After a short pause, play a player's move or start the next game to watch."""
        session = self.session
        if time.monotonic() < self.due or session.awaits_person():
            return
        if not session.over:
            session.move()
        elif self.left and not self.person:
            self.left -= 1
            session.again()
        else:
            return
        self._show()

    def _show(self) -> None:
        session = self.session
        if not self.advice.exact and (self.hints or session.over):  # a search takes about a second
            self.window.show(session.board, last=session.last, state=session.outcome)
        self.window.show(session.board, **self.scene())
        self.due = time.monotonic() + (THINKING if self.person else WATCHING)

    def scene(self) -> dict[str, Any]:
        """Return the current contents of the window, as the fields of `Scene`."""
        session, blunders = self.session, self._blunders()
        found: dict[str, Any] = {
            "last": session.last,
            "blunders": tuple((session.cells[stone], words.GLYPH) for stone in blunders),
            "state": session.outcome,
            "alarms": tuple(
                f"{words.GLYPH} {self._whose(stone)}: {told}" for stone, told in blunders.items()
            ),
            "notes": (self._score(), self._help()),
        }
        if not self.hints or session.over:
            return found
        player = session.side(session.mover)
        player = session.sides[1] if player.policy is None else player
        assert player.policy is not None
        hint = self.advice.hint(session.board, player.policy)
        name = player.name.partition(":")[0]  # its options would leave no room
        found["legend"] = f"{_legend(session.rules, hint)}   below: what {name} plays, %"
        if hint.values is not None:
            found["labels"] = tuple(map(hint.short, range(session.rules.cells)))
        return found | {"values": hint.values, "shares": hint.shares}

    def _blunders(self) -> dict[int, str]:
        """Return remarks on blunders, by the index of the stone.

        With hints they are about the last stone of each side; after a lost game, about the stone
        that lost it.
        """
        session, boards, cells = self.session, self.session.boards, self.session.cells
        stones = set(range(max(0, len(cells) - 2), len(cells)) if self.hints else ())
        if self.person and not session.resigned and session.winner == 1 - session.seat:
            lost = self.advice.losing_move(boards, cells, session.seat)
            stones |= set() if lost is None else {lost}
        told = {stone: self.advice.blunder(boards[stone], cells[stone]) for stone in sorted(stones)}
        return {stone: sentence for stone, sentence in told.items() if sentence}

    def _whose(self, stone: int) -> str:
        """Return the beginning of a sentence about a blunder, as in the terminal."""
        board = self.session.boards[stone]
        side = self.session.side(int(self.session.rules.seat(board)))
        whose = "your blunder" if side.policy is None else f"{side.name}'s blunder"
        return f"{whose}, stone {int((board != 0).sum()) + 1}" if self.session.over else whose

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
        return words.LEGEND
    known = "" if hint.values is None else words.LEGEND_UNDECIDED
    return "; ".join(filter(None, (known, best_line(rules, hint)))) or words.NOTHING_DECIDED
