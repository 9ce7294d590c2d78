"""The schemas that ``irrun schema`` prints, by name."""

from __future__ import annotations

from irrun.cli.records import OTHER_RECORDS, RECORDS
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
    """Return the names of all schemas; those of most commands are called like the command."""
    return ["rng", "xsd", "settings", *OTHER_RECORDS, *RECORDS]


def schema(name: str, operations: Operations = BUILT_IN) -> str:
    """Return a schema as text. ``operations`` are those that RELAX NG knows. KeyError for an unknown name."""
    if name == "rng":
        return relaxng(operations)
    if name == "xsd":
        return xsd()
    if name == "settings":
        return settings_schema()
    record, title = OTHER_RECORDS[name] if name in OTHER_RECORDS else (RECORDS[name], f"irrun {name} --json")
    return record_schema(record, title)


def files() -> dict[str, str]:
    """Return the name of the file in ``schemas/`` of each schema."""
    return {name: _FILES.get(name, f"{name.replace(' ', '-')}.schema.json") for name in names()}
