"""Marks by seat in pictures, boards and masks, against a replay in plain Python on all boards."""

import numpy as np
import pytest
from gymnasium.utils import seeding
from pairs import pairs
from referee import Referee, plain
from reference import mover, put, view, winner

from tttenv import Rules, player
from tttenv.drawing.render import CELL
from tttenv.drawing.tiles import LIGHT
from tttenv.env.env import TicTacToe
from tttenv.env.transition_table import FEW
from tttenv.env.vector import VectorTicTacToe

# Up to FEW cells games are kept as numbers of positions, beyond as boards: some on either side.
SIZES = [(3, 3, 3), (3, 4, 3), (1, 13, 3), (4, 4, 4)]


def last_cell(boards):
    """Return the last empty cell, as a player that is a plain function."""
    return np.eye(boards.shape[1])[boards.shape[1] - 1 - (boards[:, ::-1] == 0).argmax(axis=1)]


SEATS = ["X", "O", "random"]
PLAYERS = {"none": None, "function": last_cell, **{n: n for n in ("first", "random", "tactical")}}


class Replay(Referee):
    """Referee that also keeps the games as texts of X and O, by the order of the stones."""

    def __init__(self, rules, games, opponent, seat, draw_key):
        super().__init__(rules, games, opponent, seat, draw_key)
        self.rules = rules
        self.texts = ["_" * rules[0] * rules[1]] * games
        self.before_deal = self.texts[:]

    def deal(self, which, key=None):
        """Restart games after recording their boards."""
        self.before_deal = self.texts[:]
        for i in which:
            self.texts[i] = "_" * len(self.texts[i])
        super().deal(which, key)

    def revive(self, board):
        """Continue all games from a text."""
        self.texts = [board] * len(self.texts)
        self.boards = [view(board) for _ in self.boards]

    def _place(self, i, cell):
        if self.boards[i][cell] == 0:
            self.texts[i] = put(self.texts[i], cell)
        return super()._place(i, cell)

    def _answer(self, i, die):
        before = self.boards[i][:]
        answer = super()._answer(i, die)
        (cell,) = np.flatnonzero(np.array(before) != np.array(self.boards[i]))
        self.texts[i] = put(self.texts[i], int(cell))
        return answer


def drawn(rules, text):
    """Return the output of `render_mode="ansi"` for a text."""
    m, n, _ = rules
    rows = [" ".join(text[row * n : (row + 1) * n]).replace("_", ".") for row in range(m)]
    ended = {None: f"{mover(text)} to move", "_": "draw", "X": "X wins", "O": "O wins"}
    return "\n".join([*rows, ended[winner(rules, text)]]) + "\n"


def read_picture(rules, picture):
    """Return the text shown by a picture, from the colours of the ink in each cell."""
    m, n, _ = rules
    assert picture.shape == (m * CELL, n * CELL, 3)
    tiles = picture.reshape(m, CELL, n, CELL, 3).swapaxes(1, 2).reshape(m * n, -1, 3)
    has = [[(tile == ink).all(axis=1).any() for ink in (LIGHT.x, LIGHT.o)] for tile in tiles]
    return "".join({(1, 0): "X", (0, 1): "O", (0, 0): "_"}[tuple(map(int, h))] for h in has)


def replay(rules, games, opponent, seat, seed):
    policy = None
    if opponent is not None:
        policy = plain(player(opponent, Rules(*rules)) if isinstance(opponent, str) else opponent)
    return Replay(rules, games, policy, seat, seeding.np_random(seed)[0].bit_generator.random_raw)


def some_cells(texts, dice, wrong):
    """Return an empty cell of each board, and now and then any cell."""
    cells = [dice.choice([c for c, mark in enumerate(text) if mark == "_"]) for text in texts]
    return [int(dice.integers(len(t))) if dice.random() < wrong else int(c)
            for t, c in zip(texts, cells, strict=True)]  # fmt: skip


def same(env, rules, text, board, over, picture=False):
    """Check a single environment against the replay's text and board."""
    assert env.board.tolist() == board
    assert env.action_masks().tolist() == [not over and mark == "_" for mark in text]
    env.render_mode = "ansi"
    assert env.render() == drawn(rules, text)
    if picture:
        env.render_mode = "rgb_array"
        assert read_picture(rules, env.render()) == text


