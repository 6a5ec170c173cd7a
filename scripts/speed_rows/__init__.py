"""The rows of speed.py: what is measured, here and in other packages."""
