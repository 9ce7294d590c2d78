"""Sound files in which faults are planted: nets, the examples, and one model of each operation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from irrun.document.reader import document
from irrun.document.records import NetElement
from irrun.document.source_map import element_starts
from tests.cases import all_cases
from tests.linter.nets import NETS
from tests.ops.harness import model

EXAMPLES: Final = Path(__file__).resolve().parents[2] / "examples"
FOLDERS: Final = ("batches", "digits", "pages", "stories")
LONG: Final = "openvino_model"
"""The example that takes as long as all others."""


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


@cache
def files(group: str) -> list[File]:
    """Return the net of a name, or the examples of a folder."""
    if group in NETS:
        ir = NETS[group]()
        return [file(group, ir.text.encode(), ir.weights)]
    paths = sorted((EXAMPLES / group).rglob("*.xml"))
    return [file(path.stem, path.read_bytes(), path.with_suffix(".bin").read_bytes()) for path in paths]


@cache
def cases() -> list[File]:
    """Return one model for each operation: its first case with static dims."""
    found: dict[str, File] = {}
    for case in all_cases():
        known = [index for index, array in enumerate(case.inputs) if array is not None and index > 0]
        key = f"{case.type}-{case.opset}"
        if key not in found:
            ir, _ = model(case, constants=known)
            made = file(str(case), ir.text.encode(), ir.weights)
            if b"<dim>-1</dim>" not in made.text and made.dims:
                found[key] = made
    return list(found.values())
