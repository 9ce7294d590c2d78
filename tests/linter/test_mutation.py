"""Random single faults of every kind in sound files: reported at the faulty element, and repaired byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.linter.mutator import KINDS, PORTS, Mutator
from tests.linter.planting import Planted, Sound, harmless, planted
from tests.linter.test_mutated_dims import cases, examples, nets

SEED = 4
PER_EXAMPLE = 4 * len(KINDS)
PER_CASE = 15
SHARES = 4
LEAST_FOUND = 0.99


def faults(folder: Path, share: int) -> list[Planted]:
    """Return the faults of one share of the files."""
    found = []
    files = [*((file, PER_EXAMPLE) for file in (*nets(), *examples())), *((file, PER_CASE) for file in cases())]
    for file, count in files[share::SHARES]:
        sound = Sound(Path(file.name).name, file.text, file.weights)
        found += planted(folder, sound, Mutator(file.text, f"{SEED} {sound.name}").faults(count))
    return found


@pytest.mark.parametrize("share", range(SHARES))
def test_faults(share: int, tmp_path: Path) -> None:
    """Each fault is the only finding unless the model stays sound; faults of ports are repaired."""
    items = faults(tmp_path, share)
    assert len(items) >= 5000 / SHARES
    assert {item.fault.kind for item in items} == set(KINDS)
    silent = [item for item in items if item.outcome == "silent"]
    assert [str(item) for item in silent if harmless(item) is None] == []
    assert len(silent) <= (1 - LEAST_FOUND) * len(items), "\n".join(f"{harmless(item)}: {item}" for item in silent)
    assert [str(item) for item in items if item.outcome in ("several", "elsewhere")] == []
    of_ports = [item for item in items if item.fault.kind in PORTS]
    assert len(of_ports) >= 300
    assert [str(item) for item in of_ports if item.outcome != "found" or item.fixed != item.sound.text] == []
