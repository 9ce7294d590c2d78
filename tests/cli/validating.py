"""Validates the JSON that commands print with the schemas that ``irrun schema`` prints."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from typing import Any, Final

from irrun.cli.records import RECORDS
from irrun.cli.schemas import schema

_OF_LINT: Final = {"json": "report", "json-report": "lint-run"}


@cache
def validator(name: str) -> Any:
    """Return a validator of a schema."""
    import jsonschema

    found = json.loads(schema(name))
    jsonschema.Draft202012Validator.check_schema(found)
    return jsonschema.Draft202012Validator(found)


def schema_of(arguments: Sequence[str]) -> str | None:
    """Return the name of the schema of what a command line prints; None where it asks for no JSON."""
    asked = [word for word in arguments if word in ("--json", "json", "json-report", "text")]
    if not asked or asked[-1] == "text":
        return None
    if "--show-settings" in arguments:
        return "show-settings"
    if arguments[0] == "lint":
        return "lint-statistics" if "--statistics" in arguments else _OF_LINT[asked[-1].removeprefix("--")]
    return next((name for name in (" ".join(arguments[:2]), arguments[0]) if name in RECORDS), None)


def validate(arguments: Sequence[str], printed: str) -> None:
    """Assert that JSON that a command printed fits its schema; nothing where jsonschema is not installed."""
    name = schema_of(arguments) if printed else None
    if name is not None and find_spec("jsonschema") is not None:
        errors = [f"{error.json_path}: {error.message}" for error in validator(name).iter_errors(json.loads(printed))]
        assert not errors, (name, errors[:3])
