"""The settings of the linter as ``irrun lint --show-settings`` prints them."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

from irrun.cli.tables import columns, listed
from irrun.linter.configuration import Configuration
from irrun.linter.rule import rules


def settings_of(path: Path, codes: Collection[str], here: Configuration, given: dict[str, Any]) -> dict[str, Any]:
    """Return the settings that apply to a file: the rules in ``codes``, what is ``given``, and the configuration."""
    left = {
        "exclude": list(here.exclude),
        "fail-level": str(here.fail_level) if here.fail_level is not None else "warning",
        "output-format": here.output_format or "full",
        "baseline": None if here.baseline is None else str(here.baseline),
        "target-version": here.target_version,
        "target-precision": here.target_precision,
        "max-memory": here.max_memory,
        "for": list(here.purposes),
    }
    return {
        "file": str(path),
        "configuration": None if here.file is None else str(here.file),
        "rules": sorted(codes),
        **{key: given[key] if given.get(key) else value for key, value in left.items()},
    }


def text(settings: dict[str, Any]) -> str:
    """Format settings as a table."""
    rows = [(key, _said(key, value)) for key, value in settings.items()]
    return "\n".join(listed(rows, columns()))


def _said(key: str, value: Any) -> str:
    if key == "rules":
        return _rules(value)
    if isinstance(value, list):
        return ", ".join(value) or "none"
    return "none" if value is None else str(value)


def _rules(codes: Collection[str]) -> str:
    known = rules()
    without = [code for code in known if code not in codes]
    if not without:
        return f"all {len(known)}"
    if len(without) < len(codes):
        return f"{len(codes)} of {len(known)}, without {', '.join(without)}"
    return f"{len(codes)} of {len(known)}: {', '.join(sorted(codes)) or 'none'}"
