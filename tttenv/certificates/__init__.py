"""Exact strength of a player: its certificate, its mistakes, a game that it loses."""

POSITIONS = 20_000_000  # default limit of positions per seat: 160 MB of codes
