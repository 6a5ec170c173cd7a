"""Proofs of game values on boards too large to enumerate, and a checker for them."""
