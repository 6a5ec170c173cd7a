"""Boards as text, as images and in a window."""
