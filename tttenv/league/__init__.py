"""Matches between players: pairs, leagues and ratings."""
