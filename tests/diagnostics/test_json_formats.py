"""The JSON formats: irrun's own, GitLab's and reviewdog's."""

from __future__ import annotations

import json

import pytest

from irrun.cli.schemas import schema
from irrun.diagnostics.formats import render
from irrun.diagnostics.results import ADDRESS, Results
from tests.diagnostics.support import DATA, PAGE, ROOT, findings, many

jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")


def test_json_is_the_report_of_the_schema(results: Results) -> None:
    report = json.loads(render("json", results))
    jsonschema.validate(report, json.loads((ROOT / "schemas" / "lint-report.schema.json").read_text("utf-8")))
    assert [item["code"] for item in report] == ["IR105", "IR401", "IR600"]
    assert report[1] == {
        "code": "IR401",
        "name": "wrong-output-dims",
        "severity": "error",
        "message": "output port 0 is declared [4], inferred [3]",
        "filename": results.files[0],
        "location": {"row": 2, "column": 10},
        "end_location": {"row": 2, "column": 11},
        "layer": {"id": "7", "name": "pad, 100%", "type": "Pad", "version": "opset12"},
        "port": "0",
        "declared": "[4]",
        "inferred": "[3]",
        "notes": ["the input repeats it"],
        "fix": {
            "applicability": "safe",
            "message": "write 3",
            "edits": [{"content": "3", "location": {"row": 2, "column": 10}, "end_location": {"row": 2, "column": 11}}],
        },
        "url": PAGE,
    }


def test_json_lines_are_the_objects_of_json(results: Results) -> None:
    lines = render("json-lines", results).splitlines()
    assert [json.loads(line) for line in lines] == json.loads(render("json", results))


def test_gitlab(results: Results) -> None:
    report = json.loads(render("gitlab", results))
    assert report == [
        {
            "description": "name: unknown",
            "check_name": "IR105",
            "fingerprint": "9cd2444da80f974c",
            "severity": "minor",
            "location": {"path": "models/a b.xml", "lines": {"begin": 1, "end": 1}},
        },
        {
            "description": 'Pad 7 "pad, 100%": output port 0 is declared [4], inferred [3]',
            "check_name": "IR401",
            "fingerprint": "ec521879091d7f32",
            "severity": "major",
            "location": {"path": "models/a b.xml", "lines": {"begin": 2, "end": 2}},
        },
        {
            "description": "said in passing",
            "check_name": "IR600",
            "fingerprint": "c8888cb43db5c7cf",
            "severity": "info",
            "location": {"path": "models/a b.xml", "lines": {"begin": 1, "end": 1}},
        },
    ]


def test_gitlab_fingerprints_are_unique() -> None:
    report = json.loads(render("gitlab", Results([*findings(*many(6)), *findings(*many(6), filename="b.xml")])))
    assert len({item["fingerprint"] for item in report}) == 12


def test_rdjson(results: Results) -> None:
    report = json.loads(render("rdjson", results))
    assert (report["source"], report["severity"]) == ({"name": "irrun", "url": ADDRESS}, "ERROR")
    assert [item["severity"] for item in report["diagnostics"]] == ["WARNING", "ERROR", "INFO"]
    assert report["diagnostics"][1] == {
        "message": 'Pad 7 "pad, 100%": output port 0 is declared [4], inferred [3]\nthe input repeats it',
        "location": {
            "path": "models/a b.xml",
            "range": {"start": {"line": 2, "column": 10}, "end": {"line": 2, "column": 11}},
        },
        "severity": "ERROR",
        "code": {"value": "IR401", "url": PAGE},
        "suggestions": [{"range": {"start": {"line": 2, "column": 10}, "end": {"line": 2, "column": 11}}, "text": "3"}],
    }


def test_rdjson_counts_columns_in_bytes(results: Results) -> None:
    report = json.loads(render("rdjson", results))
    found = report["diagnostics"][0]["location"]["range"]
    assert found == {"start": {"line": 1, "column": 31}, "end": {"line": 1, "column": 33}}
    assert DATA.splitlines()[0][30:32] == b"11"


def test_the_report_of_a_run(results: Results, nothing: Results, failed: Results) -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")
    validator = jsonschema.Draft202012Validator(json.loads(schema("lint-run")))
    for item in (results, nothing, failed):
        assert [error.message for error in validator.iter_errors(json.loads(render("json-report", item)))] == []
    found = json.loads(render("json-report", results))
    assert (found["verdict"], found["verified"], found["findings"]) == (
        "3 findings",
        12,
        json.loads(render("json", results)),
    )
    assert json.loads(render("json-report", nothing))["verdict"] == "all is well"
    report = json.loads(render("json-report", failed))
    ok, other = failed.files[0], failed.skipped[0]
    assert (report["verdict"], report["files"]) == ("no findings, 1 file could not be checked", [ok])
    assert report["skipped"] == [other]
    assert [item["message"] for item in report["problems"]] == [
        "a|b.xml: Permission denied",
        "q*: no IR file was found",
    ]
    assert report["unverified"] == [
        {"filename": ok, "reason": 'Tile "t": repeats is unknown', "ports": 2},
        {"filename": ok, "reason": "Pad: pads_end is unknown", "ports": 1},
    ]


def test_failures_in_reports_of_findings(failed: Results) -> None:
    (first, second) = json.loads(render("gitlab", failed))
    assert (first["severity"], first["description"]) == ("blocker", "a|b.xml: Permission denied")
    assert first["location"] == {"path": "a|b.xml", "lines": {"begin": 1}}
    assert second["location"]["path"] == "."
    report = json.loads(render("rdjson", failed))
    assert report["severity"] == "ERROR"
    assert [item["location"] for item in report["diagnostics"]] == [{"path": "a|b.xml"}, {"path": "."}]
