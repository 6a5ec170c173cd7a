"""What the page says of a pasted bot, as data."""

import re


def verdict(said):
    """Return the seats in which a bot is said to lose, "?" without a verdict, and its blunders."""
    if not re.match("Unbeatable|As X|It does not play", said):
        return "?", None
    blunders = re.search(r"throws away a win or a draw on (\d+) board", said)
    loses = re.findall("As ([XO]) it can be beaten", said)
    return "".join(loses), int(blunders[1]) if blunders else 0
