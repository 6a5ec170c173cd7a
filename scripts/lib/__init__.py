"""Modules shared by several scripts and needed by no installed command."""
