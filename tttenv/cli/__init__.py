"""Commands of the package; rich is imported only inside functions."""
