"""The tables of ``docs/openvino-faults.md``: departures of OpenVINO's CPU plugin, as operations declare them."""

from __future__ import annotations

from pathlib import Path

from irrun.ops.departures import GENERAL
from irrun.ops.registry import declarations
from tests.lab.conformance.page import linked
from tools.markdown import cell

BEGIN, END = "<!-- departures: begin -->", "<!-- departures: end -->"


def page(path: Path) -> str:
    """Return the page with the tables of today."""
    text = path.read_text(encoding="utf-8")
    head, _, rest = text.partition(BEGIN)
    _, _, tail = rest.partition(END)
    rows = [
        f"| {linked(cls.spec)} | {cls.spec.version} | {cell('; '.join(cls.spec.departures.values()))} |"
        for cls in sorted(declarations(), key=lambda cls: (cls.spec.type.lower(), cls.spec.version))
        if cls.spec.departures
    ]
    general = [f"* {cell(text)}" for text in GENERAL.values()]
    lines = [BEGIN, *general, "", "| operation | version | OpenVINO's CPU plugin |", "|---|---|---|", *rows, END]
    return head + "\n".join(lines) + tail
