"""The report: a single HTML file with a board, exact numbers and curves."""
