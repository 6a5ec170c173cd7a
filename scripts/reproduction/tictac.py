"""S1: minimax with a symmetry cache, a Q-table, a tree search and a small network."""

from time import process_time

from scripts.reproduction.rows import PRINTED, Found, Job, Row, Task, Tell
from scripts.reproduction.tictac_mcts import TreeSearch
from scripts.reproduction.training import OUR_MCTS, RULES, published, strength, trained
from tttenv import player, score
from tttenv.players.minimax import MinimaxSearch

INF = float("inf")


def matches(task: Task, tell: Tell) -> Found:
    """Return X's wins, O's wins and draws between random and minimax players."""
    names = {"random": "random", "minimax": "minimax:ties=first", "mixed": "minimax"}
    found: Found = {}
    for pair in ("random random", "minimax mixed", "mixed minimax", "mixed random", "random mixed"):
        x, o = (player(names[name]) for name in pair.split())
        result = score(RULES, x, o)
        found[pair] = (result.win, result.loss, result.draw)
    return found


def timing(task: Task, tell: Tell) -> Found:
    """Return the processor seconds of a minimax game against itself, for three searches."""
    seconds = []
    for done, search in enumerate(("plain", "cached", "symmetric")):
        tell(done, 3)
        minimax = player(f"minimax:search={search},ties=first")
        assert isinstance(minimax, MinimaxSearch)
        minimax.search(RULES.parse("XOXOXO___"))  # so that no compiling is counted
        minimax.cache.clear()
        board, start = RULES.start(), process_time()
        while not RULES.over(board):
            board = RULES.play(board, minimax.search(board).probs.argmax())
        seconds.append(process_time() - start)
    plain, cached, symmetric = seconds
    return {"seconds": seconds, "times": (plain / cached, cached / symmetric)}


def q_table(task: Task, tell: Tell) -> Found:
    """Train the Q-table with 7,000 games as X and 7,000 as O."""
    learner, told = trained("qtable", "published", task.amount, task.seed, tell)
    return {**strength(learner.policy()), "items": (told[-1]["items"],)}


def tree_search(task: Task, tell: Tell) -> Found:
    """Run the tree search for `task.amount` games, and return its player's strength."""
    search = TreeSearch()
    for game in range(task.amount):
        search.play()
        if game % 100 == 0:
            tell(game, task.amount)
    return strength(search.policy())


JOBS = {
    "matches": Job(matches, claimed="1,000 games"),
    "timing": Job(timing, says="one game", claimed="one game"),
    "q-table": Job(q_table, (140, 140, 140), "{:,} games", 100, "14,000 games"),
    "mcts": Job(tree_search, (4000,) * 3, "{:,} games", 1, "4,000 games"),
    "mcts 2000": Job(tree_search, (2000,) * 3, "{:,} games", 1, "2,000 games"),
    # A step moves once in 64 games, which take 3.8 own moves: 17 games.
    "net": Job(published("dqn"), (3_000, 20_000, 240_000), "about {:,} games", 17,
               "2,000,000 games a seat", long=True),
}  # fmt: skip
NET = "ours learns by Adam from replay with a target network, one net for both seats"
ROWS = [
    Row("S1.random_random", "random against random: X wins, O wins, draw", "matches",
        "random random", (0.6010, 0.2890, 0.11), (737 / 1260, 121 / 420, 8 / 63), unit="%",
        games=1000, main=True),
    Row("S1.minimax", "minimax (first move) against minimax (random among best)", "matches",
        "minimax mixed", (0, 0, 1), unit="%", games=1000, main=True),
    Row("S1.minimax_back", "the other way round", "matches", "mixed minimax", (0, 0, 1), unit="%",
        games=1000),
    Row("S1.minimax_random", "minimax against random", "matches", "mixed random", (0.968, 0, 0.032),
        (75257 / 77760, 0, 1 - 75257 / 77760), unit="%", games=1000, main=True),
    Row("S1.random_minimax", "random against minimax", "matches", "random mixed", (0, 0.781, 0.219),
        (0, 2645 / 3402, 1 - 2645 / 3402), unit="%", games=1000, main=True),
    Row("S1.seconds", "seconds of a game: no cache, cache, symmetric cache", "timing", "seconds",
        (90, 0.8, 0.3), within=None, unit="s", main=True,
        note="machines differ, so the next row is judged instead"),
    Row("S1.times", "how many times faster: the cache, then symmetry", "timing", "times",
        (112.5, 2.67), band=((1, INF), (1, INF)), main=True),
    Row("S1.q_table", "Q-table against random, wins as X / O", "q-table", "wins", (0.931, 0.61),
        band=((0.8, 0.995), (0.4, 0.85)), unit="%", games=1000, repaired="qtable/wins", main=True,
        note="a draw pays like a win: unbeatable, but it wins little; seeds differ by ten points"),
    Row("S1.q_worst", "Q-table, worst case as X / O", "q-table", "worst", (), (0, 0), unit="value",
        repaired="qtable/worst"),
    Row("S1.q_drawn", "Q-table, draws against perfect play", "q-table", "drawn", (1, 1), unit="%",
        games=1000, repaired="qtable/drawn"),
    Row("S1.q_items", "items in the table", "q-table", "items", (747,), band=((730, 764),)),
    Row("S1.mcts", "tree search against random, wins as X / O", "mcts", "wins", (0.818, 0.635),
        (0.8151, 0.6222), PRINTED, (), "%", 1000, OUR_MCTS + "wins", main=True,
        note="the whole published search, without chance; a draw counts as a win"),
    Row("S1.mcts_worst", "tree search, worst case as X / O", "mcts", "worst", (), (0, 0),
        unit="value", repaired=OUR_MCTS + "worst"),
    Row("S1.mcts_drawn", "tree search, draws against perfect play", "mcts", "drawn", (1, 1),
        unit="%", games=1000, repaired=OUR_MCTS + "drawn"),
    Row("S1.mcts_2000", "after half the games, worst case as X / O", "mcts 2000", "worst", (),
        (0, -1), unit="value", repaired=OUR_MCTS + "worst"),
    Row("S1.net", "network 9-36-36-9 against random, wins as X / O", "net", "wins", (0.984, 0.754),
        band=((0.85, 0.995), (0.6, 0.92)), unit="%", games=1000, repaired="dqn/wins", main=True,
        note=NET),
    Row("S1.net_worst", "network, worst case as X / O", "net", "worst", within=None, unit="value",
        repaired="dqn/worst", main=True, note=NET),
    Row("S1.net_drawn", "network, draws against perfect play", "net", "drawn", (1, 1), within=None,
        unit="%", games=1000, repaired="dqn/drawn",
        note="a trained net answers each move alike, so this shows single games, not its strength"),
]  # fmt: skip
