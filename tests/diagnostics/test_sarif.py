"""SARIF: its exact text, the standard, and how its consumers read it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from irrun.diagnostics import Anchor, Diagnostic
from irrun.diagnostics.formats import render
from irrun.diagnostics.render import Finding
from irrun.diagnostics.results import ADDRESS, Results
from irrun.document.source_map import SourceMap
from irrun.linter.catalogue import catalogue
from tests.diagnostics.sarif_standard import SCHEMA
from tests.diagnostics.support import DATA, MILD, PAGE, findings

jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")

SARIF_RESULT = {
    "ruleId": "IR401",
    "level": "error",
    "message": {"text": 'Pad 7 "pad, 100%": output port 0 is declared [4], inferred [3]\nthe input repeats it'},
    "locations": [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": "models/a%20b.xml", "uriBaseId": "%SRCROOT%"},
                "region": {"startLine": 2, "startColumn": 10, "endLine": 2, "endColumn": 11},
            },
            "logicalLocations": [{"name": "pad, 100%", "fullyQualifiedName": 'Pad "pad, 100%"'}],
        }
    ],
    "partialFingerprints": {"irrunFinding/v1": "c3ce80938981492d:0"},
    "ruleIndex": 1,
    "fixes": [
        {
            "description": {"text": "write 3"},
            "artifactChanges": [
                {
                    "artifactLocation": {"uri": "models/a%20b.xml", "uriBaseId": "%SRCROOT%"},
                    "replacements": [
                        {
                            "deletedRegion": {"startLine": 2, "startColumn": 10, "endLine": 2, "endColumn": 11},
                            "insertedContent": {"text": "3"},
                        }
                    ],
                }
            ],
            "properties": {"applicability": "safe"},
        }
    ],
}


def test_sarif(results: Results) -> None:
    report = json.loads(render("sarif", results))
    (run,) = report["runs"]
    driver = run["tool"]["driver"]
    assert (report["version"], driver["name"], driver["version"]) == ("2.1.0", "irrun", "1.2.3")
    assert driver["informationUri"] == ADDRESS
    assert run["columnKind"] == "unicodeCodePoints"
    assert [rule["id"] for rule in driver["rules"]] == ["IR105", "IR401"]
    assert driver["rules"][1] == {
        "id": "IR401",
        "name": "WrongOutputDims",
        "shortDescription": {"text": "The dims are wrong."},
        "fullDescription": {"text": "The dims are wrong."},
        "help": {
            "text": "The dims are wrong.\n\nWhat it does\nLooks at <dim>.",
            "markdown": "The dims are wrong.\n\n## What it does\nLooks at `<dim>`.",
        },
        "helpUri": PAGE,
        "defaultConfiguration": {"level": "error"},
    }
    assert [(item["ruleId"], item["level"]) for item in run["results"]] == [
        ("IR105", "warning"),
        ("IR401", "error"),
        ("IR600", "note"),
    ]
    assert run["results"][1] == SARIF_RESULT


def test_sarif_names_a_file_outside_of_the_root_in_full(tmp_path: Path) -> None:
    outside = tmp_path / "out.xml"
    report = json.loads(render("sarif", Results(findings(MILD, filename=str(outside)), root=tmp_path / "project")))
    location = report["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert location == {"uri": outside.as_uri()}


def test_sarif_numbers_equal_findings() -> None:
    report = json.loads(render("sarif", Results(findings(MILD, MILD))))
    marks = [item["partialFingerprints"]["irrunFinding/v1"] for item in report["runs"][0]["results"]]
    assert [mark.partition(":")[2] for mark in marks] == ["0", "1"]
    assert len({mark.partition(":")[0] for mark in marks}) == 1


def unknown(model: Any) -> Iterator[str]:
    """Yield the properties in a pydantic model, at any depth, that its classes do not declare."""
    if isinstance(model, list | tuple):
        for item in model:
            yield from unknown(item)
    if hasattr(model, "model_extra"):
        yield from model.model_extra or ()
        for name in type(model).model_fields:
            yield from unknown(getattr(model, name))


def test_sarif_is_read_by_its_consumers(results: Results, nothing: Results, failed: Results) -> None:
    """The published model of SARIF 2.1.0 in Python knows every property but columnKind and those of notifications."""
    module = pytest.importorskip("sarif_pydantic", reason="sarif-pydantic is not installed")
    log = module.Sarif.model_validate_json(render("sarif", results), strict=False)
    assert [item.rule_id for item in log.runs[0].results] == ["IR105", "IR401", "IR600"]
    assert log.runs[0].results[1].locations[0].physical_location.region.start_line == 2
    assert list(unknown(log)) == ["columnKind"]
    assert module.Sarif.model_validate_json(render("sarif", nothing)).runs[0].results == []
    log = module.Sarif.model_validate_json(render("sarif", failed), strict=False)
    assert list(unknown(log)) == ["columnKind", "toolExecutionNotifications"]
    assert not log.runs[0].invocations[0].execution_successful


def test_sarif_says_whether_the_run_succeeded(results: Results, nothing: Results, failed: Results) -> None:
    for item in (results, nothing):
        (invocation,) = json.loads(render("sarif", item))["runs"][0]["invocations"]
        assert invocation["executionSuccessful"]
        assert "toolExecutionNotifications" not in invocation
    (invocation,) = json.loads(render("sarif", failed))["runs"][0]["invocations"]
    assert not invocation["executionSuccessful"]
    assert invocation["properties"] == {"files": 1, "verifiedPorts": 3, "unverifiedPorts": 3, "skippedFiles": 1}
    assert [(item["level"], item["message"]["text"]) for item in invocation["toolExecutionNotifications"]] == [
        ("error", "a|b.xml: Permission denied"),
        ("error", "q*: no IR file was found"),
        ("note", 'output ports: 3 not verified (Tile "t": repeats is unknown; Pad: pads_end is unknown)'),
    ]


def faults(report: Any) -> list[str]:
    """Return the violations of the standard in a log."""
    return [f"{item.json_path}: {item.message}" for item in jsonschema.Draft202012Validator(SCHEMA).iter_errors(report)]


def test_sarif_keeps_to_the_standard(results: Results, nothing: Results, failed: Results, tmp_path: Path) -> None:
    outside = Results(findings(MILD, filename=str(tmp_path / "out.xml")), root=tmp_path / "project")
    for item in (results, nothing, failed, outside):
        assert faults(json.loads(render("sarif", item))) == []


def test_sarif_of_every_rule_keeps_to_the_standard() -> None:
    known = catalogue()
    every = [Diagnostic(code, "m", Anchor(0), rule.severity) for code, rule in known.items()]
    found = [Finding(item, "a.xml", SourceMap(DATA)) for item in every]
    report = json.loads(render("sarif", Results(found, ["a.xml"], rules=known)))
    assert faults(report) == []
    rules = report["runs"][0]["tool"]["driver"]["rules"]
    assert [rules[item["ruleIndex"]]["id"] for item in report["runs"][0]["results"]] == list(known)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("version",), "2.0.0", "$.version: '2.1.0' was expected"),
        (("runs", 0, "results", 0, "level"), "info", "$.runs[0].results[0].level: 'info' is not one of"),
        (("runs", 0, "tool", "driver", "url"), "x", "$.runs[0].tool.driver: Additional properties are not allowed"),
        (("runs", 0, "results", 0, "message"), {}, "$.runs[0].results[0].message: 'text' is a required property"),
    ],
)
def test_the_standard_refuses(results: Results, path: tuple[Any, ...], value: Any, message: str) -> None:
    report = json.loads(render("sarif", results))
    place = report
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    (fault,) = faults(report)
    assert fault.startswith(message)


@pytest.mark.skipif(
    "SARIF_SCHEMA" not in os.environ,
    reason="no installed package carries the OASIS schema; SARIF_SCHEMA=sarif-schema-2.1.0.json says where it is",
)
def test_sarif_is_valid(results: Results, nothing: Results) -> None:
    schema = json.loads(Path(os.environ["SARIF_SCHEMA"]).read_text("utf-8"))
    validator = jsonschema.validators.validator_for(schema)(schema)
    for item in (results, nothing):
        assert [error.message for error in validator.iter_errors(json.loads(render("sarif", item)))] == []
