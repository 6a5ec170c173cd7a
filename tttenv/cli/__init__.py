"""The commands: their arguments, what they print and ask; rich is imported in functions only."""
