"""The command that installs an extra of irrun."""

from __future__ import annotations


def install(extra: str) -> str:
    """Return the command that installs an extra from a clone of the repository."""
    return f"pip install '.[{extra}]'"
