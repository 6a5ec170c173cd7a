"""Commands: arguments, output and prompts; rich is imported only inside functions."""
