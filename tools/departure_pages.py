"""The tables of ``docs/openvino-faults.md``: departures of OpenVINO's CPU plugin, as operations declare them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from irrun.ops.departures import GENERAL
from irrun.ops.registry import declarations
from tests.lab import records
from tests.lab.conformance.page import linked
from tests.lab.releases import departures
from tests.lab.releases.shown import ABSENT
from tools.markdown import cell

BEGIN, END = "<!-- departures: begin -->", "<!-- departures: end -->"
HEAD = "| operation | version | OpenVINO's CPU plugin | releases | instead | file |", "|---|---|---|---|---|---|"


def page(path: Path) -> str:
    """Return the page with the tables of today."""
    text = path.read_text(encoding="utf-8")
    head, _, rest = text.partition(BEGIN)
    _, _, tail = rest.partition(END)
    general = [f"* {cell(text)}" for text in GENERAL.values()]
    return head + "\n".join([BEGIN, *general, "", *HEAD, *_rows(), END]) + tail


def _rows() -> Iterator[str]:
    record = records.read(departures.DATA)
    for cls in sorted(declarations(), key=lambda cls: (cls.spec.type.lower(), cls.spec.version)):
        version = departures.versioned(cls.spec)
        outcomes = record["departures"].get(version, {})
        for key, text in cls.spec.departures.items():
            instead = cell(cls.spec.workarounds.get(key, "none known"))
            shown = (
                [departures.since(record["releases"], outcomes[key]), instead, f"`{departures.name(version, key)}`"]
                if key in outcomes
                else ["", instead, ABSENT[version, key]]
            )
            yield f"| {' | '.join([linked(cls.spec), cls.spec.version, cell(text), *shown])} |"
