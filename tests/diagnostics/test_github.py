"""GitHub's annotations, and the summary of a run."""

from __future__ import annotations

import pytest

from irrun.diagnostics import Anchor, Diagnostic, Severity
from irrun.diagnostics.formats import names, render, summary
from irrun.diagnostics.results import Results
from tests.diagnostics.support import DATA, MILD, PAGE, findings, many


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
        f"| models/a b.xml:2:10 | error | [IR401]({PAGE}) "
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


def test_github_of_a_run_that_failed(failed: Results) -> None:
    assert render("github", failed).splitlines() == [
        "::error file=a|b.xml,title=irrun::a|b.xml: Permission denied",
        "::error title=irrun::q*: no IR file was found",
    ]
    assert summary("github", failed) == (
        "### irrun\n"
        "\n"
        "1 file checked, 3 output ports verified, "
        '3 not verified (Tile "t": repeats is unknown; Pad: pads\\_end is unknown): '
        "no findings, 1 file could not be checked.\n"
        "\n"
        "| not checked | reason |\n"
        "|---|---|\n"
        "| a\\|b.xml | a\\|b.xml: Permission denied |\n"
        "| irrun | q\\*: no IR file was found |\n"
    )
