"""Writes the files that are generated from the code: schemas, pages, the output of commands in pages.

``--check`` writes nothing and fails if a file is stale.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from irrun.cli import schemas
from irrun.ops.registry import declarations
from irrun.ops.spec import OpSpec
from tests.cases import all_cases, all_models
from tests.lab.conformance import page as conformance
from tests.lab.conformance.page import linked
from tests.lab.openvino_api import page as openvino_api
from tests.lab.read_model import page as read_model
from tools import command_pages, consoles, departure_pages, legacy_attributes, lowering_places, rule_pages
from tools.markdown import cell

ROOT = Path(__file__).resolve().parents[1]
RULES = ROOT / "docs" / "rules"


def files() -> Iterator[tuple[Path, str]]:
    """Yield every generated file with its text."""
    for name, file in schemas.files().items():
        yield ROOT / "schemas" / file, schemas.schema(name)
    yield ROOT / "docs" / "operations.md", operations()
    yield ROOT / "docs" / "commands.md", command_pages.page()
    faults = ROOT / "docs" / "openvino-faults.md"
    yield faults, departure_pages.page(faults)
    yield ROOT / "docs" / "legacy-attributes.md", legacy_attributes.page()
    yield from rule_pages.pages(RULES)
    yield from read_model.files()
    yield from conformance.files()
    yield from openvino_api.files()
    yield from consoles.pages(ROOT)
    yield ROOT / "irrun" / "runtime" / "lowering" / "places.py", lowering_places.module(ROOT)


def operations() -> str:
    """Return the table of operations, by category."""
    specs = sorted((cls.spec for cls in declarations()), key=lambda spec: (spec.category, spec.type.lower()))
    lines = [
        "# Operations",
        "",
        "`tools/generate.py` makes this page from the declarations. The version is the opset that declares the",
        "operation; later opsets have it too, up to its next version. The types are those of the inputs. *Verified by*",
        "names the sources of the expected outputs: an example of the specification, a formula, OpenVINO's answer.",
    ]
    verified = _verified()
    for category, members in groupby(specs, key=lambda spec: spec.category):
        lines += [
            "",
            f"## {category}",
            "",
            "| operation | version | what it does | types | verified by | notes |",
            "|---|---|---|---|---|---|",
        ]
        lines += [_row(spec, verified.get((spec.type, spec.version), ())) for spec in members]
    return "\n".join(lines) + "\n"


def _verified() -> dict[tuple[str, str], list[str]]:
    """Return the sources of the expected outputs of each operation."""
    found: dict[tuple[str, str], set[str]] = {}
    for case in (*all_cases(), *all_models()):
        version = f"opset{case.opset}" if isinstance(case.opset, int) else case.opset
        sources = found.setdefault((case.type, version), set())
        sources.add({"page": "page example"}.get(case.source, case.source))
        if not case.departs:
            sources.add("oracle")
    return {key: sorted(sources) for key, sources in found.items()}


def _row(spec: OpSpec, verified: Iterable[str]) -> str:
    types = "; ".join(dict.fromkeys(cell(text) for text in spec.types()))
    departures = f"OpenVINO's CPU plugin {'; '.join(spec.departures.values())}." if spec.departures else ""
    notes = " ".join(cell(note) for note in (departures, *spec.notes(), *spec.beyond()) if note)
    sources = ", ".join(verified)
    operation = f"{linked(spec)} | {spec.version} | {cell(spec.summary)}"
    return f"| {operation} | {types} | {sources} | {notes} |"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, fail if a file is stale")
    check = parser.parse_args().check
    stale = []
    made = set()
    for path, text in files():
        made.add(path)
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(path.relative_to(ROOT))
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    for path in set(RULES.glob("*.md")) - made:
        stale.append(path.relative_to(ROOT))
        if not check:
            path.unlink()
    for path in stale:
        print(f"{'stale' if check else 'written' if (ROOT / path).exists() else 'removed'}: {path}")
    if check and stale:
        print("run python tools/generate.py")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
