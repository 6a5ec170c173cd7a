"""Single-file learners, to read from top to bottom and to copy."""
