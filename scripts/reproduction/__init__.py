"""Published experiments, run again with their flaws: a module for each source, and its table."""

# Modules of this folder by source; each has a function `numbers(run)` that returns `rows.Row`s.
SOURCES = {
    "S0": "lms",
    "S1": "tictac",
    "S2": "notes",
    "S3": "cookbook",
    "S4": "masked_mlp",
}
