"""Games in a terminal or through a pipe: typed by a human, or watched between two players."""

import json
import sys
import time
from collections.abc import Callable

from tttenv.cli import analyze
from tttenv.cli.console import stage_if_slow
from tttenv.cli.play.advice import Advice
from tttenv.cli.play.session import SEATS, Session, cell_of, ways
from tttenv.cli.play.text_board import board_lines, hint_lines
from tttenv.cli.text_tables import room, say
from tttenv.game.rules import name_of

PAUSE = 0.7  # seconds between the stones of watched games on a terminal
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
    """Games of a session as text; `run` plays until the user quits, `watch` a number of games.

    With hints the value of every move is shown, and blunders are pointed out.
    """

    def __init__(self, session: Session, advice: Advice, hints: bool, quiet: bool = False) -> None:
        self.session, self.advice, self.hints, self.quiet = session, advice, hints, quiet
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
        self._score()

    def watch(self, games: int) -> None:
        """Play games between two players, and print the score; if quiet, print all as JSON."""
        session, found = self.session, []
        pause = PAUSE if sys.stdout.isatty() else 0
        for number in range(games):
            if number:
                session.again()
            names = {seat: session.side(i).name for i, seat in enumerate(SEATS)}
            if not self.quiet:
                print()
                say(f"Game {number + 1}: {names['X']} is X, {names['O']} is O.")
                print("\n".join(self._board() if session.board.any() else [""]))
            while not session.over:
                if self.hints and not self.quiet:
                    self._hint()
                self._let_player_move()
                if not (self.quiet or session.forfeited):
                    print("\n".join(self._board()[1:]), flush=True)
                    time.sleep(pause)
            if not self.quiet:
                print(session.outcome)
            found.append({**names, "cells": session.cells, "outcome": session.outcome})
        first, second = (side.name for side in session.sides)
        won, drawn, lost = session.score
        if not self.quiet:
            say(f"score: {first} {won}, draws {drawn}, {second} {lost}")
            return
        about = {"rules": str(session.rules), "first": first, "second": second}
        if (start := session.position.boards[0]).any():  # the games' cells follow it
            about["board"] = session.rules.format(start)
        score = {"first": won, "draws": drawn, "second": lost}
        print(json.dumps({**about, "score": score, "games": found}, indent=2))

    def _let_player_move(self) -> None:
        """Play and print the move of the player to move."""
        session, seat, board = self.session, self.session.mover, self.session.board
        name = session.side(seat).name
        with stage_if_slow(f"{name} is thinking", self.quiet):
            cell = session.move()
        if self.quiet:
            return
        if cell is None:
            say(f"{SEATS[seat]} forfeits: no legal answer  ({name})")
        else:
            say(f"{SEATS[seat]} > {name_of(session.rules, cell)}  ({name})")
            self._tell_blunder(f"{name}'s", board, cell)

    def _follow(self, line: str) -> None:
        session = self.session
        if name := NAMES.get(line.lower()):
            self.obey[name]()
        elif not line:
            print("again plays another game" if session.over else "a cell, or help")
        elif session.over:
            say("the game is over: again plays another with the seats swapped, quit leaves")
        else:
            cell, before = cell_of(session.rules, line), session.board
            if before[cell] != 0:
                raise ValueError(f"{name_of(session.rules, cell)} is already taken")
            session.play(cell)
            self._tell_blunder("your", before, cell)
            self._reply()

    def _begin(self) -> None:
        you, other = SEATS[self.session.seat], SEATS[1 - self.session.seat]
        print()
        say(f"New game: you are {you}, {self.session.sides[1].name} is {other}.")
        self._reply()

    def _reply(self) -> None:
        """Play the opponent's move if it is to move, and show the board."""
        if not self.session.over and not self.session.awaits_person():
            self._let_player_move()
        self._show()
        if self.session.over:
            self._conclude()

    def _board(self) -> list[str]:
        return board_lines(self.session.rules, self.session.board, self.session.last)

    def _show(self) -> None:
        print("\n".join(self._board()))
        if not self.session.over:
            print(f"{self.session.outcome}\n")
            if self.hints:
                self._hint()

    def _conclude(self) -> None:
        session = self.session
        print(session.outcome)
        if session.winner == 1 - session.seat and not session.resigned:
            with stage_if_slow("searching for the losing move"):
                stone = self.advice.losing_move(session.boards, session.cells, session.seat)
            if stone is not None:
                told = self.advice.told(session.boards[stone], session.cells[stone])
                number = int((session.boards[stone] != 0).sum()) + 1
                say(f"your blunder, stone {number}: {told}")
        self._score()

    def _tell_blunder(self, whose: str, before: object, cell: int) -> None:
        if not self.hints:
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
        player, rules = self.session.side(self.session.mover), self.session.rules
        player = self.session.sides[1] if player.policy is None else player
        assert player.policy is not None
        with stage_if_slow("searching the position"):
            hint = self.advice.hint(self.session.board, player.policy)
        lines = hint_lines(rules, self.session.board, hint, player.name, room())
        print("\n".join([*lines, ""]))

    def _hints(self) -> None:
        self.hints = not self.hints
        print(f"hints {'on' if self.hints else 'off'}")
        if self.hints and not self.session.over:
            self._hint()

    def _why(self) -> None:
        session, player = self.session, self.session.sides[1]
        own = [ply for ply in session.plies(1 - session.seat) if ply >= len(session.position.cells)]
        if not own:
            raise ValueError(f"{player.name} has not moved yet")
        assert player.policy is not None
        board, cell = session.boards[own[-1]], session.cells[own[-1]]
        with stage_if_slow("searching the position again"):
            found = analyze.analysis(self.advice, player.policy, board, cell)
        seat, move = SEATS[1 - session.seat], name_of(session.rules, cell)
        say(f"{player.name} played {move} as {seat}; its moves there:", "  ")
        analyze.show(self.advice, board, found)
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
