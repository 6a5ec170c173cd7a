"""Games on the page's board by real clicks, each look at the page held to the library."""

import re
from functools import cache

import numpy as np
from page_browser import click, marks

from tttenv import player
from tttenv.exact import enumerable, positions, solve
from tttenv.game.rules import name_of
from tttenv.proofs.prover import UNLIMITED, Prover
from tttenv.proofs.search_kernel import ATTACKER_WINS, OPEN, leave, search, start

NODES = 3_000  # of the library's search, for each question about a position
PROOFS_END = 120  # seconds: the page gives up sooner
WORTH = {"win": 1, "draw": 0, "loss": -1, "lose": -1}
LOOK = """() => ({
  cells: [...document.querySelectorAll('#board button')].map((b) => b.ariaLabel),
  notes: [...document.querySelectorAll('#notes p')].map((p) => p.textContent),
  status: document.querySelector('#status').textContent,
  moves: [...document.querySelectorAll('#moves button')].map((b) => b.textContent),
  bar: document.querySelector('#bar-text').textContent,
  proof: document.querySelector('#proof').textContent,
})"""
ANSWERED = "() => /Your turn|win|draw/.test(document.querySelector('#status').textContent)"
PROVED = "() => document.querySelector('#proof').dataset.proving !== 'true'"


def settled(page):
    """Return the page's contents once the other side has moved and all proofs have ended."""
    page.wait_for_function(ANSWERED)
    page.wait_for_function(PROVED, timeout=1000 * PROOFS_END)
    return page.evaluate(LOOK)


# What the library knows.


@cache
def prover(rules):
    """Return the library's prover, whose searches share their tables."""
    return Prover(rules)


@cache
def wins(rules, position, side):
    """Return whether a side wins a position (bytes), or None if the search does not decide it."""
    proofs, board = prover(rules), np.frombuffer(position, np.int8)
    searching = proofs.searches[side]
    first = start(searching, rules, board, side)
    found = search(searching, first, NODES, UNLIMITED, False)
    leave(searching)
    return None if found == OPEN else found == ATTACKER_WINS


def answered(rules, board, side, expected):
    """Return whether a side wins, or None if not known; where it should not, the other may."""
    position = board.tobytes()
    if not expected and wins(rules, position, other(side)):
        return False
    return wins(rules, position, side)


def mover(board):
    """Return the side to move."""
    return "XO"[np.count_nonzero(board) % 2]


def other(side):
    """Return the other side."""
    return "OX"["XO".index(side)]


def exact_rank(rules, board, cell):
    """Return the value of a move in a solved game, and the stones that the winner has to place."""
    rank = int(solve(rules).move_ranks[int(positions(rules).index(board)), cell])
    return int(np.sign(rank)), (rules.cells + 1 - abs(rank) + (rank > 0)) // 2 if rank else None


def check_winners(rules, board, expected, shown):
    """Fail if the library finds that a side wins, or does not, where the page shows the opposite.

    Args:
        rules: the game.
        board: the position.
        expected: whether a side wins, by its name.
        shown: the words of the page.
    """
    if rules.over(board):
        found = {side: bool(rules.lost(board)) and side != mover(board) for side in expected}
    else:
        found = {side: answered(rules, board, side, told) for side, told in expected.items()}
    for side, answer in found.items():
        assert answer in (None, expected[side]), (shown, rules.format(board))


def check_worth(rules, board, worth, shown):
    """Compare the value that is shown of a position, for the side to move, with the library's."""
    own, rival = mover(board), other(mover(board))
    expected = {1: {own: True}, 0: {own: False, rival: False}, -1: {rival: True}}[worth]
    check_winners(rules, board, expected, shown)


def near(rules, board):
    """Return the stones with which the side to move wins, if one or two, else 0."""
    if rules.winning_cells(board, 1).any():
        return 1
    blocks = np.flatnonzero(rules.winning_cells(board, -1))
    tried = blocks if len(blocks) else np.flatnonzero(board == 0)
    after = np.repeat(board[None], len(tried), axis=0)
    after[np.arange(len(tried)), tried] = 1
    double = rules.winning_cells(after, 1).sum(axis=1) > 1
    safe = ~rules.winning_cells(after, -1).any(axis=1)
    return 2 * bool((double & safe).any())


def stones_left(rules, board, cell):
    """Return the winner's stones from a move on, and the winner, if the win is near."""
    after = rules.play(board, cell)
    if rules.lost(after):
        return 1, 1
    if rules.over(after):
        return 0, None
    if soon := near(rules, after):
        return -1, soon
    double = rules.winning_cells(after, -1).sum() > 1
    return (1, 2) if double and not rules.winning_cells(after, 1).any() else (None, None)


# What the page shows.


def check_move(rules, board, cell, worth, stones):
    """Compare the value that is shown of a move, and the winner's stones if shown."""
    shown = name_of(rules, cell), worth, stones
    if enumerable(rules):
        assert (worth, stones) == exact_rank(rules, board, cell), shown
        return
    check_worth(rules, rules.play(board, cell), -worth, shown)
    soon, least = stones_left(rules, board, cell)
    if least is not None:
        assert worth == soon, shown
        assert stones in (None, least), shown  # they are counted after the value is proved
    elif worth and stones is not None:
        assert stones > 2, shown


