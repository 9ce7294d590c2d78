"""Plug-ins of pytest for these tests, one for each of their options."""
