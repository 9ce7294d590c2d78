"""OpenVINO's own tests of shapes and values, as numbers: small graphs, and what becomes of them.

``shapes.jsonl.gz`` and ``values.jsonl.gz`` begin with a line about their sources; each further line is a case:

* ``f`` the file of OpenVINO; ``n`` the nodes of the graph. A Parameter is ``"f32[1,?]"``, a constant
  ``["i64[2]", [3, 4]]`` (one number fills it), a layer ``["Type", "opset1", {attributes}, [inputs]]``, with the number
  of its outputs if that is not 1. An input is the index of a node, or ``[node, port]``.
* ``o``, in ``shapes``: what OpenVINO infers for the last node, ``["f32[1,2..3]"]``, or null where it refuses the node.
* ``i`` and ``o``, in ``values``: Parameters in order and outputs, as constants are written (``f32[...]`` where a test
  leaves the shape of an output open); ``e`` says which ``[node, port]`` the outputs are, ``r`` the relative and the
  absolute tolerance where OpenVINO's test prints so few digits that the usual ones are too small.

``reasons.json`` says why irrun answers otherwise where it does: for each reason the numbers of the cases, by type and
file. A case that is not listed must agree.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np

from irrun.document.writer import Handle, Writer
from irrun.tensor import Array, ElementType, Fact, Shape
from irrun.tensor.element_type import DYNAMIC
from tests import cases

FOLDER: Final = Path(__file__).parent

Kind = Literal["shapes", "values"]


@dataclass(frozen=True)
class Recorded:
    """A case of an archive: ``record`` is its line, ``number`` counts the lines of the same file."""

    record: dict[str, Any]
    number: int

    def __str__(self) -> str:
        return f"{self.type}-{self.record['f']}-{self.number}"

    @property
    def type(self) -> str:
        """The type of the last layer."""
        return str([node[0] for node in self.record["n"] if is_layer(node)][-1])

    @property
    def inputs(self) -> list[Array]:
        return [tensor(item) for item in self.record["i"]]

    @property
    def expected(self) -> list[Array]:
        return [tensor(item) for item in self.record["o"]]

    def write(self, ir: Writer, prefix: str = "") -> list[list[Handle]]:
        """Add the graph to a model, with Parameters ``{prefix}in0`` …; return the outputs of each node.

        What layers return is left open.
        """
        made: list[list[Handle]] = []
        parameters = 0
        for node in self.record["n"]:
            if isinstance(node, str):
                made.append([ir.parameter(f"{prefix}in{parameters}", *described(node))])
                parameters += 1
            elif is_layer(node):
                type, version, attributes, inputs, *count = node
                given = [made[item[0]][item[1]] if isinstance(item, list) else made[item][0] for item in inputs]
                outputs = [Fact(DYNAMIC, Shape.unknown())] * (count[0] if count else 1)
                made.append(ir.layer(type, version, given, outputs, attributes))
            else:
                made.append([ir.constant(tensor(node), described(node[0])[0])])
        return made


def is_layer(node: Any) -> bool:
    return isinstance(node, list) and len(node) > 2


def described(text: str) -> tuple[ElementType, Shape]:
    """Return the type and the shape of ``f32[1,?,2..5]``."""
    name, bracket, shape = text.partition("[")
    return ElementType.named(name), Shape.parse(bracket + shape)


def tensor(item: list[Any]) -> Array:
    """Return the values of ``["f32[2,3]", [1]]`` in the carrier of their type; a list where the shape is open."""
    type, shape = described(item[0])
    values = np.array(item[1], np.float64 if type.is_float else object).astype(type.dtype)
    if not shape.is_static:
        return values
    return np.full(shape.static, values[0], type.dtype) if values.size == 1 else values.reshape(shape.static)


def sources(kind: Kind) -> dict[str, Any]:
    """Return the first line of an archive."""
    found: dict[str, Any] = next(_lines(kind))
    return found


def recorded(kind: Kind) -> list[Recorded]:
    """Return the cases of an archive: all, or with ``--op`` those of some operations."""
    counts: dict[str, int] = {}
    found = []
    for record in list(_lines(kind))[1:]:
        counts[record["f"]] = counts.get(record["f"], 0) + 1
        found.append(Recorded(record, counts[record["f"]]))
    return [case for case in found if not cases.ONLY or case.type in cases.ONLY]


def reasons(kind: Kind) -> dict[str, list[str]]:
    """Return the cases in which irrun departs from OpenVINO, by reason."""
    listed = json.loads((FOLDER / "reasons.json").read_text(encoding="utf-8"))[kind]
    return {
        why: [f"{name}-{number}" for name, numbers in of_files.items() for number in numbers]
        for why, of_files in listed.items()
    }


def _lines(kind: Kind) -> Iterator[dict[str, Any]]:
    with gzip.open(FOLDER / f"{kind}.jsonl.gz", "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)
