"""Output formats: the exact text of each, and what their consumers make of it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest

from irrun.diagnostics import Anchor, Diagnostic, Edit, Fix, LayerRef, Severity
from irrun.diagnostics.excerpt import excerpted
from irrun.diagnostics.formats import names, render, summary
from irrun.diagnostics.render import Finding
from irrun.diagnostics.results import Results, RuleInfo
from irrun.diagnostics.statistics import as_json, as_text
from irrun.document import SourceMap

ROOT = Path(__file__).resolve().parents[2]
TEXT = '<net name="größer" version="11">\n    <dim>4</dim>\n    <dim>5</dim>\n</net>\n'
DATA = TEXT.encode()
RULES = {
    "IR401": RuleInfo(
        "IR401",
        "wrong-output-dims",
        Severity.ERROR,
        "The dims are wrong.",
        "The dims are wrong.\n\n## What it does\nLooks at `<dim>`.",
        "https://irrun.dev/rules/wrong-output-dims",
    ),
    "IR105": RuleInfo("IR105", "unknown-attribute", Severity.WARNING, "Unknown.", "Unknown.", ""),
}
EDIT = DATA.index(b"4"), DATA.index(b"4") + 1

WRONG = Diagnostic(
    "IR401",
    "output port 0 is declared [4], inferred [3]",
    Anchor(1, "text"),
    layer=LayerRef("7", "pad, 100%", "Pad", "opset12"),
    port="0",
    declared="[4]",
    inferred="[3]",
    notes=("the input repeats it",),
    fix=Fix("write 3", (Edit(*EDIT, "3"),)),
)
ODD = Diagnostic("IR105", "name: unknown", Anchor(0, "value", "version"), Severity.WARNING)
MILD = Diagnostic("IR600", "said in passing", Anchor(0, "tag"), Severity.INFO)


def findings(*diagnostics: Diagnostic, filename: str = "models/a b.xml") -> list[Finding]:
    source = SourceMap(DATA)
    known = {code: (rule.name, rule.url) for code, rule in RULES.items()}
    return [Finding(item, filename, source, *known.get(item.code, ("", ""))) for item in diagnostics]


@pytest.fixture
def results(tmp_path: Path) -> Results:
    """Three findings in one file, none in another; files are named relative to the root."""
    first, second = str(tmp_path / "models" / "a b.xml"), str(tmp_path / "ok.xml")
    found = excerpted(findings(ODD, WRONG, MILD, filename=first))
    return Results(found, [first, second], 12, RULES, tmp_path, "1.2.3")


@pytest.fixture
def nothing(tmp_path: Path) -> Results:
    return Results((), [str(tmp_path / "ok.xml")], 3, RULES, tmp_path, "1.2.3")


def many(count: int) -> list[Diagnostic]:
    return [MILD if index % 2 else WRONG for index in range(count)]


def test_each_format_is_a_file() -> None:
    assert names() == (
        "concise",
        "full",
        "github",
        "gitlab",
        "grouped",
        "json",
        "json-lines",
        "junit",
        "rdjson",
        "sarif",
    )


def test_full(results: Results, tmp_path: Path) -> None:
    path = tmp_path / "models" / "a b.xml"
    assert render("full", results) == (
        f"{path}:1:29: warning: name: unknown [IR105]\n"
        "  |\n"
        '1 | <net name="größer" version="11">\n'
        "  |                             ^^\n"
        f'{path}:2:10: error: Pad 7 "pad, 100%": output port 0 is declared [4], inferred [3] [IR401]\n'
        "  |\n"
        "2 |     <dim>4</dim>\n"
        "  |          ^\n"
        "  = the input repeats it\n"
        "  = fix: write 3\n"
        f"{path}:1:1: info: said in passing [IR600]\n"
        "  |\n"
        '1 | <net name="größer" version="11">\n'
        "  | ^^^^"
    )


def test_concise(results: Results, tmp_path: Path) -> None:
    path = tmp_path / "models" / "a b.xml"
    assert render("concise", results).splitlines() == [
        f"{path}:1:29: warning: name: unknown [IR105]",
        f'{path}:2:10: error: Pad 7 "pad, 100%": output port 0 is declared [4], inferred [3] [IR401]',
        f"{path}:1:1: info: said in passing [IR600]",
    ]


def test_grouped() -> None:
    found = [*findings(ODD, WRONG, filename="a.xml"), *findings(MILD, filename="b.xml")]
    assert render("grouped", Results(found)) == (
        "a.xml:\n"
        "  1:29  warning  IR105  name: unknown\n"
        '  2:10  error    IR401  Pad 7 "pad, 100%": output port 0 is declared [4], inferred [3]\n'
        "\n"
        "b.xml:\n"
        "  1:1  info  IR600  said in passing"
    )


def test_grouped_in_colour() -> None:
    assert render("grouped", Results(findings(MILD, filename="b.xml"), colour=True)) == (
        "\x1b[1mb.xml\x1b[0m:\n  1:1  \x1b[36minfo\x1b[0m  IR600  said in passing"
    )


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
        "url": "https://irrun.dev/rules/wrong-output-dims",
    }


def test_json_lines_are_the_objects_of_json(results: Results) -> None:
    lines = render("json-lines", results).splitlines()
    assert [json.loads(line) for line in lines] == json.loads(render("json", results))


def test_junit(results: Results) -> None:
    said = "Pad 7 {0}pad, 100%{0}: output port 0 is declared [4], inferred [3]"
    assert render("junit", results) == (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<testsuites name="irrun" tests="4" failures="3" errors="0">\n'
        '  <testsuite name="models/a b.xml" tests="3" failures="3" errors="0" skipped="0" package="irrun">\n'
        '    <testcase name="IR105" classname="models/a b.xml">\n'
        '      <failure type="warning" message="name: unknown">line 1, column 29: name: unknown</failure>\n'
        "    </testcase>\n"
        '    <testcase name="IR401" classname="models/a b.xml">\n'
        f'      <failure type="error" message="{said.format("&quot;")}">'
        f"line 2, column 10: {said.format(chr(34))}\n"
        "the input repeats it</failure>\n"
        "    </testcase>\n"
        '    <testcase name="IR600" classname="models/a b.xml">\n'
        '      <failure type="info" message="said in passing">line 1, column 1: said in passing</failure>\n'
        "    </testcase>\n"
        "  </testsuite>\n"
        '  <testsuite name="ok.xml" tests="1" failures="0" errors="0" skipped="0" package="irrun">\n'
        '    <testcase name="irrun lint" classname="ok.xml" />\n'
        "  </testsuite>\n"
        "</testsuites>"
    )


def test_junit_is_read_by_its_consumers(results: Results) -> None:
    junitparser = pytest.importorskip("junitparser", reason="junitparser is not installed")
    report = junitparser.JUnitXml.fromstring(render("junit", results).encode())
    assert [(suite.name, suite.tests, suite.failures, suite.errors) for suite in report] == [
        ("models/a b.xml", 3, 3, 0),
        ("ok.xml", 1, 0, 0),
    ]
    cases = [case for suite in report for case in suite]
    assert [(case.name, case.classname, case.is_passed) for case in cases] == [
        ("IR105", "models/a b.xml", False),
        ("IR401", "models/a b.xml", False),
        ("IR600", "models/a b.xml", False),
        ("irrun lint", "ok.xml", True),
    ]
    assert [(failure.type, failure.message) for case in cases[:1] for failure in case.result] == [
        ("warning", "name: unknown")
    ]


JUNIT_ATTRIBUTES = {
    "testsuites": {"name", "time", "tests", "failures", "errors"},
    "testsuite": {"name", "tests", "failures", "errors", "skipped", "time", "timestamp", "hostname", "id", "package"},
    "testcase": {"name", "time", "classname", "group"},
    "failure": {"type", "message"},
}
"""What the schema of Jenkins' xUnit plugin, junit-10.xsd, lets these elements have."""


