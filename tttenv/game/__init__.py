"""The m,n,k-game itself: rules, rewards, symmetries, features, openings and play-outs."""
