"""Settings for all tests: hypothesis draws the same examples on every run."""

from hypothesis import settings

settings.register_profile("tttenv", deadline=None, derandomize=True, max_examples=25)
settings.load_profile("tttenv")
