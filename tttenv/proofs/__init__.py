"""Games too large to list: their values, proved by search and checked without one."""
