"""The parts of the report, combined into one HTML file."""
