"""Requests that cannot be carried out."""

from __future__ import annotations

from irrun.diagnostics.requests import RequestError


class DebugError(RequestError):
    """A request to find a fault cannot be carried out; the message is one line."""
