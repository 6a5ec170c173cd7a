"""Few rows of options that cover every pair of values, since most faults need two options."""

from itertools import combinations, product


def pairs(*options):
    """Return rows, one value of each option, that cover every pair of values of two options."""
    options = [list(values) for values in options]
    numbers = [range(len(values)) for values in options]

    def held(row):
        return set(combinations(enumerate(row), 2))

    missing, found = set().union(*map(held, product(*numbers))), []
    while missing:
        best = max(product(*numbers), key=lambda row: len(held(row) & missing))
        missing -= held(best)
        found.append(tuple(values[i] for values, i in zip(options, best, strict=True)))
    return found
