"""The commands: arguments, output and prompts; rich is imported only inside functions."""
