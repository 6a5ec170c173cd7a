"""Published experiments, run again with their flaws, and the table of what they claim."""
