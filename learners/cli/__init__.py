"""The commands that train, and the report: they need the learners and what these need."""
