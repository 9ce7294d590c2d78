"""Each fault a few times at each path that writes; ``python -m tests.lab faults`` repeats them more often."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from irrun.document.replacing import replacing
from tests.lab.faults.events import FAULTS, OF_WEIGHTS
from tests.lab.faults.paths import PATHS, WritePath, irrun
from tests.lab.faults.trials import trials

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits and capabilities of Linux")
READING = ("npz", "save_model")
"""The paths whose weights are changed meanwhile."""


@pytest.mark.sample(4)
@pytest.mark.parametrize("name", PATHS)
def test_outputs_are_old_or_complete(name: str) -> None:
    faults = [fault for fault in FAULTS if name in READING or fault not in OF_WEIGHTS]
    assert trials(PATHS[name], faults, times=2, seed=11) == []


def write_in_place() -> None:
    for part in (b"a" * 5000, b"b" * 5000):
        with Path("out").open("ab") as file:
            file.write(part)


def write_over_an_input() -> None:
    Path("model.xml").write_bytes(b"")
    with replacing(Path("out")) as file:
        file.write(b"out")


@pytest.mark.parametrize(
    ("command", "fault", "wrong"),
    [
        (write_in_place, "kill", "out is neither the old nor a complete file"),
        (write_in_place, "full disk", "the status is 99"),
        (write_over_an_input, "broken pipe", "['model.xml'] were changed"),
    ],
)
def test_planted_faults_are_found(command: object, fault: str, wrong: str) -> None:
    found = trials(WritePath(command, ("out",)), [fault], times=12)  # type: ignore[arg-type]
    assert any(wrong in line for line in found)


def test_a_disk_without_room_for_the_message_is_a_failure() -> None:
    found = trials(WritePath(irrun("lint", "faulty.xml"), ()), ["full disk"], times=3)
    assert found == []
