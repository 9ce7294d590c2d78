"""Records: small JSON files of the answers of other programs, from which pages are made."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[2]
DATA: Final = ROOT / "docs" / "data"
"""The folder of the records."""


def read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def write(path: Path, record: Mapping[str, Any]) -> None:
    """Write a record with sorted entries, one per line, for readable diffs."""
    parts = [f" {json.dumps(key)}: {_value(value)}" for key, value in record.items()]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


def _value(value: Any) -> str:
    if isinstance(value, Mapping) and value:
        entries = [f"{json.dumps(key)}: {_text(item)}" for key, item in sorted(value.items())]
        return "{\n  " + ",\n  ".join(entries) + "\n }"
    if isinstance(value, list) and value:
        return "[\n  " + ",\n  ".join(map(_text, sorted(value))) + "\n ]"
    return _text(value)


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
