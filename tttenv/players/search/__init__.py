"""Players that search: alpha-beta, MCTS, Gumbel, minimax, threats and pairings."""
