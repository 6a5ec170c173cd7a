"""Descriptions of TensorBoard tags, shown behind the (i) of each chart."""

import re

SEATS = r"([XO])"
OTHERS = {"random": "uniform random moves", "perfect": "evenly mixed perfect moves"}
WHO = {"win": "wins", "draw": "draws", "loss": "losses"}
EXACT = "Exact: over all positions, not sampled."
# Regular expressions of tags and what is said of them; \1 is what the first group matched.
DESCRIPTIONS = {
    rf"exact/worst_case_{SEATS}": r"The value as \1 against the opponent that hurts most: 0 is a"
    rf" draw, -1 a certain loss. {EXACT}",
    r"exact/unbeatable": f"1 if the worst case of both seats is the game's value. {EXACT}",
    r"exact/blunders": f"Positions in which it may give a win or a draw away. {EXACT}",
    **{
        rf"exact/{one}_vs_{other}_{SEATS}": rf"The share of {many} as \1 against {moves}. {EXACT}"
        for one, many in WHO.items()
        for other, moves in OTHERS.items()
    },
    rf"exact/value_vs_(\w+)_{SEATS}": rf"What it may expect as \2 against the player \1. {EXACT}",
    r"exact/optimal_moves": f"The mean probability of its optimal moves, all positions. {EXACT}",
    r"exact/optimal_moves_critical": "The same over the positions in which a move can lose value.",
    r"exact/optimal_moves_reached": "The same over the positions that it gets into, whatever the"
    " other side plays.",
    r"exact/optimal_moves_ply_(\d+)": r"The same over the positions with \1 stones.",
    rf"exact/reached_{SEATS}": r"Positions in which it had to move as \1 for the certificate.",
    rf"exact/never_loses_{SEATS}": r"1 if no replies beat it as \1, 0 if some do; no point where"
    " that is undecided.",
    rf"exact/losing_line_{SEATS}": r"The stones of a game that it loses as \1.",
    rf"exact/losing_leaves_{SEATS}": r"Lost games among the first 500 positions of an attack on it"
    r" as \1.",
    rf"sampled/value_vs_(\w+)_{SEATS}": r"What it got on average as \2 against the player \1, in"
    " sampled games.",
    rf"sampled/margin_vs_(\w+)_{SEATS}": r"Half the width of the 95 % confidence interval of the"
    r" value as \2 against the player \1.",
    r"time/seconds": "Processor time since the first step, without measuring the first player.",
    r"unbeatable/seconds": "Processor time to the first certificate that says unbeatable.",
    r"unbeatable/steps": "Steps to the first certificate that says unbeatable.",
    r"train/(\w+)": r"\1, as the learner itself says it: the mean over the steps since the last"
    " point. See docs/reference/learners.md.",
}


def description(tag: str) -> str:
    """Return the description of a tag, or an empty string for an unknown tag."""
    for pattern, text in DESCRIPTIONS.items():
        if found := re.fullmatch(pattern, tag):
            return found.expand(text)
    return ""
