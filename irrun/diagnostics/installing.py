"""The command that installs an extra of irrun."""

from __future__ import annotations


def install(extra: str) -> str:
    """Return the command that adds an extra to irrun, whether it came from an index, a wheel or a clone."""
    return f"pip install 'irrun[{extra}]'"
