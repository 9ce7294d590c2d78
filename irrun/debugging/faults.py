"""Requests that cannot be carried out."""

from __future__ import annotations

from typing import Final

from irrun.diagnostics import IRError, OpError
from irrun.diagnostics.internal import InternalError
from irrun.diagnostics.naming import of_system
from irrun.diagnostics.requests import RequestError
from irrun.model.arguments import InputError

REFUSED: Final = (RequestError, InputError, IRError, OpError, InternalError, MemoryError, OSError)
"""The exceptions that end a comparison of files."""


class DebugError(RequestError):
    """A request to find a fault cannot be carried out; the message is one line."""


def refusal(error: BaseException) -> str:
    """Return why a request was refused, in one line."""
    return of_system(error) if isinstance(error, OSError) else str(error) or "not enough memory"
