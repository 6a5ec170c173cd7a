"""Scripts to run from a checkout, `python scripts/NAME.py`, with the modules they need."""
