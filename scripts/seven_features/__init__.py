"""Exact limits of seven features: proofs in integers."""
