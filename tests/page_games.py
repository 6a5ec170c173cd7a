"""Games on the page's board by real clicks, each look at the page held to the library.

    python tests/page_games.py report.html --games 100

plays so many games on each of 3,3,3, 5,5,4 and 15,15,5, half of them in each seat, and prints what
was compared.
"""

import argparse
import re
from collections import Counter
from functools import cache
from pathlib import Path

import numpy as np
from page_browser import CALM, chromium, click, marks, opener

from tttenv import Rules, player
from tttenv.exact import enumerable, positions, solve
from tttenv.game.rules import name_of
from tttenv.game.rules_kernel import winning_cells
from tttenv.proofs.move_values import MoveValues

WORTH = {"win": 1, "draw": 0, "loss": -1}
OPPONENTS = {
    Rules(3, 3, 3): ("selfplay", "mcts", "first", "tactical", "random"),
    Rules(5, 5, 4): ("alphazero_554", "threats", "tactical", "first", "random"),
    Rules(15, 15, 5): ("alphazero_995", "threats", "tactical", "first", "random"),
}
LOOK = """() => ({
  cells: [...document.querySelectorAll('#board button')].map((b) => b.ariaLabel),
  notes: [...document.querySelectorAll('#notes p')].map((p) => p.textContent),
  status: document.querySelector('#status').textContent,
  moves: [...document.querySelectorAll('#moves button')].map((b) => b.textContent),
  bar: document.querySelector('#bar-text').textContent,
})"""


def settled(page):
    """Return the page's contents once the other side has moved and all proofs have ended."""
    page.locator("#status", has_text=re.compile("Your turn|win|draw")).wait_for()
    page.locator("#proof", has_not_text="Proving").wait_for(state="attached", timeout=120_000)
    return page.evaluate(LOOK)


@cache
def prover(rules):
    """Return what the library proves about larger boards."""
    return MoveValues(rules, 3_000_000)


def near(rules, board):
    """Return the stones with which the side to move wins, if one or two, else 0."""
    size = rules.m, rules.n, rules.k
    if winning_cells(board[None], 1, *size).any():
        return 1
    blocks = np.flatnonzero(winning_cells(board[None], -1, *size)[0])
    tried = blocks if len(blocks) else np.flatnonzero(board == 0)
    after = np.repeat(board[None], len(tried), axis=0)
    after[np.arange(len(tried)), tried] = 1
    double = winning_cells(after, 1, *size).sum(axis=1) > 1
    safe = ~winning_cells(after, -1, *size).any(axis=1)
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
    size = rules.m, rules.n, rules.k
    double = winning_cells(after[None], -1, *size).sum() > 1
    return (1, 2) if double and not winning_cells(after[None], 1, *size).any() else (None, None)


def check_hints(rules, board, cells, counts):
    """Compare all hints on the board with the library."""
    exact = enumerable(rules)
    bounds = prover(rules).bounds(board)
    for cell in np.flatnonzero(board == 0):
        hint = cells[cell].split(", ")[2]
        worth = WORTH.get(hint.split(" ")[0])
        stones = int(hint.split(" ")[2]) if " in " in hint else None
        if exact:
            rank = int(solve(rules).move_ranks[int(positions(rules).index(board)), cell])
            left = (rules.cells + 1 - abs(rank) + (rank > 0)) // 2 if rank else None
            assert (worth, stones) == (np.sign(rank), left), hint
        elif worth is not None:
            assert bounds.at_least[cell] <= worth <= bounds.at_most[cell], hint
            soon, least = stones_left(rules, board, int(cell))
            if least is not None:
                assert worth == soon, hint
                assert stones in (None, least), hint  # they are counted after the value is proved
            elif worth and stones is not None:
                assert stones > 2, hint
        counts["hints"] += worth is not None
        counts["hints with stones"] += stones is not None
        counts["unknown"] += worth is None


def check_value(rules, board, bar, counts):
    """Compare the value bar with the hints' best, as the library bounds it."""
    if rules.over(board):
        return
    bounds = prover(rules).bounds(board)
    legal = board == 0
    mover = "XO"[np.count_nonzero(board) % 2]
    worth = {"draw": 0, "not known": None}.get(bar, 1 if bar.startswith(mover) else -1)
    if worth is None or "at least" in bar:
        counts["values unknown"] += 1
        return
    assert bounds.at_least[legal].max() <= worth <= bounds.at_most[legal].max(), bar
    counts["values"] += 1


def play(page, rules, opponent, seat, rng, counts):
    """Play a game by clicks, half of the moves good ones, and compare all that is shown."""
    line, board, note = [], rules.start(), ""
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
        moves = [text.rstrip("!?") for text in seen["moves"]]
        assert moves == [name_of(rules, cell) for cell in line]
        own = [text for text in seen["notes"] if text.startswith("Your blunder: ")]
        if note is not None:
            assert bool(own) == bool(note)
            assert all(text.startswith(f"Your blunder: {note} ") for text in own)
            counts["blunders"] += len(own)
        check_value(rules, board, seen["bar"], counts)
        counts["looks"] += 1
        if rules.over(board):
            winner = "You" if len(line) % 2 != "XO".index(seat) else opponent
            told = f"{winner} win{'s' * (winner != 'You')}." if rules.lost(board) else "The game"
            assert seen["status"].startswith(told), seen["status"]
            return
        check_hints(rules, board, seen["cells"], counts)
        free = np.flatnonzero(board == 0)
        hints = {cell: seen["cells"][cell].split(", ")[2].split(" ")[0] for cell in free}
        known = {cell: WORTH[hint] for cell, hint in hints.items() if hint in WORTH}
        good = [cell for cell, worth in known.items() if worth == max(known.values()) >= 0]
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


def play_all(open_at, file, rules, games, seed=0):
    """Play games against all opponents in both seats; return what was compared."""
    rng, counts = np.random.default_rng(seed), Counter()
    for game in range(games):
        opponent = OPPONENTS[rules][game // 2 % len(OPPONENTS[rules])]
        seat = "XO"[game % 2]
        page = open_at(file, f"#play={opponent}&rules={rules}&seat={seat}&show=values", **CALM)
        play(page, rules, opponent, seat, rng, counts)
        page.context.close()
        counts["games"] += 1
    return counts


def main():
    """Play the games and print what was compared."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rules", type=Rules.of, nargs="*", default=[*OPPONENTS])
    given = parser.parse_args()
    with chromium() as browser:
        for rules in given.rules:
            with opener(browser) as open_at:
                counts = play_all(open_at, given.file.resolve(), rules, given.games, given.seed)
            print(rules, dict(counts), flush=True)


if __name__ == "__main__":
    main()
