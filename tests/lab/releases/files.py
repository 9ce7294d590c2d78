"""Whole models: does the release that ``irrun info`` names read them, and the one before it refuse them?"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from irrun.model import load
from irrun.model.summary import summarize
from irrun.ops.releases import release
from tests.exports.archives import NAMES, unpacked
from tests.lab.releases.asking import Installed, short

DATA: Final = Path(__file__).resolve().parents[3] / "docs" / "data" / "releases-of-models.json"
EXAMPLES: Final = Path(__file__).resolve().parents[3] / "examples"


class Asked(NamedTuple):
    """A model, the release that it needs and why, and what this release and the one before it do with it.

    ``before`` is None where no older release is installed.
    """

    name: str
    release: str
    reason: str
    reads: bool
    before: bool | None


def models(folder: Path) -> Iterator[tuple[str, Path]]:
    """Unpack the exported models of the repository, and yield them and the examples."""
    for name in NAMES:
        yield name, unpacked(name, folder / name).path
    for path in sorted(EXAMPLES.rglob("*.xml")):
        yield str(path.relative_to(EXAMPLES)), path


def asked(files: Sequence[tuple[str, Path]], installed: Sequence[Installed]) -> list[Asked]:
    """Ask, for each model, the release that it needs and the one before; models of libraries are left out."""
    by_release = {short(item.name): place for place, item in enumerate(installed)}
    needs = {}
    for name, path in files:
        summary = summarize(load(path))
        if summary.openvino in by_release and not summary.extensions:
            needs[name] = summary.openvino, summary.openvino_for, path
    waiting: dict[int, dict[str, Path]] = defaultdict(dict)
    for name, (needed, _, path) in needs.items():
        for place in {max(by_release[needed] - 1, 0), by_release[needed]}:
            waiting[place][name] = path
    found = {place: installed[place].reads(paths) for place, paths in sorted(waiting.items())}
    return [
        Asked(name, needed, reason, found[place][name], found[place - 1][name] if place else None)
        for name, (needed, reason, _) in needs.items()
        for place in (by_release[needed],)
    ]


def record(rows: Sequence[Asked]) -> Mapping[str, object]:
    """Write what was asked, and return how often the release that is named reads, and the one before it refuses."""
    data = {row.name: {key: value for key, value in row._asdict().items() if key != "name"} for row in rows}
    DATA.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    older = [row for row in rows if row.before is not None]
    return {
        "models": len(rows),
        "read": sum(row.reads for row in rows),
        "with an older release": len(older),
        "refused by the one before": sum(row.before is False for row in older),
        "releases": sorted({row.release for row in rows}, key=release),
    }
