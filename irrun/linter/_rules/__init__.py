"""Lint rules, one file each, named by what they flag."""
