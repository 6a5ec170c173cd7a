"""Rows of speed.py: workloads measured here and in other packages."""
