"""S2: search, tree search, TD(0) and a genetic algorithm from lecture notes."""

from functools import partial

from scripts.reproduction import plain_search
from scripts.reproduction.notes_players import bred, counted, individuals, played, td0
from scripts.reproduction.rows import Found, Job, Row, Task, Tell
from scripts.reproduction.training import OUR_MCTS, RULES
from tttenv.exact import positions, solve

TRAPS = {"OX_O_X___": 7, "___X_O_XO": 4}  # X to move, and what the naive repair plays there
SLOW = "___OXO__X"  # X wins at once by 0, and as published plays 1


def depths(task: Task, tell: Tell) -> Found:
    """Count how often each search plays a slow or wrong move, as published and repaired."""
    solution, going = solve(RULES), positions(RULES).decisions.tolist()
    found: Found = {}
    for repair in (False, True):
        minimax = plain_search.minimax(repair)
        alphabeta = {at: plain_search.alphabeta(at, repair) for at in going}
        tell(1 + repair, 2)
        name = "repaired " if repair else ""
        slow = [at for at in going if not solution.fastest[at, minimax[at].cell]]
        won = [at for at in slow if solution.values[at] > 0]
        found |= {
            f"{name}slower": (len(won), (solution.values[going] > 0).sum()),
            f"{name}missed": (sum(solution.distances[at] == 1 for at in won),),
            f"{name}sooner": (len(slow) - len(won), (solution.values[going] < 0).sum()),
            f"{name}no depth": (sum(minimax[a].depth == plain_search.NO_DEPTH for a in going),),
            f"{name}wrong": (sum(not solution.optimal[at, minimax[at].cell] for at in going),),
        }
        wrong = sum(not solution.optimal[at, answer.cell] for at, answer in alphabeta.items())
        found["naive" if repair else "cut"] = (wrong,)
        traps = [alphabeta[int(positions(RULES).index(RULES.parse(text)))] for text in TRAPS]
        found["trapped" if repair else "untrapped"] = [answer.cell for answer in traps]
    found["slow"] = (plain_search.minimax()[int(positions(RULES).index(RULES.parse(SLOW)))].cell,)
    return found


JOBS = {
    "depths": Job(depths, claimed="all positions"),
    "counted": Job(counted, (20, 20, 100), "{:,} searches", 1, "1 search"),
    "games": Job(partial(played, shared=True), (40, 240, 2400), "{:,} games", 1, "240 games"),
    "fresh": Job(partial(played, shared=False), (20, 40, 400), "{:,} games", 1, "40 games"),
    "td0": Job(td0, (120, 835, 835), "{:,} episodes", 2000, "1,670,000 episodes", long=True),
    "individuals": Job(individuals, (100, 100, 500), "{:,} individuals", 1, "not stated"),
    "genetic": Job(bred, (100, 500, 500), "{:,} generations", 1, "500 generations"),
}
DEPTH = "bestDepth is not updated by a strictly better value"
ROWS = [
    Row("S2.slower", "minimax, won positions where a slower win is chosen, of how many", "depths",
        "slower", (165, 2836), within=0, main=True, note=DEPTH + "; repaired: that line added"),
    Row("S2.missed", "minimax, immediate wins missed", "depths", "missed", (163,), within=0,
        main=True),
    Row("S2.sooner", "minimax, lost positions where it loses too soon, of how many", "depths",
        "sooner", (109, 632), within=0, main=True,
        note="losers minimise depth, too, and go on doing so after that repair"),
    Row("S2.no_depth", "minimax, positions whose depth stays sys.maxsize", "depths", "no depth",
        (2524,), within=0, main=True),
    Row("S2.wrong", "positions where minimax gives away value", "depths", "wrong", (0,), within=0),
    Row("S2.slow", "what it plays on ___/OXO/__X, where 0 wins at once", "depths", "slow", (1,),
        within=0),
    Row("S2.cut", "positions where alpha-beta gives away value", "depths", "cut", (0,), within=0),
    Row("S2.naive", "alpha-beta with bestDepth repaired, cut at beta <= alpha: the same", "depths",
        "naive", (3,), within=0, main=True, note="the trap: a bound is taken for a tie"),
    Row("S2.traps", "what it then plays on OX_/O_X/___ and ___/X_O/_XO", "depths", "trapped",
        (7, 4), within=0),
    Row("S2.root", "tree search, visits of the root after 500 iterations", "counted", "root",
        (529,), band=((510, 545),), main=True, note="where selecting stops is counted twice"),
    Row("S2.children", "tree search, visits of the root's children together", "counted", "children",
        (643,), band=((600, 720),), main=True,
        note="the notes leave details open, and the one search claimed lies outside our spread"),
    Row("S2.stopped", "a new root whose children are all known: math domain error", "counted",
        "stopped", (1,), within=0),
    Row("S2.games", "tree search as O against random, one map: won, draw, lost", "games", "odds",
        (213 / 240, 27 / 240, 0), band=((0.8, 0.97), (0.03, 0.2), (0, 0.05)), unit="%",
        repaired=OUR_MCTS + "O", main=True, note="sampled, as the map grows from game to game"),
    Row("S2.fresh", "the same, a fresh map a move", "fresh", "odds", (37 / 40, 2 / 40, 1 / 40),
        band=((0.75, 1), (0, 0.25), (0, 0.15)), unit="%", repaired=OUR_MCTS + "O", note="sampled"),
    Row("S2.not_optimal", "moves of these that give away value", "fresh", "not optimal", (7 / 132,),
        band=((0, 0.15),), unit="%", note="sampled"),
    Row("S2.td0_first", "TD(0) as X against random: won, draw, lost", "td0", "X",
        (0.9896, 0.0104, 0), band=((0.95, 1), (0, 0.05), (0, 0.01)), unit="%",
        repaired="td0/X", least=835, main=True),
    Row("S2.td0_second", "TD(0) as O: won, draw, lost", "td0", "O", (0.8899, 0.09, 0.0201),
        band=((0.84, 0.93), (0.02, 0.14), (0, 0.08)), unit="%", repaired="td0/O", least=835,
        main=True, note="learns against random replies, so risks pay"),
    Row("S2.td0_worst", "TD(0), worst case as X / O", "td0", "worst", (0, -1),
        band=((-1, 0), (-1, -1)), unit="value", repaired="td0/worst", least=835, main=True,
        note="its step size stays .5, so X goes on changing between 0 and -1: 38 of 66 tables "
        "of six seeds had 0"),
    Row("S2.td0_entries", "entries of its table", "td0", "entries", (5171,), band=((5000, 5477),),
        least=835),
    Row("S2.individuals", "random individuals, fitness: least, mean, most", "individuals",
        "fitness", (0.336, 0.474, 0.584), band=((0.25, 0.4), (0.464, 0.484), (0.54, 0.75)),
        main=True),
    Row("S2.lines", "games of an individual: fewest, most", "individuals", "lines", (1022, 1189),
        band=((950, 1060), (1150, 1300))),
    Row("S2.perfect", "fitness and games of a perfect individual", "individuals", "perfect",
        (1, 873), within=0),
    Row("S2.bred", "genetic, fitness of the best of the last generation", "genetic", "best",
        band=((0.88, 0.9999),), least=500, main=True,
        note="the notes print none; fitness 1 is unbeatable, which no published run reached"),
    Row("S2.bred_worst", "genetic, its worst case as X / O", "genetic", "worst", within=None,
        unit="value", repaired="genetic/worst", main=True),
    Row("S2.bred_wins", "genetic, its wins as X / O", "genetic", "wins", within=None, unit="%",
        repaired="genetic/wins"),
]  # fmt: skip
