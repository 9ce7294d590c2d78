"""Seeds of mutants: the examples of the rules, the cases of all operations, and inputs that once failed."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from tests.cases import all_cases, all_models
from tests.lab.fuzz.targets import packed
from tests.linter.snippets import examples
from tests.ops.harness import model, whole

REGRESSIONS = Path(__file__).parent / "regressions"
LARGEST = 1 << 16


def files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.xml"))


@cache
def seeds() -> tuple[bytes, ...]:
    """Return all seeds of moderate size."""
    found = [packed(path) for path in files(REGRESSIONS)]
    found += [item.data + b"\0" + (item.weights or b"") for item in examples()]
    for number, case in enumerate(all_cases()):
        constants = [index for index, array in enumerate(case.inputs) if index and array is not None]
        ir, _ = model(case, dynamic=number % 3 == 2, constants=constants if number % 3 else ())
        found.append(ir.text.encode() + b"\0" + ir.weights)
    found += [ir.text.encode() + b"\0" + ir.weights for ir in map(whole, all_models())]
    return tuple(data for data in found if len(data) <= LARGEST)
