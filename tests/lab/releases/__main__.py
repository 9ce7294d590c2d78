"""Ask releases of OpenVINO for the operations that they have; see the package."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from irrun.document.writer import Writer
from irrun.ops.releases import FIRST, number, release
from tests.cases import AnyCase, Case, all_cases, all_models
from tests.nets import Net
from tests.ops import harness

DATA: Final = Path(__file__).resolve().parents[3] / "docs" / "data" / "releases.json"
WORKER: Final = Path(__file__).with_name("worker.py")
MOST: Final = 3
"""Models of a version of an operation."""


def models(folder: Path) -> dict[str, str]:
    """Write one-layer models of the versions of all operations; return the version of each, by opset and path."""
    found: dict[str, str] = {}
    counts: dict[str, int] = {}
    for case in (*all_cases(), *all_models()):
        spec = harness.declaration(case).spec
        version = f"{spec.type}-{number(spec.version)}"
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


def answers(installed: Path, python: str, paths: Sequence[str]) -> list[str]:
    """Return what a release does with each model."""
    environment = {**os.environ, "PYTHONPATH": str(installed), "LD_LIBRARY_PATH": str(installed / "openvino" / "libs")}
    done = subprocess.run(
        [python, str(WORKER)], input="\n".join(paths), env=environment, stdout=subprocess.PIPE, text=True, check=True
    )
    return done.stdout.split()


def first(outcomes: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, str | None]]:
    """Return the first release that reads, and that compiles, a model of each version."""
    found: dict[str, dict[str, str | None]] = {}
    for name in sorted(outcomes, key=lambda name: release(name)):
        for version, outcome in outcomes[name].items():
            record = found.setdefault(version, {"reads": None, "compiles": None})
            short = ".".join(name.split(".")[:2])
            if outcome != "nothing" and record["reads"] is None:
                record["reads"] = short
            if outcome == "compiles" and record["compiles"] is None:
                record["compiles"] = short
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
    options = parser.parse_args(arguments)
    best = ("nothing", "reads", "compiles")
    outcomes: dict[str, dict[str, str]] = {}
    with TemporaryDirectory() as folder:
        paths = models(Path(folder))
        for installed in sorted(path for path in options.folder.iterdir() if (path / "openvino").is_dir()):
            python = options.python if release(installed.name) >= (2023, 0) else options.old_python
            if python is None:
                continue
            of = outcomes.setdefault(installed.name, {})
            for version, outcome in zip(paths.values(), answers(installed, python, list(paths)), strict=True):
                of[version] = max(of.get(version, "nothing"), outcome, key=best.index)
            print(installed.name, sum(outcome != "nothing" for outcome in of.values()), "of", len(of), flush=True)
    DATA.write_text(json.dumps(first(outcomes), indent=0) + "\n", encoding="utf-8")
    return 0
