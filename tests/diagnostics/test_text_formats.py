"""The formats for a terminal, and the statistics: their exact text."""

from __future__ import annotations

import json
from pathlib import Path

from irrun.diagnostics.formats import render
from irrun.diagnostics.results import Results
from irrun.diagnostics.statistics import as_json, as_text
from tests.diagnostics.support import MILD, ODD, WRONG, findings


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
        "unverified": 0,
        "openvino": None,
    }


def test_statistics_say_what_reads_the_files() -> None:
    found = Results((), ["a.xml"], 12, openvino="2024.0")
    assert as_text(found) == "1 file checked, 12 output ports verified\nneeds OpenVINO 2024.0 or later"
