"""Foreign libraries: one file each, loaded only by name."""
