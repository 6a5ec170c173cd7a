"""Scripts to run from a checkout, `python scripts/NAME.py`, and the modules that only they need."""
