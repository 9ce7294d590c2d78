"""Models: their graphs, edits, and files."""
