"""Rows of speed.py: workloads of this package and of other packages."""
