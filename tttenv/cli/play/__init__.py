"""Interactive play: session, terminal, window, hints, players that watch or learn."""
