"""Writes what is made from the declarations: schemas and reference pages. ``--check`` fails where a file is stale."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from irrun.ops.registry import declarations
from irrun.ops.spec import OpSpec
from irrun.schema import relaxng, report_schema, xsd

ROOT = Path(__file__).resolve().parents[1]


def files() -> Iterator[tuple[Path, str]]:
    """Every generated file and its text."""
    yield ROOT / "schemas" / "ir-v11.rng", relaxng()
    yield ROOT / "schemas" / "ir-v11.xsd", xsd()
    yield ROOT / "schemas" / "lint-report.schema.json", report_schema()
    yield ROOT / "docs" / "operations.md", operations()


def operations() -> str:
    """The table of operations, by category."""
    specs = sorted((cls.spec for cls in declarations()), key=lambda spec: (spec.category, spec.type.lower()))
    lines = [
        "# Operations",
        "",
        "Made by `tools/generate.py` from the declarations. The version is the opset that declares the operation; later opsets",
        "have it too, up to its next version. The types are those of the inputs.",
    ]
    for category, members in groupby(specs, key=lambda spec: spec.category):
        lines += [
            "",
            f"## {category}",
            "",
            "| operation | version | what it does | types | notes |",
            "|---|---|---|---|---|",
        ]
        lines += [_row(spec) for spec in members]
    return "\n".join(lines) + "\n"


def _row(spec: OpSpec) -> str:
    types = "; ".join(dict.fromkeys(_cell(text) for text in spec.types()))
    notes = " ".join(_cell(note) for note in spec.departures())
    return f"| [{spec.type}]({spec.page}) | {spec.version} | {_cell(spec.summary)} | {types} | {notes} |"


def _cell(text: str) -> str:
    return text.replace("\n", " ").replace("|", "\\|")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, fail where a file is stale")
    check = parser.parse_args().check
    stale = []
    for path, text in files():
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(path.relative_to(ROOT))
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    for path in stale:
        print(f"{'stale' if check else 'written'}: {path}")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
