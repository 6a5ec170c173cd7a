"""Cells of the table of published numbers: claimed, as published and repaired."""

from typing import Any

from tttenv.certificates import phrases

Filled = dict[str, Any]
TITLES = {  # titles of the sources of published numbers
    "ground": "The solved game, by which all claims are judged",
    "S0": "S0  LMS, seven features",
    "S1": "S1  minimax with a cache, Q-table, MCTS, network",
    "S2": "S2  lecture notes: searches, MCTS, TD(0), genetic algorithm",
    "S3": "S3  supervised classifier of best replies",
    "S4": "S4  masked one-hot MLPs, self-play",
    "others": "What existing learners are worth",
}

CITED = {  # sources by their title's first word: what they are, and where, if they are public
    "S0": (
        "an article on a learner after Mitchell, Machine Learning (1997), section 1.2",
        "https://www.cs.cmu.edu/~tom/mlbook.html",
    ),
    "S1": ("nestedsoftware, tictac (Python)", "https://github.com/nestedsoftware/tictac"),
    "S2": ("lecture notes of a university, Tic-tac-toe experiment platform (2018)", None),
    "S3": (
        "McClure, TensorFlow Machine Learning Cookbook (2017), chapter 6",
        "https://github.com/nfmcclure/tensorflow_cookbook",
    ),
    "S4": ("hanayashiki, TicTacToe (Keras)", "https://github.com/hanayashiki/TicTacToe"),
}

# Rows of worst cases, as X and as O, shown in the figure above the table, and their learners.
LEARNERS = {
    ("S0", "worst case first / second"): "LMS, seven features",
    ("S1", "Q-table, worst case as X / O"): "Q-table",
    ("S1", "tree search, worst case as X / O"): "Tree search",
    ("S1", "network, worst case as X / O"): "Network 9-36-36-9",
    ("S2", "TD(0), worst case as X / O"): "TD(0)",
    ("S2", "genetic, its worst case as X / O"): "Genetic algorithm",
    ("S3", "worst case as X / O"): "Supervised classifier",
    ("S4", "worst case first / second"): "Masked MLPs, self-play",
    ("others", "the same: worst case as X / O"): "Algorithm A",
    ("others", "MaskablePPO against random: worst case as X / O"): "MaskablePPO",
}


def cells(row: Filled) -> list[str]:
    """Return the cells of a row after the first."""
    budget = "-" if row["budget"] is None else row["budget"]
    if row["budget"] is not None and row["budget"] != row["budget_claimed"]:
        budget += f" / {row['budget_claimed']}"
    verdict = {True: "yes", False: "NO", None: "-"}[row["holds"]]
    claimed = spelled(row["claimed"], row["unit"])
    if row["expected"] and not row["claimed"]:
        claimed = f"({spelled(row['expected'], row['unit'])})"
    numbers = [claimed, *(spelled(row[key], row["unit"]) for key in ("published", "repaired"))]
    return [*numbers, budget, row["tolerance"], verdict]


def spelled(numbers: Any, unit: str) -> str:
    """Format numbers for a table cell."""
    if numbers is None or len(numbers) == 0:
        return "-"
    return " / ".join(_spell(number, unit) for number in numbers)


def _spell(number: float, unit: str) -> str:
    if unit == "%":
        return phrases.share(number)
    if unit == "value":
        return phrases.value(number)
    if unit == "weight":
        return f"{number:.6f}"
    if unit == "s":
        return f"{number:.3g}"
    return f"{number:,.0f}" if abs(number) >= 100 or number == int(number) else f"{number:.4g}"