def told(text):
    """Return the value and the stones of "win in 2", "draw", or None and None of "not known"."""
    word, _, stones = text.partition(" in ")
    return WORTH.get(word), int(stones) if stones else None


def check_hints(rules, board, cells):
    """Compare all hints on the board with the library; return them by cell."""
    hints = {int(cell): told(cells[cell].split(", ")[2]) for cell in np.flatnonzero(board == 0)}
    for cell, (worth, stones) in hints.items():
        if worth is not None:
            check_move(rules, board, cell, worth, stones)
        else:
            assert not enumerable(rules), cells[cell]
    return hints


def check_value(rules, board, seen, hints):
    """Compare the value bar and the sentence about proofs with the library and with the hints."""
    bar = seen["bar"]
    if rules.over(board):
        assert bar == (f"{other(mover(board))} has won" if rules.lost(board) else "draw"), bar
        return
    bounded = re.fullmatch("([XO]) at least draws", bar)
    exact = re.fullmatch(r"draw|([XO]) wins(?: in (\d+))?", bar)
    if not exact:
        assert bounded or bar == "not known", bar
        if bounded:
            check_winners(rules, board, {other(bounded[1]): False}, bar)
        return
    worth = 0 if bar == "draw" else 1 if bar[0] == mover(board) else -1
    check_worth(rules, board, worth, bar)
    kept = [stones for value, stones in hints.values() if value == worth]
    assert max(value for value, _ in hints.values() if value is not None) == worth, bar
    if exact[2]:
        known = [stones for stones in kept if stones is not None]
        assert int(exact[2]) == (min(known) if worth == 1 else max(known)), bar
    if seen["proof"] and worth > -1:
        least = "at least " if any(value is None for value, _ in hints.values()) else ""
        keep = "keep" if len(kept) > 1 else "keeps"
        expected = f"; {least}{len(kept)} of {len(hints)} moves {keep} it."
        assert seen["proof"].endswith(expected), (seen["proof"], expected)


def check_marks(rules, line, moves):
    """Compare the list of moves and its marks "??", "?!" and "!" with the game and the library."""
    assert [text.rstrip("!?") for text in moves] == [name_of(rules, cell) for cell in line]
    for ply, text in enumerate(moves):
        glyph = text.removeprefix(text.rstrip("!?"))
        board = after(rules, line[:ply])
        if enumerable(rules):
            cells = np.flatnonzero(board == 0)
            values = {int(cell): exact_rank(rules, board, int(cell))[0] for cell in cells}
            best, alike = max(values.values()), list(values.values()).count(values[line[ply]])
            only = best >= 0 and alike == 1 and len(cells) > 1
            assert glyph == ("??" if values[line[ply]] < best else "!" if only else ""), text
        elif glyph.startswith("?"):
            expected = {mover(board): False} if glyph == "??" else {other(mover(board)): True}
            check_winners(rules, rules.play(board, line[ply]), expected, text)


def after(rules, line):
    """Return the position after a game's first stones."""
    board = rules.start()
    for cell in line:
        board = rules.play(board, cell)
    return board


# Games.


@cache
def adviser(rules):
    """Return a player that finds good moves where the page knows none."""
    return player("alphabeta:nodes=300", rules)


def play(page, rules, opponent, seat, rng):
    """Play a game by clicks, half of them good moves, and compare all that is shown."""
    line, board, note, compared = [], rules.start(), "", 0
    policy = None if opponent == "threats" else player(opponent, rules)
    while True:
        seen = settled(page)
        shown = rules.parse(marks(page, rules.n))
        if not rules.over(board) and len(line) % 2 != "XO".index(seat):
            new = np.flatnonzero((shown != 0) & (board == 0))
            assert len(new) == 1, "one answer"
            if policy is not None:
                assert policy(board[None])[0, new[0]] > 0
            line.append(int(new[0]))
            board = rules.play(board, line[-1])
        assert (board == shown).all()
        check_marks(rules, line, seen["moves"])
        own = [text for text in seen["notes"] if text.startswith("Your blunder: ")]
        if note is not None:
            assert bool(own) == bool(note)
            assert all(text.startswith(f"Your blunder: {note} ") for text in own)
        if rules.over(board):
            check_value(rules, board, seen, {})
            winner = "You" if len(line) % 2 != "XO".index(seat) else opponent
            ended = f"{winner} win{'s' * (winner != 'You')}." if rules.lost(board) else "The game"
            assert seen["status"].startswith(ended), seen["status"]
            assert compared > 0
            return
        hints = check_hints(rules, board, seen["cells"])
        check_value(rules, board, seen, hints)
        known = {cell: worth for cell, (worth, _) in hints.items() if worth is not None}
        compared += len(known)
        good = [cell for cell, worth in known.items() if worth == max(known.values()) >= 0]
        if not good:
            good = np.flatnonzero(adviser(rules)(board[None])[0]).tolist()
        cell = int(rng.choice(good if good and rng.random() < 0.5 else [*hints]))
        exact = len(known) == len(hints)
        best = max(known.values()) if exact else None
        note = name_of(rules, cell) if exact and known[cell] < best else "" if exact else None
        click(page, cell)
        line.append(cell)
        board = rules.play(board, cell)
        page.wait_for_function(
            "n => document.querySelectorAll('#moves li').length >= n", arg=len(line)
        )
