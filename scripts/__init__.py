"""What one runs from a checkout: `python scripts/NAME.py`, and what only these files need."""
