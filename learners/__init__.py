"""Learners: one file each, one row each in `registry`, all trained by the one loop in `train`."""
