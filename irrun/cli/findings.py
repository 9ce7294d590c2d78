"""Reports the findings of a model that is used in spite of them."""

from __future__ import annotations

from pathlib import Path

from irrun.cli.console import detail, warn
from irrun.diagnostics import Severity, amount
from irrun.model import Loaded


def say_findings(model: Loaded, path: Path) -> None:
    """Print a warning that counts the findings; with ``-v`` print each of them."""
    for item in model.diagnostics:
        where = f' of layer "{item.layer.name}" ({item.layer.type})' if item.layer is not None else ""
        detail(f"{item.severity}{where}: {item.message} [{item.code}]")
    count = sum(item.severity >= Severity.WARNING for item in model.diagnostics)
    if count:
        warn(f"{amount(count, 'finding')} in {path}; irrun lint {path} shows {'it' if count == 1 else 'them'}")
