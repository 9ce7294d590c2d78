"""Nodes and their ports, and what builds them."""
