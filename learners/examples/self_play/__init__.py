"""Self-play until unbeatable, one recipe for each library, to copy and change."""