def test_junit_has_no_attribute_that_jenkins_refuses(results: Results) -> None:
    root = ElementTree.fromstring(render("junit", results))
    for element in root.iter():
        assert set(element.attrib) <= JUNIT_ATTRIBUTES[element.tag]


def test_junit_of_text_that_xml_cannot_hold() -> None:
    odd = Diagnostic("IR600", "a\x1b[31m\x00b\ud800c\ufffe", Anchor(0))
    text = render("junit", Results(findings(odd, filename="a\x07.xml")))
    (failure,) = ElementTree.fromstring(text.encode("utf-8")).iter("failure")
    assert failure.get("message") == "a\ufffd[31m\ufffdb\ufffdc\ufffd"


def test_github(results: Results) -> None:
    assert render("github", results).splitlines() == [
        "::error title=irrun IR401 wrong-output-dims,file=models/a b.xml,line=2,endLine=2,col=10,endColumn=11::"
        'Pad 7 "pad, 100%25": output port 0 is declared [4], inferred [3]%0Athe input repeats it',
        "::warning title=irrun IR105 unknown-attribute,file=models/a b.xml,line=1,endLine=1,col=29,endColumn=31::"
        "name: unknown",
        "::notice title=irrun IR600,file=models/a b.xml,line=1,endLine=1,col=1,endColumn=5::said in passing",
    ]


