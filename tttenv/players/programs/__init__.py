"""Players that are other programs: standard input and output, Gomocup."""
