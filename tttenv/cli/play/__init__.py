"""A sitting at the board: session, terminal, window, hints, players that watch or learn."""
