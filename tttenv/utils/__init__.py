"""Foundations of all other folders: tables of names, files, arrays, and compilation."""
