"""Ask releases of OpenVINO for the operations that they have; see the package."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from irrun.document.writer import Writer
from irrun.ops.releases import FIRST, release
from tests.cases import AnyCase, Case, all_cases, all_models
from tests.lab.releases import departures, files, wrong
from tests.lab.releases.asking import Installed, installations, short
from tests.nets import Net
from tests.ops import harness

DATA: Final = Path(__file__).resolve().parents[3] / "docs" / "data" / "releases.json"
MOST: Final = 3
"""Models of a version of an operation."""


def models(folder: Path) -> dict[str, str]:
    """Write one-layer models of the versions of all operations; return the version of each, by opset and path."""
    found: dict[str, str] = {}
    counts: dict[str, int] = {}
    for case in (*all_cases(), *all_models()):
        spec = harness.declaration(case).spec
        version = departures.versioned(spec)
        if not isinstance(case.opset, int) or case.departs or counts.get(version, 0) == MOST:
            continue
        counts[version] = counts.get(version, 0) + 1
        path = folder / f"{version}-{counts[version]}.xml"
        _writer(case).save(path)
        found[f"{spec.version} {path}"] = version
    for opset in FIRST:
        path = folder / f"opset{opset}.xml"
        net = Net()
        net.result(net.layer("ReLU", [net.parameter("x", "1,3")], "1,3", opset))
        found[f"any {net.save(path)}"] = f"ReLU of opset-{opset}"
    return found


def first(outcomes: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, str | None]]:
    """Return the first release that reads, and that compiles, a model of each version."""
    found: dict[str, dict[str, str | None]] = {}
    for name in sorted(outcomes, key=lambda name: release(name)):
        for version, outcome in outcomes[name].items():
            record = found.setdefault(version, {"reads": None, "compiles": None})
            if outcome != "nothing" and record["reads"] is None:
                record["reads"] = short(name)
            if outcome == "compiles" and record["compiles"] is None:
                record["compiles"] = short(name)
    return {version: found[version] for version in sorted(found, key=_order)}


def _writer(case: AnyCase) -> Writer:
    return harness.model(case, constants=harness.constants(case))[0] if isinstance(case, Case) else harness.whole(case)


def _order(version: str) -> tuple[str, int]:
    type, _, opset = version.rpartition("-")
    return type, int(opset)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.lab releases", description=__doc__)
    parser.add_argument("folder", type=Path, help="a folder with installations, named by their releases")
    parser.add_argument("--python", default=sys.executable, help="the Python of the installations")
    parser.add_argument("--old-python", help="the Python of releases before 2023.0")
    parser.add_argument("--models", action="store_true", help="ask for whole models instead")
    parser.add_argument("--faults", action="store_true", help="ask for the models of docs/faults instead")
    parser.add_argument("--departures", action="store_true", help="ask for the departures that operations declare")
    options = parser.parse_args(arguments)
    installed = installations(options.folder, options.python, options.old_python)
    with TemporaryDirectory() as folder:
        if options.faults:
            for name, errors in wrong.record(installed, Path(folder)).items():
                print(f"{name}: wrong {wrong.since(errors)}")
        elif options.departures:
            for version, outcomes in departures.record(installed, Path(folder)).items():
                print(version, outcomes)
        elif options.models:
            for key, value in files.record(files.asked(list(files.models(Path(folder))), installed)).items():
                print(f"{key}: {value}")
        else:
            DATA.write_text(json.dumps(first(outcomes(installed, Path(folder))), indent=0) + "\n", encoding="utf-8")
    return 0


def outcomes(installed: Sequence[Installed], folder: Path) -> dict[str, dict[str, str]]:
    """Return what each release does with each version of an operation."""
    best = ("nothing", "reads", "compiles")
    found: dict[str, dict[str, str]] = {}
    paths = models(folder)
    for item in installed:
        of = found.setdefault(item.name, {})
        for version, outcome in zip(paths.values(), item.answers(list(paths)), strict=True):
            of[version] = max(of.get(version, "nothing"), outcome, key=best.index)
        print(item.name, sum(outcome != "nothing" for outcome in of.values()), "of", len(of), flush=True)
    return found
