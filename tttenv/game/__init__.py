"""The m,n,k-game alone: rules, rewards, symmetries, features and pictures."""
