"""The page of attributes that old writers left and nobody reads."""

from __future__ import annotations

from collections.abc import Iterable

from irrun.ops.declaration import ANYWHERE, Legacy
from irrun.ops.registry import declarations


def page() -> str:
    """A table of them, by operation."""
    lines = [
        "# Legacy attributes",
        "",
        "Made by `tools/generate.py` from the declarations. These attributes are found in IRs of earlier releases and",
        "mean nothing: OpenVINO passes over them, and so does irrun, in silence.",
        "",
        "| operation | version | attributes | left by |",
        "|---|---|---|---|",
        *_rows("any", "", ANYWHERE),
    ]
    for cls in declarations():
        lines += _rows(cls.type, cls.spec.version, cls.legacy)
    return "\n".join(lines) + "\n"


def _rows(type: str, version: str, legacy: Iterable[Legacy]) -> list[str]:
    return [f"| {type} | {version} | {', '.join(f'`{name}`' for name in item.names)} | {item} |" for item in legacy]
