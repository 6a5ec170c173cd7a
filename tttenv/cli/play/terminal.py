"""Play in a terminal or through a pipe: reads lines, runs commands and prints boards."""

import sys
from collections.abc import Callable

from tttenv.cli.console import stage_if_slow
from tttenv.cli.play.advice import Advice
from tttenv.cli.play.analysis import analyze, show
from tttenv.cli.play.position import cell_of, ways
from tttenv.cli.play.session import SEATS, Session, number_of
from tttenv.cli.play.text_board import board_lines, hint_lines
from tttenv.cli.text_tables import room, say
from tttenv.game.rules import name_of

COMMANDS = {  # that can be typed instead of a cell: aliases, description
    "undo": (("u", "back", "take-back"), "take your last stone back, and the answer to it"),
    "hint": (("h",), "what every move is worth, and how likely the player would make it"),
    "hints": ((), "show that before each of your moves, or stop; also points out blunders"),
    "why": (("explain",), "why the player made its last move: its values, and what it expects"),
    "resign": ((), "give the game up"),
    "again": (("n", "new"), "a new game with the seats swapped"),
    "score": ((), "the games so far"),
    "help": (("?",), "this list"),
    "quit": (("exit",), "leave; so does the end of input"),
}
NAMES = {alias: name for name, (others, _) in COMMANDS.items() for alias in (name, *others)}


class Terminal:
    """A human's games in a session, line by line; `run` plays until the user quits."""

    def __init__(self, session: Session, advice: Advice, hints: bool) -> None:
        self.session, self.advice, self.always = session, advice, hints
        self.going = True
        self.obey: dict[str, Callable[[], None]] = {
            name: getattr(self, f"_{name}") for name in COMMANDS
        }

    def run(self) -> None:
        """Play until the user quits or the input ends, then print the score."""
        sides, rules = self.session.sides, self.session.rules
        say(f"{sides[1].name}: {rules.k} in a row win on {rules.m} by {rules.n}.")
        say(f"Name a cell by {ways(rules)}; help lists the commands.")
        self._begin()
        while self.going:
            line = self._read()
            if line is None:
                break
            try:
                self._follow(line.strip())
            except ValueError as error:
                if not (self.session.over or self.session.awaits_person()):
                    raise  # the player failed, not the user's input
                say(str(error))
        self._score()

    def _read(self) -> str | None:
        """Read the next line, echoing it from a pipe; return None at the end of input."""
        if self.session.over:
            prompt = "again, undo or quit > "
        else:
            prompt = f"{SEATS[self.session.mover]} > "
        try:
            line = input(prompt)
        except EOFError:
            print()
            return None
        if not sys.stdin.isatty():
            print(line if line.isprintable() else ascii(line))
        return line

    def _follow(self, line: str) -> None:
        if name := NAMES.get(line.lower()):
            self.obey[name]()
        elif not line:
            print("again plays another game" if self.session.over else "a cell, or help")
        elif self.session.over:
            say("the game is over: again plays another with the seats swapped, quit leaves")
        else:
            no_command = " and no command (help lists them)"
            cell = cell_of(self.session.rules, line, no_command)
            before = self.session.board
            if before[cell] != 0:
                raise ValueError(f"{name_of(self.session.rules, cell)} is already taken")
            self.session.play(cell)
            self._tell_blunder("your", before, cell)
            self._reply()

    def _begin(self) -> None:
        you, other = SEATS[self.session.seat], SEATS[1 - self.session.seat]
        print()
        say(f"New game: you are {you}, {self.session.sides[1].name} is {other}.")
        self._reply()

    def _reply(self) -> None:
        """Play the opponent's move if it is to move, and show the board."""
        session = self.session
        if not session.over and not session.awaits_person():
            before = session.board
            with stage_if_slow(f"{session.sides[1].name} is thinking"):
                cell = session.move()
            seat, name = SEATS[1 - session.seat], session.sides[1].name
            if cell is None:
                say(f"{seat} forfeits: no legal answer  ({name})")
            else:
                say(f"{seat} > {name_of(session.rules, cell)}  ({name})")
                self._tell_blunder(f"{name}'s", before, cell)
        self._show()
        if session.over:
            self._conclude()

    def _show(self) -> None:
        session = self.session
        last = session.cells[-1] if session.cells else None
        print("\n".join(["", *board_lines(session.rules, session.board, last), ""]))
        if not session.over:
            print(f"{session.outcome}\n")
            if self.always:
                self._hint()

    def _conclude(self) -> None:
        print(self.session.outcome)
        if self.session.winner == 1 - self.session.seat and not self.session.resigned:
            self._explain()
        self._score()

    def _explain(self) -> None:
        boards, cells = self.session.boards, self.session.cells
        with stage_if_slow("searching for the losing move"):
            stone = self.advice.losing_move(boards, cells, self.session.seat)
        if stone is not None:
            told = self.advice.told(boards[stone], cells[stone])
            say(f"your blunder, stone {number_of(boards[stone])}: {told}")

    def _tell_blunder(self, whose: str, before: object, cell: int) -> None:
        if not self.always:
            return
        with stage_if_slow("searching for a blunder"):
            told = self.advice.told(before, cell)
        if told:
            say(f"{whose} blunder: {told}")

    def _undo(self) -> None:
        count = self.session.take_back()
        print(f"{count} stone{'s' * (count != 1)} taken back")
        self._show()

    def _hint(self) -> None:
        if self.session.over:
            raise ValueError("the game is over: there is nothing to hint at")
        player = self.session.sides[1]
        assert player.policy is not None
        rules, board = self.session.rules, self.session.board
        with stage_if_slow("searching the position"):
            hint = self.advice.hint(board, player.policy)
        lines = hint_lines(rules, board, hint, player.name, room())
        print("\n".join([*lines, ""]))

    def _hints(self) -> None:
        self.always = not self.always
        print(f"hints {'on' if self.always else 'off'}")
        if self.always and not self.session.over:
            self._hint()

    def _why(self) -> None:
        session, player = self.session, self.session.sides[1]
        own = [ply for ply in session.plies(1 - session.seat) if ply >= len(session.position.cells)]
        if not own:
            raise ValueError(f"{player.name} has not moved yet")
        assert player.policy is not None
        board, cell = session.boards[own[-1]], session.cells[own[-1]]
        with stage_if_slow("searching the position again"):
            found = analyze(self.advice, player.policy, board, cell)
        seat, move = SEATS[1 - session.seat], name_of(session.rules, cell)
        say(f"{player.name} played {move} as {seat}; its moves there:", "  ")
        show(self.advice, board, found)
        print()

    def _resign(self) -> None:
        self.session.resign()
        print("you resign")
        self._conclude()

    def _again(self) -> None:
        self.session.again()
        self._begin()

    def _score(self) -> None:
        won, drawn, lost = self.session.score
        say(f"score: you {won}, draws {drawn}, {self.session.sides[1].name} {lost}")

    def _help(self) -> None:
        say(f"To put a stone, name a cell by {ways(self.session.rules)}.")
        say("A coordinate is a column's letter and a row's number, counted from the top.")
        for name, (others, about) in COMMANDS.items():
            say(f"  {', '.join((name, *others)):<26}{about}", " " * 28)

    def _quit(self) -> None:
        self.going = False
