"""Random single faults of every kind in sound files: found at the element that has them, and mended byte for byte."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from irrun.diagnostics import Diagnostic, Severity
from irrun.document.reader import document
from irrun.graph import bind
from irrun.inference import Facts, infer
from irrun.linter import lint
from irrun.linter.apply import mend
from tests.linter.mutator import KINDS, PORTS, Fault, Mutator
from tests.linter.test_mutated_dims import File, cases, examples, nets

SEED = 4
PER_EXAMPLE = 2 * len(KINDS)
PER_CASE = 2
LEAST_FOUND = 0.99
LEAST_ALONE = 0.98


class Planted(NamedTuple):
    """A fault in a file, and what the linter says of it that it does not say of the sound file."""

    file: File
    fault: Fault
    text: bytes
    found: list[Diagnostic]

    @property
    def is_found(self) -> bool:
        return any(item.anchor.element in self.fault.at for item in self.found)

    def __str__(self) -> str:
        return f"{self.file.name}: {self.fault}: {[(item.code, item.message) for item in self.found]}"


class Linter:
    """Checks texts beside the weights of one file."""

    def __init__(self, folder: Path, sound: File) -> None:
        self.path = folder / "model.xml"
        self.path.with_suffix(".bin").write_bytes(sound.weights)
        self.before: Counter[tuple[str, str]] = Counter()
        self.before = Counter((item.code, item.message) for item in self(sound.text))

    def __call__(self, text: bytes) -> list[Diagnostic]:
        self.path.write_bytes(text)
        known = Counter(self.before)
        found = []
        for item in lint(self.path):
            if known[item.code, item.message]:
                known[item.code, item.message] -= 1
            elif item.severity > Severity.INFO:
                found.append(item)
        return found


def files() -> Iterator[tuple[File, int]]:
    yield from ((sound, PER_EXAMPLE) for sound in (*nets(), *examples()))
    yield from ((sound, PER_CASE) for sound in cases())


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> list[Planted]:
    folder = tmp_path_factory.mktemp("mutation")
    found = []
    for sound, count in files():
        check = Linter(folder, sound)
        for fault in Mutator(sound.text, f"{SEED} {Path(sound.name).name}").faults(count):
            text = fault.planted(sound.text)
            found.append(Planted(sound, fault, text, check(text)))
    return found


def is_another_sound_model(item: Planted) -> bool:
    """Whether all that is inferred is as before: what a fault has changed can be told from no dim and no type."""
    return not item.found and inferred(item.text, item.file) == inferred(item.file.text, item.file)


def inferred(text: bytes, file: File) -> list[str]:
    read = document(text, weights=file.weights)
    return list(_said(infer(bind(read).graph, read.weights)))


def _said(facts: Facts) -> Iterator[str]:
    for fact in facts.of.values():
        yield f"{fact.type}{fact.shape}"
    for body in facts.bodies.values():
        yield from _said(body)


def test_faults_are_found_where_they_are(planted: list[Planted]) -> None:
    missed = [item for item in planted if not item.is_found and not is_another_sound_model(item)]
    assert len(missed) <= (1 - LEAST_FOUND) * len(planted), "\n".join(map(str, missed))


def test_one_fault_is_one_finding(planted: list[Planted]) -> None:
    several = [item for item in planted if len(item.found) > 1]
    assert len(several) <= (1 - LEAST_ALONE) * len(planted), "\n".join(map(str, several))


def test_dims_and_precisions_are_all_found_and_alone(planted: list[Planted]) -> None:
    wrong = [item for item in planted if item.fault.kind in PORTS and not (item.is_found and len(item.found) == 1)]
    assert [str(item) for item in wrong] == []


def test_the_fix_of_a_dim_or_a_precision_gives_back_the_file(planted: list[Planted], tmp_path: Path) -> None:
    wrong = []
    count = 0
    for item in planted:
        if item.fault.kind in PORTS:
            outcome = mend(item.text, Linter(tmp_path, item.file))
            count += 1
            if outcome.data != item.file.text or outcome.left:
                wrong.append(str(item))
    assert wrong == []
    assert count >= 300


def test_there_are_faults_of_every_kind(planted: list[Planted]) -> None:
    assert {item.fault.kind for item in planted} == set(KINDS)
    assert len(planted) >= 1000
