"""Learners, one file and one row in `registry` each, trained by the loop in `training`."""
