"""Players that are language models: a server, a transformers folder."""
