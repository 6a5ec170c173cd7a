"""The rows of speed.py: what is measured, by us and by other packages."""
