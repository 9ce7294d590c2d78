"""Requests that cannot be carried out."""

from __future__ import annotations


class DebugError(Exception):
    """A request cannot be carried out; the message is one line."""
