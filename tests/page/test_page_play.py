"""Board of the page: games by real clicks against every player, and remarks on every move."""

import re
from functools import cache
from itertools import accumulate

import pytest
from page_browser import CALM, SIZES, click, faults, fits, fragment, marks, stop_clock
from reference import game, mover, put

from tttenv import Rules, certify, player
from tttenv.cli.play import advice
from tttenv.exact import tabulate
from tttenv.game.rules import name_of

RULES, GAME = Rules(), game((3, 3, 3))
ADVISER = advice.Adviser(RULES)  # its words are held to a reference by tests/cli/test_words.py
QUESTION = "X has a corner, you are O."


# What the library says.


@cache
def worth(board, cell):
    """Return the value of a move for its side, and the winner's stones until the end."""
    return GAME.worth(board, cell)


def is_best(board, cell):
    """Return whether a move wins soonest, or draws, or loses latest."""
    ranks = {
        c: (value, -value * stones)
        for c in GAME.after[board]
        for value, stones in [worth(board, c)]
    }
    return ranks[cell] == max(ranks.values())


def verdict(value, stones):
    return advice.verdict(value, stones or None)


@cache
def blunder(board, cell):
    """Return the sentence about a move that gives something away; None for a good one."""
    return ADVISER.known(RULES.parse(board)).blunder(cell)


def boards_of(line):
    """Return the boards of a game, the empty one first."""
    return list(accumulate(line, put, initial="_" * 9))


def last_blunders(line):
    """Return the page's remarks on the last two stones."""
    boards, found = boards_of(line), []
    for ply in range(max(0, len(line) - 2), len(line)):
        if sentence := blunder(boards[ply], line[ply]):
            found.append(f"{'XO'[ply % 2]}'s blunder: {sentence}")
    return found


LOOK = """() => ({
  hints: [...document.querySelectorAll('#board button')].map(
    (b) => b.querySelector('.hint')?.textContent ?? ''),
  notes: [...document.querySelectorAll('#notes p')].map((p) => p.textContent),
  moves: [...document.querySelectorAll('#moves button')].map((b) => b.textContent),
  bar: document.querySelector('#bar').ariaLabel,
})"""


# One call of the page for many links: what it shows of each.
EVERY = f"""(links) => links.map((link) => {{
  dispatchEvent(new PopStateEvent('popstate', {{state: {{game: link}}}}));
  const {{hints, notes, bar, moves}} = ({LOOK})();
  return [hints, notes, bar, moves.at(-1) ?? ''];
}})"""


def standing(board):
    """Return the text of the value bar."""
    if board in GAME.result:
        return f"{GAME.result[board]} has won" if GAME.result[board] != "_" else "draw"
    value, stones = max(
        (worth(board, c) for c in GAME.after[board]), key=lambda w: (w[0], -w[0] * w[1])
    )
    winner = mover(board) if value > 0 else "XO"[mover(board) == "X"]
    return f"{winner} wins {verdict(value, stones).partition(' ')[2]}" if value else "draw"


def test_every_position_and_move_is_told_as_the_solved_game_has_it(opened, shipped):
    """All 4,520 undecided positions: the bar, every hint, and the sentence about every move."""
    page = opened(shipped, "#play=first&seat=both", **CALM)
    lines = {GAME.boards[0]: []}
    for board in GAME.boards:  # ply by ply
        for cell, after in GAME.after[board].items():
            lines.setdefault(after, [*lines[board], cell])
    assert (len(lines), len(GAME.decisions)) == (5478, 4520)
    games = [lines[board] for board in GAME.decisions]
    games += [[*lines[board], cell] for board in GAME.decisions for cell in GAME.after[board]]
    links = [f"#play=first&seat=both&show=values&moves={written(line)}" for line in games]
    told = 0
    for line, (hints, notes, bar, last) in zip(games, page.evaluate(EVERY, links), strict=True):
        *before, board = boards_of(line)
        after = GAME.after[board]
        expected = [verdict(*worth(board, c)) if c in after else "" for c in range(9)]
        assert hints == expected, board
        assert notes == last_blunders(line), board
        assert bar == f"Value of the position: {standing(board)}"
        if line:
            assert last.endswith("??") == bool(blunder(before[-1], line[-1]))
            told += last.endswith("??")
    assert told > 4520


