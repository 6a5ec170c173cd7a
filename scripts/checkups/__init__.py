"""Check-ups: what is looked at in a player and in an environment, and what to change."""
