"""JSON schemas of what ``irrun lint`` prints with ``--output-format json`` and ``json-report``."""

from __future__ import annotations

import json
from typing import Any, Final

_DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"
_PLACES: Final = "Rows and columns count from 1, columns in characters."


def report_schema() -> str:
    """Return the schema of the list of findings as text, draft 2020-12."""
    schema = {
        "$schema": _DRAFT,
        "title": "irrun lint report",
        "description": _PLACES,
        "type": "array",
        "items": _finding(),
    }
    return json.dumps(schema, indent=2) + "\n"


def run_schema() -> str:
    """Return the schema of the report of a whole run as text, draft 2020-12."""
    texts = {"type": "array", "items": _text()}
    count = {"type": "integer", "minimum": 0}
    problem = _object({"filename": {"type": "string", "description": "empty if the run failed"}, "message": _text()})
    unverified = _object({"filename": _text(), "reason": _text(), "ports": {"type": "integer", "minimum": 1}})
    report = _object(
        {
            "version": _text(),
            "verdict": {"type": "string", "description": "all is well, no findings, the number of findings, ..."},
            "files": {**texts, "description": "the files that were checked"},
            "skipped": {**texts, "description": "the files that were found and are not IRs"},
            "problems": {"type": "array", "items": problem, "description": "what could not be checked"},
            "verified": {**count, "description": "output ports that inference confirms"},
            "unverified": {"type": "array", "items": unverified, "description": "output ports that it leaves open"},
            "openvino": _or_null({"type": "string", "description": "the first release that reads the files"}),
            "findings": {"type": "array", "items": _finding()},
        }
    )
    schema = {"$schema": _DRAFT, "title": "irrun lint run", "description": _PLACES, **report}
    return json.dumps(schema, indent=2) + "\n"


def _finding() -> dict[str, Any]:
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
    return _object(
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


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [schema, {"type": "null"}]}


def _text() -> dict[str, Any]:
    return {"type": "string"}