def written(line):
    return ".".join(name_of(RULES, cell) for cell in line)


# The question.


@pytest.mark.parametrize("size", SIZES)
def test_the_first_screen_asks_and_everything_about_it_is_in_view(opened, shipped, size):
    page = opened(shipped, "", size, **CALM)
    assert QUESTION in page.inner_text("#play-title")
    assert marks(page) == "X________"
    height = SIZES[size][1]
    for name in ("h1", "#play-title", "#board", "#status", "#start-net"):
        box = page.locator(name).bounding_box()
        assert box["y"] >= 0, name
        assert box["y"] + box["height"] <= height, name
    assert fits(page)
    later = page.locator("#rules, #about, #play .legend, #start-beat, #copy").filter(visible=True)
    assert later.count() == 0
    click(page, 4)
    assert later.count() == 4


def test_a_line_of_the_legend_appears_with_its_mark(opened, shipped):
    page = opened(shipped, "#play=first&seat=both&moves=a1", **CALM)
    legend = page.locator("#play .legend")
    assert "blunder" not in legend.inner_text()
    click(page, 1)
    assert "?? a blunder: it throws away a win or a draw" in legend.inner_text()
    assert "On wide boards" not in legend.inner_text()


@pytest.mark.parametrize("shown", [True, False])
def test_from_the_answer_one_button_leads_to_a_table_that_learns_it_and_to_a_certificate(
    opened, shipped, shown
):
    page = opened(shipped, "", **CALM)
    if shown:
        refute(page)
    page.click("#reveal") if shown else click(page, 4)
    link = fragment(page)
    for _ in range(2):  # the second time the address stands there already
        page.evaluate("scrollTo(0, 0)")
        page.get_by_role("link", name="Watch a table learn that move").click()
        page.wait_for_function(
            "() => document.getElementById('teach').getBoundingClientRect().top < 100"
        )
    beat = page.get_by_role("link", name="Now beat mcts, which never found it")
    beat.wait_for()
    answer = page.locator("#teach").get_by_label("Its answer to the question: b2 100 %", exact=True)
    assert answer.count() == 1
    page.go_back()
    assert fragment(page) == link
    page.go_forward()
    beat.click()
    assert page.inner_text("#play-title") == "You are X against mcts"
    for cell in (0, 2, 6, 4):
        click(page, cell)
    status = page.inner_text("#status")
    assert status.startswith(
        "You win. mcts lost at move 2: c3. You beat mcts, which loses one game in"
    )
    assert status.endswith(" 189 to random moves.")
    assert page.locator("#status strong").bounding_box()["height"] > 30
    page.get_by_role("link", name="Its certificate").click()
    page.locator("#certificate-table").get_by_text("possible in 24 positions").wait_for()
    page.get_by_role("link", name="Now yours: paste your bot").click()
    assert 0 <= page.evaluate("document.getElementById('bot').getBoundingClientRect().top") < 17


def test_all_sections_appear_even_where_the_script_fails(browser, shipped, tmp_path):
    text = shipped.read_text(encoding="utf-8")
    broken = tmp_path / "broken.html"
    broken.write_text(text.replace('<script type="module">', '<script type="module">//'))
    page = browser.new_page()
    page.goto(broken.as_uri())
    page.locator("#leaderboard").wait_for(state="visible")
    assert page.locator("#board button").count() == 0
    page.close()


