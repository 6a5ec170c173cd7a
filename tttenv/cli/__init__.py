"""The commands: their arguments, what they print and ask; only functions import tyro and rich."""
