"""Games in a terminal or through a pipe, typed by a person."""

import sys

from tttenv.cli.console import stage
from tttenv.cli.play.advice import LIKELIEST, Adviser
from tttenv.cli.play.session import SEATS, Session, cell_of, keys, ways
from tttenv.cli.play.text_board import board_lines, fits, hint_lines, show_moves
from tttenv.cli.text_tables import say
from tttenv.game.rules import name_of

COMMANDS = {  # that can be typed instead of a cell
    "undo": "take your last stone back, and the answer to it",
    "hint": "what every move is worth, and how likely the player would make it",
    "why": "why the player made its last move: its values, and what it expects",
    "again": "a new game with the seats swapped",
    "help": "this list",
    "quit": "leave; so does the end of input",
}


class Terminal:
    """Games of a session as text; hints show the value of every move, and blunders."""

    def __init__(self, session: Session, adviser: Adviser, hints: bool) -> None:
        self.session, self.adviser, self.hints = session, adviser, hints
        self.going = True

    def run(self) -> None:
        """Play until the user quits or the input ends.

        Raises:
            ValueError: if the player fails, such as by an illegal move.
        """
        rules = self.session.rules
        say(f"{self.session.name}: {rules.k} in a row win on {rules.m} by {rules.n}.")
        leave = "quit (q is a cell)" if keys(rules) else "q"
        say(f"Name a cell by {ways(rules)}; help lists the commands, {leave} leaves.")
        self._begin()
        while self.going:
            prompt = f"{SEATS[self.session.mover]} > "
            try:
                line = input("again, undo or quit > " if self.session.over else prompt)
            except EOFError:
                print()
                break
            if not sys.stdin.isatty():
                print(line if line.isprintable() else ascii(line))
            try:
                self._follow(line.strip())
            except ValueError as error:
                if not (self.session.over or self.session.awaits_person()):
                    raise  # the player failed, not the user's input
                say(str(error))

    def _follow(self, line: str) -> None:
        session, word = self.session, line.lower()
        if word == "q" and (session.over or not keys(session.rules)):  # on 3x3 it is a cell's key
            word = "quit"
        if word in COMMANDS:
            getattr(self, f"_{word}")()
        elif not line:
            print("again plays another game" if session.over else "a cell, or help")
        elif session.over:
            say("the game is over: again plays another with the seats swapped, quit leaves")
        else:
            cell = cell_of(session.rules, line)
            if session.board[cell] != 0:
                raise ValueError(f"{name_of(session.rules, cell)} is already taken")
            session.play(cell)
            self._tell_blunder()
            self._reply()

    def _begin(self) -> None:
        print()
        say(f"New game: {self.session.seats}.")
        self._reply()

    def _reply(self) -> None:
        """Play the player's move if it is to move, and show the board."""
        session = self.session
        if not session.over and not session.awaits_person():
            name, seat = session.name, SEATS[session.mover]
            with stage(f"{name} is thinking"):
                cell = session.move()
            if cell is None:
                say(f"{seat} forfeits: no legal answer  ({name})")
            else:
                say(f"{seat} > {name_of(session.rules, cell)}  ({name})")
                self._tell_blunder()
        self._show()
        if session.over:
            self._conclude()

    def _show(self) -> None:
        session = self.session
        print("\n".join(board_lines(session.rules, session.board, session.last)))
        if not session.over:
            print(f"{session.outcome}\n")
            if self.hints:
                self._hint()

    def _conclude(self) -> None:
        session = self.session
        print(session.outcome)
        if session.winner == 1 - session.seat:
            with stage("searching for the losing move"):
                stone = self.adviser.losing_move(session)
            if stone is not None:
                say(self.adviser.remark(session, stone, numbered=True))

    def _tell_blunder(self) -> None:
        if not self.hints:
            return
        with stage("searching for a blunder"):
            remark = self.adviser.remark(self.session, len(self.session.cells) - 1, numbered=False)
        if remark:
            say(remark)

    def _undo(self) -> None:
        count = self.session.take_back()
        print(f"{count} stone{'s' * (count != 1)} taken back")
        self._show()

    def _hint(self) -> None:
        session = self.session
        if session.over:
            raise ValueError("the game is over: there is nothing to hint at")
        with stage("searching the position"):
            hint = self.adviser.hint(session.board, session.player)
        if fits(session.rules):
            print("\n".join(hint_lines(hint, session.name)))
        else:
            show_moves(hint, LIKELIEST)
        print()

    def _why(self) -> None:
        session = self.session
        own = [ply for ply in session.plies(1 - session.seat) if ply >= len(session.position.cells)]
        if not own:
            raise ValueError(f"{session.name} has not moved yet")
        board, cell = session.boards[own[-1]], session.cells[own[-1]]
        with stage("searching the position again"):
            found = self.adviser.analysis(board, session.player, cell)
        seat, move = SEATS[1 - session.seat], name_of(session.rules, cell)
        say(f"{session.name} played {move} as {seat}; its moves there:", "  ")
        show_moves(found)
        print()

    def _again(self) -> None:
        self.session.again()
        self._begin()

    def _help(self) -> None:
        say(f"To put a stone, name a cell by {ways(self.session.rules)}.")
        say("A coordinate is a column's letter and a row's number, counted from the top.")
        for name, about in COMMANDS.items():
            say(f"  {name:<6}{about}", " " * 8)

    def _quit(self) -> None:
        self.going = False
