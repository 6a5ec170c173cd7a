"""Learners, each with one file and one row in `registry`, trained by the loop in `training`."""