def test_a_wrong_answer_is_refuted_stone_by_stone_and_can_be_tried_again(opened, shipped):
    page = opened(shipped, "", "phone")
    stop_clock(page)
    for cell in (c for c in range(1, 9) if c != 4):
        click(page, cell)
        lost_in = verdict(*worth("X" + "_" * 8, cell)).replace("loss", "loses")
        assert page.inner_text("#notes") == f"Not {name_of(RULES, cell)}: it {lost_in}."
        board = put("X" + "_" * 8, cell)
        assert marks(page) == board
        while board not in GAME.result:
            page.clock.run_for(700)
            after = marks(page)
            (best,) = (c for c in range(9) if after[c] != board[c])
            assert is_best(board, best)
            board = after
        assert page.inner_text("#status") == "X wins."
        assert page.locator("#board .won").count() == 3
        label = page.locator("#board button").nth(cell).get_attribute("aria-label")
        assert label.endswith("O, blunder")
        page.click("#again")
        assert marks(page) == "X________"
    assert page.locator("#board .tried").count() == 7
    click(page, 4)
    assert page.inner_text("#notes") == "Right: b2 draws, the other seven lose. Play on."
    assert "seat=O" in fragment(page)
    page.clock.run_for(300)
    assert marks(page).count("_") == 6


def test_two_ways_lead_on_from_the_question(opened, shipped):
    page = opened(shipped, "", **CALM)
    click(page, 1)
    page.locator("#moves button").last.click()
    page.click("#again")
    page.click("#start-beat")
    assert page.inner_text("#play-title") == "You are X against mcts"
    assert not certify(RULES, "mcts").worst_case["O"] >= 0
    page.go_back()
    assert QUESTION in page.inner_text("#play-title")
    first = re.fullmatch("#play=([^&]*)&seat=X", page.get_attribute("#start-net", "href"))[1]
    assert certify(RULES, first).unbeatable
    page.click("#start-net")
    assert page.inner_text("#play-title") == f"You are X against {first}"
    page.get_by_role("link", name="Ask me the question again").click()
    assert QUESTION in page.inner_text("#play-title")


# Blunders on the board.


def test_a_blunder_is_ringed_and_refuted_by_numbered_stones_in_view(opened, shipped):
    page = opened(shipped, "#play=selfplay&seat=both&moves=a1", "phone")
    click(page, 1)
    ghosts = page.locator("#board button:has(.ghost)")
    labels = ghosts.evaluate_all("all => all.map(b => b.ariaLabel)")
    line = [0, 1, *(0 for _ in labels)]
    for label in labels:
        place, _, number, mark = label.replace("best play: ", "").replace(", ", " ").split()
        line[1 + int(number)] = "abc".index(place[0]) + 3 * int(place[1]) - 3
        assert mark == "XO"[(1 + int(number)) % 2]
    *earlier, end = boards_of(line)
    assert GAME.result[end] == "X"
    assert all(is_best(board, cell) for board, cell in list(zip(earlier, line, strict=True))[2:])
    assert page.locator("#board button.blunder .glyph").inner_text() == "??"
    box = page.locator("#notes").bounding_box()
    assert page.inner_text("#notes") == f"O's blunder: {blunder('X________', 1)}"
    assert 0 < box["y"] < box["y"] + box["height"] < SIZES["phone"][1]
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert page.locator("#board button").nth(4).inner_text() == "1"


def test_a_lost_game_says_where_and_can_be_tried_again_from_there(opened, shipped):
    page = opened(shipped, "#play=minimax&seat=O&moves=a1", **CALM)
    line = [0]
    for cell in (1, *range(9)):
        if cell in GAME.after[before := marks(page)]:
            click(page, cell)
            line += [cell, *(c for c in range(9) if marks(page)[c] != put(before, cell)[c])]
    assert page.inner_text("#status") == "minimax wins. You lost at move 2: b1."
    chips = page.locator("#moves button")
    assert chips.nth(1).inner_text() == "b1??"
    chips.nth(1).click()
    assert marks(page) == "XO_______"
    assert page.locator("#board .ghost").count() > 2
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert marks(page) == boards_of(line)[4]
    page.locator("#moves button").last.click()
    page.click("#again")
    assert (marks(page), page.input_value("#seat")) == ("X________", "O")
    click(page, 4)
    assert marks(page).count("_") == 6


