"""Constants for compiled steps: the opponent's kind, the agent's seat, when games restart."""

# Kinds of opponent: none, so that the agent moves for both sides; one that moves at random;
# and one whose move probabilities are looked up in a table.
NOBODY, RANDOM, TABLE = range(3)
FIRST, SECOND = 1, 2  # the agent's seat in new games: X, O; 0: random
SEATS = ("random", "X", "O")  # the names of 0, 1, 2
# When finished games restart: in the next step, in the one that ends them, or when they are reset.
NEXT_STEP, SAME_STEP, DISABLED = range(3)
MODES = ("NextStep", "SameStep", "Disabled")  # their names in Gymnasium
