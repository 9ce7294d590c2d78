"""Requests that cannot be carried out."""

from __future__ import annotations


class RequestError(Exception):
    """A request cannot be carried out, for a reason outside of the model; the message is one line."""
