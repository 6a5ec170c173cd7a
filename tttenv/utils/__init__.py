"""What every other folder builds on: tables of names, files, arrays, and compiling."""
