"""Learners: one file each, one row each in `registry`, all trained by the loop in `training`."""
