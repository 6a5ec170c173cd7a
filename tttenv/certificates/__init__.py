"""The exact strength of a player: certificates, mistakes and lost games."""

POSITIONS = 20_000_000  # default limit of positions per seat: 160 MB of codes
