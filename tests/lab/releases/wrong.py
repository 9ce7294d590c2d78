"""Which releases return wrong numbers for the models of ``docs/faults``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from irrun.ops.releases import release
from tests.lab.releases.asking import Installed, short
from tests.openvino_faults import FAULTS, FORMULAS, inputs_of

DATA: Final = Path(__file__).resolve().parents[3] / "docs" / "data" / "openvino-faults.json"
WORKER: Final = Path(__file__).with_name("running.py")


def record(installed: Sequence[Installed], folder: Path) -> Mapping[str, Mapping[str, float]]:
    """Write the relative error of each release for each model, and return it."""
    lines = []
    for name in FORMULAS:
        arrays: dict[str, Any] = inputs_of(name)
        np.savez(folder / name, **arrays)
        lines.append(f"{FAULTS / name}.xml {folder / name}.npz")
    found: dict[str, dict[str, float]] = {name: {} for name in FORMULAS}
    for item in installed:
        answers = item.run(WORKER, lines)
        for name, answer in zip(FORMULAS, answers, strict=True):
            found[name][item.name] = round(relative_error(name, np.array(json.loads(answer))), 3)
    DATA.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return found


def relative_error(name: str, output: Any) -> float:
    """Return the largest error of an output over the largest number of the formula."""
    expected = FORMULAS[name](**inputs_of(name))
    return float(np.abs(output - expected).max() / np.abs(expected).max())


def since(found: Mapping[str, float]) -> str:
    """Say which of the releases that were asked are wrong; ``all`` where no older one was asked."""
    names = sorted(found, key=release)
    wrong = [name for name in names if found[name] > 0.01]
    if names[-1] not in wrong:
        return f"{short(wrong[0])} to {short(wrong[-1])}"
    return f"all from {short(wrong[0])} on" if wrong == names else f"from {short(wrong[0])} on"
