"""Compiled models and their requests."""