# The keyboard.


def press(page, cell):
    """Move the focus to the cell by arrow keys, and place a stone."""
    at = "[...document.querySelectorAll('#board button')].indexOf(document.activeElement)"
    for _ in range(40):
        if page.evaluate(at) >= 0:
            break
        page.keyboard.press("Tab")
    here = page.evaluate(at)
    down, right = cell // 3 - here // 3, cell % 3 - here % 3
    for key, count in (("Down", down), ("Up", -down), ("Right", right), ("Left", -right)):
        for _ in range(count):
            page.keyboard.press(f"Arrow{key}")
    assert page.evaluate(at) == cell
    page.keyboard.press("Enter")


@pytest.mark.parametrize("seat", ["X", "O"])
@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_a_whole_game_by_keyboard_alone(opened, shipped, size, seat):
    page = opened(shipped, f"#play=dqn&seat={seat}", size, **CALM)
    while (board := marks(page)) not in GAME.result:
        press(page, next(cell for cell in GAME.after[board] if is_best(board, cell)))
    assert page.inner_text("#status") == "The game is a draw. Nobody blundered."


# Overlays and every state as axe sees it.


@pytest.mark.parametrize("name", ["tactical", "mcts"])
def test_overlays_show_exact_values_the_players_chances_or_nothing(opened, shipped, name):
    page = opened(shipped, f"#play={name}&seat=both&moves=a1.b2.b1", **CALM)
    board = "XX__O____"
    row = tabulate(RULES, player(name))(RULES.parse(board)[None])[0]
    for overlay in ("none", "values", "player"):
        page.select_option("#overlay", overlay)
        hints = page.evaluate(LOOK)["hints"]
        for cell in (c for c in range(9) if board[c] == "_"):
            share = f"{100 * row[cell]:.0f}"
            chance = "<1 %" if 0 < row[cell] < 0.004 else f"{share} %"
            told = {"none": "", "values": verdict(*worth(board, cell)), "player": chance}[overlay]
            assert hints[cell] == told
    assert "show=player" in fragment(page)


def refute(page):
    """Give a wrong answer and check that it is refuted."""
    click(page, 1)
    page.locator("#moves button").last.click()


STATES = {
    "question": ("", lambda page: None),
    "refuted": ("", lambda page: refute(page)),
    "answer": ("", lambda page: [refute(page), page.click("#reveal")]),
    "blunder": ("#play=first&seat=both&moves=a1", lambda page: click(page, 1)),
    "values": ("#play=first&seat=both&moves=a1.b1&show=values", lambda page: None),
    "chances": ("#play=random&seat=O&show=player", lambda page: None),
    "slip": ("#play=first&seat=X&moves=b2.a1.c1", lambda page: None),
    "lost": ("#play=first&seat=X&moves=b2.a1.c1.b1.a3", lambda page: None),
    "watched": ("#watch=mcts&against=first&moves=a1", lambda page: page.click("#pause")),
    "unknown": ("#play=nobody&moves=a1", lambda page: page.get_by_text("Keys", exact=True).click()),
}


@pytest.mark.parametrize(("size", "scheme"), [("desktop", "light"), ("phone", "dark")])
def test_axe_finds_nothing_wrong_in_any_state_and_nothing_is_too_wide(
    opened, shipped, size, scheme
):
    page = opened(shipped, "", size, color_scheme=scheme, **CALM)
    assert not faults(page)
    for name, (link, reach) in STATES.items():
        page.evaluate("link => void (location.hash = link)", link or "#question")
        page.wait_for_function("link => history.state?.game", arg=link)
        reach(page)
        assert not faults(page, "#play"), name
        assert fits(page), name
