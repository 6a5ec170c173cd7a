"""Interactive play in a terminal or a window, with hints, take-back and analysis."""
