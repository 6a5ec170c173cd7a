"""Self-play recipes, one per library, that train until unbeatable; copy and change them."""
