"""JUnit XML: a test suite for each file, with a failed test case for each finding, or a passed one without findings.

Follows the schema of Jenkins' xUnit plugin, ``junit-10.xsd``.
"""

from __future__ import annotations

from collections import defaultdict
from xml.etree import ElementTree

from irrun.diagnostics.render import Finding, message, plain
from irrun.diagnostics.results import Results


def render(results: Results) -> str:
    by_file: dict[str, list[Finding]] = defaultdict(list, {filename: [] for filename in results.files})
    for finding in results.findings:
        by_file[finding.filename].append(finding)
    total = len(results.findings)
    counts = {"tests": str(sum(max(len(found), 1) for found in by_file.values())), "failures": str(total)}
    root = ElementTree.Element("testsuites", {"name": "irrun", **counts, "errors": "0"})
    for filename, found in by_file.items():
        _suite(root, plain(results.relative(filename)), found)
    ElementTree.indent(root)
    declaration = '<?xml version="1.0" encoding="UTF-8"?>\n'
    return declaration + ElementTree.tostring(root, encoding="unicode")


def _suite(root: ElementTree.Element, filename: str, found: list[Finding]) -> None:
    counts = {"tests": str(max(len(found), 1)), "failures": str(len(found)), "errors": "0", "skipped": "0"}
    suite = ElementTree.SubElement(root, "testsuite", {"name": filename, **counts, "package": "irrun"})
    if not found:
        ElementTree.SubElement(suite, "testcase", {"name": "irrun lint", "classname": filename})
    for finding in found:
        diagnostic, place = finding.diagnostic, finding.place
        case = ElementTree.SubElement(suite, "testcase", {"name": diagnostic.code, "classname": filename})
        said = message(diagnostic)
        failure = ElementTree.SubElement(case, "failure", {"type": str(diagnostic.severity), "message": said})
        notes = [plain(note) for note in diagnostic.notes]
        failure.text = "\n".join([f"line {place.row}, column {place.column}: {said}", *notes])
