"""Learners in a single file each, to read from top to bottom and to copy."""
