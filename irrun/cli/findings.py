"""What is said of the findings in a model that is used all the same."""

from __future__ import annotations

from pathlib import Path

from irrun.cli.console import detail, warn
from irrun.diagnostics import Severity
from irrun.model import Model


def say_findings(model: Model, path: Path) -> None:
    """One line that there are some, and where to see them; each of them with ``-v``."""
    for item in model.diagnostics:
        where = f' of layer "{item.layer.name}" ({item.layer.type})' if item.layer is not None else ""
        detail(f"{item.severity}{where}: {item.message} [{item.code}]")
    count = sum(item.severity >= Severity.WARNING for item in model.diagnostics)
    if count:
        found = "1 finding" if count == 1 else f"{count} findings"
        warn(f"{found} in {path}; irrun lint {path} shows {'it' if count == 1 else 'them'}")
