"""Report: its parts, combined into one HTML file."""
