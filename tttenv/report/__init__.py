"""The parts of the report: what it gathers, draws and puts into one HTML file."""
