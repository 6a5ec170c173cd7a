"""Game values of positions too large to enumerate, proved by search, and a proof checker."""
