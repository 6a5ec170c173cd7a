"""Players against each other: pairs, whole leagues, and ratings."""
