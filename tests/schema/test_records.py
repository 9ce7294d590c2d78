"""JSON schemas of types."""

from __future__ import annotations

import json
from dataclasses import make_dataclass
from pathlib import Path
from typing import NotRequired, TypedDict

import pytest

from irrun.schema import record_schema


class Inner(TypedDict):
    """An inner ``record``."""

    name: NotRequired[str]


class Outer(TypedDict):
    inner: Inner
    pair: tuple[int, str | None]
    numbers: dict[str, list[float]]


def test_types_as_schemas() -> None:
    found = json.loads(record_schema(Outer, "a title"))
    assert found == {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "a title",
        "$ref": "#/$defs/Outer",
        "$defs": {
            "Inner": {
                "description": "An inner record.",
                "type": "object",
                "properties": {"name": {"type": "string"}},
                "required": [],
                "additionalProperties": False,
            },
            "Outer": {
                "type": "object",
                "properties": {
                    "inner": {"$ref": "#/$defs/Inner"},
                    "pair": {
                        "type": "array",
                        "prefixItems": [{"type": "integer"}, {"anyOf": [{"type": "string"}, {"type": "null"}]}],
                        "minItems": 2,
                        "items": False,
                    },
                    "numbers": {
                        "type": "object",
                        "additionalProperties": {"type": "array", "items": {"$ref": "#/$defs/number"}},
                    },
                },
                "required": ["inner", "pair", "numbers"],
                "additionalProperties": False,
            },
            "number": {
                "description": "A number; NaN and infinity, which JSON does not have, are texts.",
                "anyOf": [{"type": "number"}, {"enum": ["NaN", "Infinity", "-Infinity"]}],
            },
        },
    }
    with pytest.raises(TypeError, match="is no record"):
        record_schema(Path, "a path")
    other = make_dataclass("Inner", ["name"])
    with pytest.raises(TypeError, match="two records are called Inner"):
        record_schema(Inner | other, "both")