@pytest.mark.parametrize(("rules", "seat", "opponent"), pairs(SIZES, SEATS, PLAYERS))
def test_one_game_shows_x_as_the_side_that_opened(rules, seat, opponent):
    env = TicTacToe(*rules, PLAYERS[opponent], seat, obs="board", render_mode="ansi")
    referee = replay(rules, 1, PLAYERS[opponent], seat, 3)
    dice = np.random.default_rng(0)
    seen, _ = env.reset(seed=3)
    referee.deal([0])
    for turn in range(40):
        assert seen.tolist() == referee.boards[0]
        same(env, rules, referee.texts[0], referee.boards[0], False, picture=turn % 10 == 0)
        (cell,) = some_cells(referee.texts, dice, 0.03)
        seen, reward, over, _, info = env.step(cell)
        options = {"seat": str(dice.choice(["X", "O"]))} if dice.random() < 0.5 else {}
        referee.seat = options.get("seat", seat)  # of the next game: it deals at once
        ((board, paid, ended),) = referee.step([cell])
        assert (seen.tolist(), reward, over) == (board, paid, ended)
        assert not (over and info["action_mask"].any())
        if over:
            same(env, rules, referee.before_deal[0], board, True, picture=True)
            seen, _ = env.reset(options=options)


@pytest.mark.parametrize(("rules", "seat", "opponent"), pairs(SIZES, SEATS, PLAYERS))
def test_many_games_show_x_as_the_side_that_opened(rules, seat, opponent):
    env = VectorTicTacToe(5, *rules, PLAYERS[opponent], seat, obs="board", render_mode="ansi")
    referee = replay(rules, 5, PLAYERS[opponent], seat, 4)
    dice = np.random.default_rng(1)
    seen, infos = env.reset(seed=4)
    referee.deal(range(5))
    for turn in range(20):
        assert seen.tolist() == env.boards.tolist() == referee.boards
        assert infos["action_mask"].tolist() == [[mark == "_" for mark in t] for t in referee.texts]
        env.render_mode = "ansi"
        assert env.render() == tuple(drawn(rules, text) for text in referee.texts)
        if turn % 10 == 0:
            env.render_mode = "rgb_array"
            assert [read_picture(rules, one) for one in env.render()] == referee.texts
        cells = some_cells(referee.texts, dice, 0.03)
        seen, rewards, over, _, infos = env.step(np.array(cells))
        answers = referee.step(cells)
        assert rewards.tolist() == [paid for _, paid, _ in answers]
        assert over.tolist() == [ended for _, _, ended in answers]
        for i in np.flatnonzero(over):
            assert infos["final_obs"][i].tolist() == answers[i][0]


@pytest.mark.parametrize(("rules", "plies", "opponent"), pairs(SIZES, range(4), PLAYERS))
def test_a_game_that_begins_on_a_board_goes_on_as_the_sides_on_it(rules, plies, opponent):
    start = "_" * rules[0] * rules[1]
    for cell in (0, 5, 2)[:plies]:
        start = put(start, cell)
    env = TicTacToe(*rules, PLAYERS[opponent], "X", obs="board", render_mode="ansi")
    referee = replay(rules, 1, PLAYERS[opponent], "X", 5)
    env.reset(seed=5, options={"board": start, "seat": mover(start)})
    referee.revive(start)
    dice, over = np.random.default_rng(plies), False
    while not over:
        same(env, rules, referee.texts[0], referee.boards[0], False)
        (cell,) = some_cells(referee.texts, dice, 0)
        _, _, over, _, _ = env.step(cell)
        ((board, _, _),) = referee.step([cell])
        if over:
            same(env, rules, referee.before_deal[0], board, True, picture=True)


def test_the_sizes_lie_on_both_sides_of_the_border():
    cells = [m * n for m, n, _ in SIZES]
    assert min(cells) < FEW < max(cells)
    assert {FEW, FEW + 1} <= set(cells)
