"""The page of attributes that old writers wrote and no reader uses."""

from __future__ import annotations

from collections.abc import Iterable

from irrun.ops.declaration import ANYWHERE, Legacy
from irrun.ops.registry import declarations


def page() -> str:
    """Return the page: a table of legacy attributes by operation."""
    lines = [
        "# Legacy attributes",
        "",
        "Made by `tools/generate.py` from the declarations. IRs of earlier releases have these attributes. They have",
        "no effect: OpenVINO ignores them, and so does irrun, without a finding.",
        "",
        "| operation | version | attributes | written by |",
        "|---|---|---|---|",
        *_rows("any", "", ANYWHERE),
    ]
    for cls in declarations():
        lines += _rows(cls.type, cls.spec.version, cls.legacy)
    return "\n".join(lines) + "\n"


def _rows(type: str, version: str, legacy: Iterable[Legacy]) -> list[str]:
    return [f"| {type} | {version} | {', '.join(f'`{name}`' for name in item.names)} | {item} |" for item in legacy]
