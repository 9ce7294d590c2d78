"""Numerics of strings: flat arrays of bytes with the begin and end of each string."""