def test_github_properties_are_escaped() -> None:
    (line,) = render("github", Results(findings(MILD, filename="a,b:c%.xml"))).splitlines()
    assert ",file=a%2Cb%3Ac%25.xml,line=1," in line


def test_github_of_a_range_of_lines_has_no_columns() -> None:
    long = Diagnostic("IR600", "long", Anchor(offset=0, length=len(DATA) - 7))
    assert render("github", Results(findings(long))) == (
        "::error title=irrun IR600,file=models/a b.xml,line=1,endLine=4::long"
    )


@pytest.mark.parametrize(
    ("count", "last"),
    [
        (10, "said in passing"),
        (11, "::notice title=irrun::and 1 more finding, in the summary of the run"),
        (25, "::notice title=irrun::and 15 more findings, in the summary of the run"),
    ],
)
def test_github_shows_the_severest_ten(count: int, last: str) -> None:
    lines = render("github", Results(findings(*many(count)))).splitlines()
    errors = (count + 1) // 2
    assert len(lines) == min(count, 10) + (count > 10)
    assert [line.startswith("::error") for line in lines[:10]] == [index < errors for index in range(10)]
    assert lines[-1].endswith(last)


def test_github_summary(results: Results) -> None:
    assert summary("github", results) == (
        "### irrun\n"
        "\n"
        "2 files checked, 12 output ports verified: 3 findings.\n"
        "\n"
        "| place | severity | rule | finding |\n"
        "|---|---|---|---|\n"
        "| models/a b.xml:1:29 | warning | IR105 | name: unknown |\n"
        "| models/a b.xml:2:10 | error | [IR401](https://irrun.dev/rules/wrong-output-dims) "
        '| Pad 7 "pad, 100%": output port 0 is declared \\[4\\], inferred \\[3\\] |\n'
        "| models/a b.xml:1:1 | info | IR600 | said in passing |\n"
    )


def test_github_summary_of_nothing(nothing: Results) -> None:
    assert summary("github", nothing) == "### irrun\n\n1 file checked, 3 output ports verified: all is well.\n"


def test_github_summary_is_safe_and_bounded() -> None:
    odd = Diagnostic("IR600", "<b>|`*_\\&", Anchor(0), Severity.INFO)
    text = summary("github", Results(findings(*[odd] * 1001)))
    assert text is not None
    assert "| &lt;b>\\|\\`\\*\\_\\\\&amp; |" in text
    assert (text.count("| info |"), text.endswith("\n\nand 1 more\n")) == (1000, True)


def test_only_github_has_a_summary(results: Results) -> None:
    assert [name for name in names() if summary(name, results) is not None] == ["github"]


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
    assert (report["source"], report["severity"]) == ({"name": "irrun", "url": "https://irrun.dev"}, "ERROR")
    assert [item["severity"] for item in report["diagnostics"]] == ["WARNING", "ERROR", "INFO"]
    assert report["diagnostics"][1] == {
        "message": 'Pad 7 "pad, 100%": output port 0 is declared [4], inferred [3]\nthe input repeats it',
        "location": {
            "path": "models/a b.xml",
            "range": {"start": {"line": 2, "column": 10}, "end": {"line": 2, "column": 11}},
        },
        "severity": "ERROR",
        "code": {"value": "IR401", "url": "https://irrun.dev/rules/wrong-output-dims"},
        "suggestions": [{"range": {"start": {"line": 2, "column": 10}, "end": {"line": 2, "column": 11}}, "text": "3"}],
    }


