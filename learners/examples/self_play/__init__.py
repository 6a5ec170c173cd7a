"""Self-play until unbeatable, one recipe per library, to copy and change."""
