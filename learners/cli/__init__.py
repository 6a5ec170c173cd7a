"""The commands that train; they need torch and the learners."""
