"""Findings for the tests of the output formats."""

from __future__ import annotations

from pathlib import Path

from irrun.diagnostics import Anchor, Diagnostic, Edit, Fix, LayerRef, Severity
from irrun.diagnostics.render import Finding
from irrun.diagnostics.results import ADDRESS, RuleInfo
from irrun.document.source_map import SourceMap

ROOT = Path(__file__).resolve().parents[2]
PAGE = f"{ADDRESS}/blob/main/docs/rules/wrong-output-dims.md"
TEXT = '<net name="größer" version="11">\n    <dim>4</dim>\n    <dim>5</dim>\n</net>\n'
DATA = TEXT.encode()
RULES = {
    "IR401": RuleInfo(
        "IR401",
        "wrong-output-dims",
        Severity.ERROR,
        "The dims are wrong.",
        "The dims are wrong.\n\n## What it does\nLooks at `<dim>`.",
        PAGE,
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


def many(count: int) -> list[Diagnostic]:
    return [MILD if index % 2 else WRONG for index in range(count)]
