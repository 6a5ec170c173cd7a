"""Games in progress, any number side by side: what both environments wrap."""
