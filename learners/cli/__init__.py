"""Commands that train, which need torch and the learners."""
