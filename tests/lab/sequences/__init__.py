"""Random models with dynamic shapes that see many shapes in turn: each outcome is that of a fresh model."""
