"""Every output dim of sound files, changed by one, one at a time: the only finding is at its row."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from irrun.document.reader import document
from irrun.document.records import NetElement
from irrun.document.source_map import element_starts
from irrun.linter import lint
from tests.cases import all_cases
from tests.linter.nets import NETS
from tests.ops.harness import model

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
CASES = 600
MOST = 150
SEED = 20


class File(NamedTuple):
    """A sound file, with the offset and length of each dim of its output ports."""

    name: str
    text: bytes
    weights: bytes
    dims: tuple[tuple[int, int], ...]


def file(name: str, text: bytes, weights: bytes) -> File:
    starts = element_starts(text)
    size = re.compile(rb"<dim>([0-9]+)</dim>")
    found = (size.match(text, starts[element]) for element in output_dims(document(text).net))
    return File(name, text, weights, tuple((item.start(1), len(item[1])) for item in found if item is not None))


def output_dims(net: NetElement) -> Iterator[int]:
    for layer in net.layers:
        for port in layer.outputs:
            yield from port.dim_elements
        for body in layer.bodies:
            yield from output_dims(body.net)


def nets() -> list[File]:
    return [file(name, (ir := make()).text.encode(), ir.weights) for name, make in NETS.items()]


def examples() -> list[File]:
    """Return the models of irrun's own operations."""
    others = {"wrong_dims.xml", "extension/model.xml"}
    sound = [path for path in sorted(EXAMPLES.rglob("*.xml")) if str(path.relative_to(EXAMPLES)) not in others]
    return [file(str(path), path.read_bytes(), path.with_suffix(".bin").read_bytes()) for path in sound]


def cases() -> list[File]:
    """Return one model for each operation: its first case with static dims."""
    files: dict[str, File] = {}
    for case in all_cases():
        known = [index for index, array in enumerate(case.inputs) if array is not None and index > 0]
        key = f"{case.type}-{case.opset}"
        if key not in files:
            ir, _ = model(case, constants=known)
            made = file(str(case), ir.text.encode(), ir.weights)
            if b"<dim>-1</dim>" not in made.text and made.dims:
                files[key] = made
    return list(files.values())


def written(path: Path, text: bytes, sound: File) -> None:
    path.write_bytes(text)
    path.with_suffix(".bin").write_bytes(sound.weights)


def changed(path: Path, sound: File, place: tuple[int, int]) -> int:
    """Write the file with one dim incremented; return the row of the dim."""
    start, length = place
    dim = int(sound.text[start : start + length]) + 1
    written(path, sound.text[:start] + str(dim).encode() + sound.text[start + length :], sound)
    return sound.text.count(b"\n", 0, start) + 1


def codes_and_rows(path: Path) -> list[tuple[str, int]]:
    return [(item.diagnostic.code, item.place.row) for item in lint(path).findings()]


def missed(path: Path, places: list[tuple[File, tuple[int, int]]]) -> list[tuple[str, int, Counter[tuple[str, int]]]]:
    """Return the places whose change does not result in one IR401 at its row, with the findings."""
    found = []
    before: dict[str, Counter[tuple[str, int]]] = {}
    for sound, place in places:
        if sound.name not in before:
            written(path, sound.text, sound)
            before[sound.name] = Counter(codes_and_rows(path))
        row = changed(path, sound, place)
        codes = Counter(codes_and_rows(path)) - before[sound.name]
        if codes != Counter([("IR401", row)]):
            found.append((sound.name, row, codes))
    return found


@pytest.mark.parametrize("sound", [*nets(), *examples()], ids=lambda sound: Path(sound.name).stem)
def test_every_output_dim(sound: File, tmp_path: Path) -> None:
    path = tmp_path / "model.xml"
    written(path, sound.text, sound)
    assert codes_and_rows(path) == []
    assert missed(path, [(sound, place) for place in chosen(sound)]) == []


def chosen(sound: File) -> list[tuple[int, int]]:
    """Return the dims of a file, at most `MOST`: each takes as long as the file is."""
    return random.Random(SEED).sample(sound.dims, min(len(sound.dims), MOST))


def test_output_dims_of_operations(tmp_path: Path) -> None:
    places = [(sound, place) for sound in cases() for place in sound.dims]
    sample = random.Random(SEED).sample(places, CASES)
    assert missed(tmp_path / "model.xml", sample) == []


def test_there_are_enough() -> None:
    assert sum(len(chosen(sound)) for sound in (*nets(), *examples())) + CASES >= 1000
    assert len(cases()) >= 200
