"""Utilities that all other folders use: tables of names, files, arrays, and compilation."""
