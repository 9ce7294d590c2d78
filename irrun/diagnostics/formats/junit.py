"""JUnit XML: a test suite for each file, with a failed test case for each finding, or a passed one without findings.

A file that could not be checked has a test case with an error, one that is not an IR a skipped one. The output of a
suite says which output ports are not verified. Follows the schema of Jenkins' xUnit plugin, ``junit-10.xsd``.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Final
from xml.etree import ElementTree

from irrun.diagnostics.render import Finding, message, plain
from irrun.diagnostics.results import Results
from irrun.diagnostics.verified import not_verified

TELLS_PROBLEMS: Final = True

_LINT = "irrun lint"


def render(results: Results) -> str:
    by_file: dict[str, list[Finding]] = defaultdict(list, {filename: [] for filename in results.files})
    for finding in results.findings:
        by_file[finding.filename].append(finding)
    root = ElementTree.Element("testsuites", {"name": "irrun"})
    for problem in results.problems:
        case = _case(_suite(root, results.relative(problem.filename) if problem.filename else "irrun"), _LINT)
        ElementTree.SubElement(case, "error", {"type": "error", "message": plain(problem.message)})
    for filename, found in by_file.items():
        suite = _suite(root, results.relative(filename))
        for finding in found:
            _failure(suite, finding)
        if not found:
            _case(suite, _LINT)
        if undecided := results.unverified.get(filename):
            ElementTree.SubElement(suite, "system-out").text = plain(not_verified(undecided))
    for filename in results.skipped:
        case = _case(_suite(root, results.relative(filename)), _LINT)
        ElementTree.SubElement(case, "skipped", {"message": "not an IR"})
    for suite in root:
        suite.attrib |= {**_counts(suite), "skipped": str(len(suite.findall("*/skipped"))), "package": "irrun"}
    root.attrib |= _counts(root)
    ElementTree.indent(root)
    declaration = '<?xml version="1.0" encoding="UTF-8"?>\n'
    return declaration + ElementTree.tostring(root, encoding="unicode")


def _suite(root: ElementTree.Element, filename: str) -> ElementTree.Element:
    return ElementTree.SubElement(root, "testsuite", {"name": plain(filename)})


def _case(suite: ElementTree.Element, name: str) -> ElementTree.Element:
    return ElementTree.SubElement(suite, "testcase", {"name": name, "classname": suite.attrib["name"]})


def _failure(suite: ElementTree.Element, finding: Finding) -> None:
    diagnostic, place = finding.diagnostic, finding.place
    said = message(diagnostic)
    case = _case(suite, diagnostic.code)
    failure = ElementTree.SubElement(case, "failure", {"type": str(diagnostic.severity), "message": said})
    notes = [plain(note) for note in diagnostic.notes]
    failure.text = "\n".join([f"line {place.row}, column {place.column}: {said}", *notes])


def _counts(element: ElementTree.Element) -> dict[str, str]:
    found = {"tests": "testcase", "failures": "failure", "errors": "error"}
    return {key: str(sum(1 for _ in element.iter(tag))) for key, tag in found.items()}
