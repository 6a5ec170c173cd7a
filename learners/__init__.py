"""Learners: one file and one row in `registry` each, all trained by the loop in `training`."""
