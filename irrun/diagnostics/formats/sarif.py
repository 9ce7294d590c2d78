"""SARIF 2.1.0: https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/sarif-v2.1.0-errata01-os-complete.html"""

from __future__ import annotations

import json
import re
from typing import Any, Final

from irrun.diagnostics.diagnostic import Fix, Severity
from irrun.diagnostics.fingerprint import counted, layer_name
from irrun.diagnostics.render import FileRange, Finding, message, plain
from irrun.diagnostics.results import ADDRESS, Results, RuleInfo
from irrun.diagnostics.verified import not_verified

TELLS_PROBLEMS: Final = True

SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

_LEVELS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
_ROOT: Final = "%SRCROOT%"


def render(results: Results) -> str:
    used = sorted({finding.diagnostic.code for finding in results.findings} & results.rules.keys())
    order = {code: index for index, code in enumerate(used)}
    driver = {
        "name": "irrun",
        "informationUri": ADDRESS,
        **({"version": results.version} if results.version else {}),
        "rules": [_rule(results.rules[code]) for code in used],
    }
    run = {
        "tool": {"driver": driver},
        "invocations": [_invocation(results)],
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_ROOT: {"description": {"text": "The root of the project."}}},
        "results": [
            _result(finding, f"{mark}:{index}", order, results) for finding, mark, index in counted(results.findings)
        ],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2, ensure_ascii=False)


def _invocation(results: Results) -> dict[str, Any]:
    """Return whether all files were checked, and as notifications what was not checked or not verified."""
    problems = [
        {"level": "error", "message": {"text": plain(item.message)}, **_at(item.filename, results)}
        for item in results.problems
    ]
    undecided = [
        {"level": "note", "message": {"text": f"output ports: {not_verified(items)}"}, **_at(name, results)}
        for name, items in results.unverified.items()
    ]
    counts = {"files": len(results.files), "verifiedPorts": results.ports, "unverifiedPorts": results.undecided}
    return {
        "executionSuccessful": not problems,
        **({"toolExecutionNotifications": [*problems, *undecided]} if problems or undecided else {}),
        "properties": {**counts, "skippedFiles": len(results.skipped)},
    }


def _at(filename: str, results: Results) -> dict[str, Any]:
    where = {"physicalLocation": {"artifactLocation": _artifact(filename, results)}}
    return {"locations": [where]} if filename else {}


def _rule(rule: RuleInfo) -> dict[str, Any]:
    return {
        "id": rule.code,
        "name": "".join(word.capitalize() for word in rule.name.split("-")),
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.summary},
        "help": {"text": _without_marks(rule.explanation), "markdown": rule.explanation},
        **({"helpUri": rule.url} if rule.url else {}),
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
    }


def _without_marks(markdown: str) -> str:
    return re.sub(r"^#+ ", "", markdown, flags=re.M).replace("`", "")


def _result(finding: Finding, mark: str, order: dict[str, int], results: Results) -> dict[str, Any]:
    diagnostic = finding.diagnostic
    location: dict[str, Any] = {
        "physicalLocation": {"artifactLocation": _artifact(finding.filename, results), "region": _region(finding.place)}
    }
    if diagnostic.layer is not None:
        name = layer_name(diagnostic.layer)
        location["logicalLocations"] = [{"name": diagnostic.layer.name or name, "fullyQualifiedName": name}]
    result: dict[str, Any] = {
        "ruleId": diagnostic.code,
        "level": _LEVELS[diagnostic.severity],
        "message": {"text": "\n".join([message(diagnostic), *diagnostic.notes])},
        "locations": [location],
        "partialFingerprints": {"irrunFinding/v1": mark},
    }
    if diagnostic.code in order:
        result["ruleIndex"] = order[diagnostic.code]
    if diagnostic.fix is not None and diagnostic.fix.edits:
        result["fixes"] = [_fix(diagnostic.fix, finding, results)]
    return result


def _fix(fix: Fix, finding: Finding, results: Results) -> dict[str, Any]:
    replacements = [
        {
            "deletedRegion": _region(finding.source.span(edit.start, edit.end)),
            **({"insertedContent": {"text": edit.content}} if edit.content else {}),
        }
        for edit in fix.edits
    ]
    change = {"artifactLocation": _artifact(finding.filename, results), "replacements": replacements}
    return {
        "description": {"text": fix.message},
        "artifactChanges": [change],
        "properties": {"applicability": fix.applicability},
    }


def _artifact(filename: str, results: Results) -> dict[str, str]:
    uri = results.uri(filename)
    return {"uri": uri} if uri.startswith("file:") else {"uri": uri, "uriBaseId": _ROOT}


def _region(place: FileRange) -> dict[str, int]:
    return {
        "startLine": place.row,
        "startColumn": place.column,
        "endLine": place.end_row,
        "endColumn": place.end_column,
    }
