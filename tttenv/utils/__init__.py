"""Utilities used by all other folders: registries, files, arrays and compilation."""
