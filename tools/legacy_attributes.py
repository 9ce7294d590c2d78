"""The page of attributes that old writers left and no reader uses."""

from __future__ import annotations

from collections.abc import Iterable

from irrun.ops.declaration import ANYWHERE, Legacy
from irrun.ops.registry import declarations


def page() -> str:
    """Return a table of them, by operation."""
    lines = [
        "# Legacy attributes",
        "",
        "`tools/generate.py` makes this page from the declarations. Writers of earlier releases left these attributes,",
        "which have no meaning: OpenVINO ignores them, and so does irrun, without a finding.",
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