def test_rdjson_counts_columns_in_bytes(results: Results) -> None:
    report = json.loads(render("rdjson", results))
    found = report["diagnostics"][0]["location"]["range"]
    assert found == {"start": {"line": 1, "column": 31}, "end": {"line": 1, "column": 33}}
    assert DATA.splitlines()[0][30:32] == b"11"


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
        "helpUri": "https://irrun.dev/rules/wrong-output-dims",
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
    """The properties of a pydantic model, and of those inside it, that its class does not declare."""
    if isinstance(model, list | tuple):
        for item in model:
            yield from unknown(item)
    if hasattr(model, "model_extra"):
        yield from model.model_extra or ()
        for name in type(model).model_fields:
            yield from unknown(getattr(model, name))


def test_sarif_is_read_by_its_consumers(results: Results, nothing: Results) -> None:
    """As the published model of SARIF 2.1.0 in Python, which knows every property but columnKind."""
    module = pytest.importorskip("sarif_pydantic", reason="sarif-pydantic is not installed")
    log = module.Sarif.model_validate_json(render("sarif", results), strict=False)
    assert [item.rule_id for item in log.runs[0].results] == ["IR105", "IR401", "IR600"]
    assert log.runs[0].results[1].locations[0].physical_location.region.start_line == 2
    assert list(unknown(log)) == ["columnKind"]
    assert module.Sarif.model_validate_json(render("sarif", nothing)).runs[0].results == []


@pytest.mark.skipif(
    "SARIF_SCHEMA" not in os.environ,
    reason="no package carries the OASIS schema; SARIF_SCHEMA=sarif-schema-2.1.0.json says where it is",
)
def test_sarif_is_valid(results: Results, nothing: Results) -> None:
    schema = json.loads(Path(os.environ["SARIF_SCHEMA"]).read_text("utf-8"))
    validator = jsonschema.validators.validator_for(schema)(schema)
    for item in (results, nothing):
        assert [error.message for error in validator.iter_errors(json.loads(render("sarif", item)))] == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("full", ""),
        ("concise", ""),
        ("grouped", ""),
        ("json", "[]"),
        ("json-lines", ""),
        ("github", ""),
        ("gitlab", "[]"),
    ],
)
def test_nothing_found(nothing: Results, name: str, text: str) -> None:
    assert render(name, nothing) == text


def test_nothing_found_for_programs(nothing: Results) -> None:
    assert json.loads(render("rdjson", nothing))["diagnostics"] == []
    assert json.loads(render("sarif", nothing))["runs"][0]["results"] == []
    suites = ElementTree.fromstring(render("junit", nothing))
    assert [(suite.get("tests"), suite.get("failures")) for suite in suites] == [("1", "0")]


@pytest.mark.parametrize("name", ["full", "concise", "grouped", "github", "junit"])
def test_nothing_reaches_the_terminal_that_it_would_obey(name: str) -> None:
    """Escape sequences, line ends, and letters that turn the direction of writing."""
    hostile = "\x1b]0;x\x07\x9b31m\r\n\u202egnp\u2066"
    source = SourceMap(f'<net name="{hostile}" version="11"/>'.encode())
    layer = LayerRef("1", hostile, "Pad", "opset1")
    fix = Fix(f"write {hostile}", (Edit(0, 1, ""),))
    item = Diagnostic("IR600", hostile, Anchor(offset=0), layer=layer, notes=(hostile,), fix=fix)
    text = render(name, Results([Finding(item, f"{hostile}.xml", source)]))
    assert [letter for letter in text if not letter.isprintable() and letter != "\n"] == []


def test_excerpts_answer_what_formats_ask(results: Results, tmp_path: Path) -> None:
    whole = findings(ODD, WRONG, MILD, filename=results.files[0])
    entire = Results(whole, results.files, 12, RULES, tmp_path, "1.2.3")
    for name in names():
        assert render(name, results) == render(name, entire)


def test_statistics() -> None:
    found = Results(findings(MILD, WRONG, WRONG, ODD), ["a.xml"], 12)
    assert as_text(found) == (
        "2  IR401  error    wrong-output-dims\n"
        "1  IR105  warning  unknown-attribute\n"
        "1  IR600  info     \n"
        "1 file checked, 12 output ports verified"
    )
    assert json.loads(as_json(found)) == {
        "statistics": [
            {"code": "IR401", "name": "wrong-output-dims", "severity": "error", "count": 2},
            {"code": "IR105", "name": "unknown-attribute", "severity": "warning", "count": 1},
            {"code": "IR600", "name": "", "severity": "info", "count": 1},
        ],
        "files": 1,
        "ports": 12,
    }
