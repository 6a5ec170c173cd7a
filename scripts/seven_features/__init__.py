"""Exact limits of seven features: proofs in integers, and the search for them."""
