"""The schemas that ``irrun schema`` prints, by name."""

from __future__ import annotations

from irrun.cli.records import LINT_RECORDS, RECORDS
from irrun.ops.available import BUILT_IN, Operations
from irrun.schema import record_schema, relaxng, xsd
from irrun.settings.known import schema as settings_schema

_FILES = {
    "rng": "ir-v11.rng",
    "xsd": "ir-v11.xsd",
    "settings": "irrun.schema.json",
    "report": "lint-report.schema.json",
}
"""The files of the repository that are not called after the schema."""


def names() -> list[str]:
    """Return the names of all schemas: those of files, those of the linter, and the commands."""
    return ["rng", "xsd", "settings", *LINT_RECORDS, *RECORDS]


def schema(name: str, operations: Operations = BUILT_IN) -> str:
    """Return a schema as text. ``operations`` are those that RELAX NG knows. KeyError for an unknown name."""
    if name == "rng":
        return relaxng(operations)
    if name == "xsd":
        return xsd()
    if name == "settings":
        return settings_schema()
    if name in LINT_RECORDS:
        record, title = LINT_RECORDS[name]
        return record_schema(record, title, "Rows and columns count from 1, columns in characters.")
    return record_schema(RECORDS[name], f"irrun {name} --json")


def files() -> dict[str, str]:
    """Return the name of the file in ``schemas/`` of each schema."""
    return {name: _FILES.get(name, f"{name.replace(' ', '-')}.schema.json") for name in names()}
