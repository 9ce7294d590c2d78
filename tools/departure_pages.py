"""The sections of ``docs/openvino-faults.md``: departures of OpenVINO's CPU plugin, as operations declare them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from irrun.ops.departures import GENERAL
from irrun.ops.registry import declarations
from irrun.ops.spec import OpSpec
from tests.lab import records
from tests.lab.releases import departures
from tests.lab.releases.shown import ABSENT
from tools.markdown import cell

BEGIN, END = "<!-- departures: begin -->", "<!-- departures: end -->"
ARCHIVE: Final = f"faults/{departures.FILES.name}"


def page(path: Path) -> str:
    """Return the page with the sections of today."""
    text = path.read_text(encoding="utf-8")
    head, _, rest = text.partition(BEGIN)
    _, _, tail = rest.partition(END)
    general = [f"* {cell(text)}" for text in GENERAL.values()]
    return head + "\n".join([BEGIN, *general, *_sections(), "", END]) + tail


def _sections() -> Iterator[str]:
    """Yield the lines of a section for each type of operation that departs."""
    specs = sorted((cls.spec for cls in declarations()), key=lambda spec: (spec.type.lower(), spec.version))
    for name, versions in groupby((spec for spec in specs if spec.departures), key=lambda spec: spec.type):
        yield from ("", f"### {name}", "")
        entries: dict[tuple[str, str, str], list[tuple[OpSpec, str]]] = {}
        for spec in versions:
            for key, text in spec.departures.items():
                entry = text, spec.workarounds.get(key, "none known"), _releases(spec, key)
                entries.setdefault(entry, []).append((spec, key))
        for (text, instead, releases), shown in entries.items():
            yield f"* **{cell(text)}**<br>"
            yield f"  *Instead:* {cell(instead)}<br>"
            yield f"  {', '.join(_version(spec) for spec, _ in shown)}, {releases}{_files(shown)}"


def _version(spec: OpSpec) -> str:
    return f"[{spec.version}]({spec.page.removeprefix('docs/')})" if spec.page else spec.version


def _releases(spec: OpSpec, key: str) -> str:
    """Say which releases depart, or why no file shows it."""
    version = departures.versioned(spec)
    if (version, key) in ABSENT:
        return f"no file: {ABSENT[version, key]}"
    record = _record()
    return departures.since(record["releases"], record["departures"][version][key])


def _files(shown: Sequence[tuple[OpSpec, str]]) -> str:
    """Return links to the archive, with the names of the folders in it."""
    names = [(departures.versioned(spec), key) for spec, key in shown]
    links = [f"[{departures.name(*name)}]({ARCHIVE})" for name in names if name not in ABSENT]
    return f": {', '.join(links)}" if links else ""


@cache
def _record() -> dict[str, Any]:
    return records.read(departures.DATA)
