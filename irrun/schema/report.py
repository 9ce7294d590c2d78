"""JSON schema of the report that ``irrun lint --output-format json`` prints."""

from __future__ import annotations

import json
from typing import Any


def report_schema() -> str:
    """Return the schema as text, draft 2020-12."""
    place = _object({"row": {"type": "integer", "minimum": 1}, "column": {"type": "integer", "minimum": 1}})
    edit = _object({"content": _text(), "location": place, "end_location": place})
    layer = _object({"id": _text(), "name": _text(), "type": _text(), "version": _text()})
    fix = _object(
        {
            "applicability": {"enum": ["safe", "unsafe"]},
            "message": _text(),
            "edits": {"type": "array", "items": edit},
        }
    )
    finding = _object(
        {
            "code": {"type": "string", "pattern": "^[A-Z]+[0-9]{3}$", "description": "stable code of the rule"},
            "name": {"type": "string", "description": "name of the rule, in kebab case"},
            "severity": {"enum": ["info", "warning", "error"]},
            "message": _text(),
            "filename": _text(),
            "location": place,
            "end_location": place,
            "layer": _or_null(layer),
            "port": _or_null(_text()),
            "declared": _or_null({"type": "string", "description": "what the file says"}),
            "inferred": _or_null({"type": "string", "description": "what follows from the rest of the file"}),
            "notes": {"type": "array", "items": _text()},
            "fix": _or_null(fix),
            "url": _text(),
        }
    )
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "irrun lint report",
        "description": "Rows and columns count from 1, columns in characters.",
        "type": "array",
        "items": finding,
    }
    return json.dumps(schema, indent=2) + "\n"


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [schema, {"type": "null"}]}


def _text() -> dict[str, Any]:
    return {"type": "string"}
