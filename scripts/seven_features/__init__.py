"""Exact limits of seven features, proved in integer arithmetic."""
