"""Measurements that cannot be made."""

from __future__ import annotations

from irrun.diagnostics.requests import RequestError


class EvaluationError(RequestError):
    """A model cannot be measured as requested; the message is one line."""
