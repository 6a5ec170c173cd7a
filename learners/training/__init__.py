"""Training of any learner: the loop, its files and its logs."""
