"""Values of games too large to enumerate, proved by search, and a checker of proofs."""
