"""Exact strength of a player: its certificate, its mistakes, a game that it loses."""
