"""Which releases depart from the specification in single operations, with the smallest case of each departure."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import numpy as np

import irrun.model
from irrun.ops.releases import number, release
from irrun.ops.spec import OpSpec
from tests.cases import AnyCase, all_cases, all_models
from tests.lab import oracle, records
from tests.lab.oracle.cases import is_asked, model, put, reply
from tests.lab.releases import shown, workarounds
from tests.lab.releases.asking import Installed, short
from tests.lab.releases.shown import Key
from tests.ops import harness

DATA: Final = records.DATA / "openvino-departures.json"
FILES: Final = records.DATA.parent / "faults" / "operations.zip"
LETTERS: Final = {"agrees": "a", "differs": "d", "refuses": "r", "crashes": "c", "unknown": "-"}
"""The letters of outcomes in the record, one for each release; ``-`` is a release without the operation."""


def smallest() -> dict[Key, AnyCase]:
    """Return what shows each departure that an operation declares: its case of fewest elements, or a variant."""
    found: dict[Key, AnyCase] = dict(shown.shown())
    for case in sorted((*all_cases(), *all_models()), key=_elements):
        spec = harness.declaration(case).spec
        if case.departs in spec.departures and is_asked(case):
            found.setdefault((versioned(spec), case.departs), case)
    return dict(sorted(found.items()))


def versioned(spec: OpSpec) -> str:
    """Return the name of an operation version: ``Clamp-1``; that of the type where no opset has a number."""
    place = number(spec.version)
    return spec.type if place is None else f"{spec.type}-{place}"


def record(installed: Sequence[Installed], folder: Path) -> dict[str, dict[str, str]]:
    """Write the outcome of each departure in each release, and the models; return the outcomes."""
    cases = smallest()
    known = records.read(DATA.with_name("releases.json"))
    found: dict[str, dict[str, str]] = {}
    for item in installed:
        folders = {key: put(case, folder / item.name) for key, case in cases.items()}
        oracle.ask(folders.values(), python=item.python, environment=item.environment)
        for (version, departure), case in cases.items():
            first = known.get(version, {}).get("compiles")
            has = first is None or release(item.name) >= release(first)
            answer = oracle.answer(folders[version, departure])
            outcome = reply(case, answer).outcome if has else "unknown"
            of = found.setdefault(version, {})
            of[departure] = of.get(departure, "") + LETTERS[outcome]
    workarounds.record(cases, folder / "workarounds")
    records.write(DATA, {"releases": [item.name for item in installed], "departures": found})
    _archive(cases)
    return found


def since(releases: Sequence[str], outcomes: str) -> str:
    """Say which of the releases that were asked depart as the newest does; ``all`` where no older one has no fault."""
    names = [*map(short, releases)]
    known = [(name, letter) for name, letter in zip(names, outcomes, strict=True) if letter != "-"]
    first = len(known)
    while first and known[first - 1][1] == known[-1][1]:
        first -= 1
    if known[-1][1] == "a":
        return "by chance"
    return f"all from {known[0][0]} on" if not first else f"from {known[first][0]} on"


def name(version: str, departure: str) -> str:
    """Return the name of the folder that shows a departure."""
    return re.sub(r"[^\w.-]+", "_", f"{version}_{departure}")


def _elements(case: AnyCase) -> int:
    return sum(np.size(array) for array in case.inputs if array is not None)


def _archive(cases: Mapping[Key, AnyCase]) -> None:
    """Write a folder for each departure, with the model and an .npy for each input; always the same bytes."""
    with zipfile.ZipFile(FILES, "w") as archive:
        for (version, departure), case in cases.items():
            ir, inputs = model(case)
            folder = name(version, departure)
            _add(archive, f"{folder}/model.xml", ir.text.encode())
            _add(archive, f"{folder}/model.bin", ir.weights)
            ports = irrun.model.load(ir.text.encode(), ir.weights).inputs
            for port, array in zip(ports, inputs, strict=True):
                stored = io.BytesIO()
                np.save(stored, array.astype("U") if array.dtype == object else array)
                _add(archive, f"{folder}/{port.any_name}.npy", stored.getvalue())


def _add(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
