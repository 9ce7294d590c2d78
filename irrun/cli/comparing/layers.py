"""The outputs of all layers of a model, and the first layer that differs from the one of the same name elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from irrun.cli.differences import difference
from irrun.cli.inputs import Value
from irrun.cli.measuring import read_native, require_native
from irrun.cli.values import shape_text
from irrun.model import Compiled, Loaded, Port, build
from irrun.runtime.plan import Plan, Step
from irrun.tensor import Array, Shape


class Layer(NamedTuple):
    """The outputs of a layer, and its constant inputs by the name of their layer."""

    type: str
    outputs: Sequence[Array]
    constants: Mapping[str, Array]


Layers = Mapping[str, Layer]
"""Layers by name, in the order in which they run."""


def layers_of(model: Loaded, config: Mapping[str, Any], given: Sequence[Value]) -> Layers:
    """Run a model as written, and return its layers without those of bodies; OverBudget where they are too large."""
    compiled = build(model, {**config, "OPTIMIZE": False, "INFERENCE_PRECISION_HINT": "f32"})
    keeper = _Keeper(model, compiled)
    session = compiled.session()
    session.observers.append(keeper)
    session.run({value.port.index: value.array for value in given})
    return keeper.found


def native_layers(path: Path, weights: Path | None, shapes: Mapping[Port, Shape], given: Sequence[Value]) -> Layers:
    """Run a model in OpenVINO with every tensor as an output, and return its layers."""
    ov = require_native()
    core = ov.Core()
    model = read_native(ov, core, path, weights, shapes)
    for node in model.get_ordered_ops():
        if node.get_type_name() not in ("Parameter", "Constant", "Result", "Assign", "ReadValue"):
            model.add_outputs(node.outputs())
    request = core.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"}).create_infer_request()
    arrays = [array.copy() for array in request.infer({value.port.index: value.array for value in given}).to_tuple()]
    ports: dict[str, dict[int, Array]] = {}
    types: dict[str, str] = {}
    for result, array in zip(model.get_results(), arrays, strict=True):
        source = result.input_value(0)
        name = source.get_node().get_friendly_name()
        ports.setdefault(name, {})[source.get_index()] = array
        types[name] = source.get_node().get_type_name()
    return {name: Layer(types[name], [found[key] for key in sorted(found)], {}) for name, found in ports.items()}


def first_difference(layers: Layers, others: Layers, rtol: float, atol: float) -> dict[str, Any] | None:
    """Return the first of ``layers`` whose outputs are beyond the tolerances, with the constants that differ."""
    for name, layer in layers.items():
        other = others.get(name)
        if other is None:
            continue
        for array, counterpart in zip(layer.outputs, other.outputs, strict=False):
            found = compared(array, counterpart, rtol, atol)
            if found["differs"]:
                return {"name": name, "type": layer.type, **found, "constants": _changed(layer, other)}
    return None


def compared(array: Array, other: Array, rtol: float, atol: float) -> dict[str, Any]:
    """Return the differences of two arrays as a record; ``problem`` says that their shapes differ."""
    if array.shape != other.shape:
        what = f"{shape_text(array)} beside {shape_text(other)}"
        return {"differs": True, "problem": what, "max": None, "relative": None, "cosine": None, "argmax": None}
    found = difference(array, other)
    argmax = None if found.argmax is None else dict(zip(("changed", "rows"), found.argmax, strict=True))
    return {
        "differs": found.exceeds(rtol, atol),
        "problem": "",
        "max": found.most,
        "relative": found.relative,
        "cosine": found.cosine,
        "argmax": argmax,
    }


def _changed(layer: Layer, other: Layer) -> list[str]:
    pairs = zip(layer.constants.items(), other.constants.values(), strict=False)
    return [name for (name, value), counterpart in pairs if not np.array_equal(value, counterpart)]


class _Keeper:
    """Copies the outputs of the steps of a plan, without those of bodies, as far as the budget of memory allows."""

    def __init__(self, model: Loaded, compiled: Compiled) -> None:
        self.found: dict[str, Layer] = {}
        self._graph = model.bound.graph
        self._plan: Plan = compiled.plan
        self._depth = 0
        self._size = 0

    def before(self, step: Step, inputs: Sequence[Array | None]) -> None:  # noqa: ARG002
        self._depth += 1

    def after(self, step: Step, outputs: Sequence[Array]) -> None:
        self._depth -= 1
        if self._depth or step.node.name in self.found:
            return
        self._size += sum(array.nbytes for array in outputs)
        self._plan.budget.check_memory(self._size, "the outputs of all layers, which are kept to be compared, take")
        copies = [array.copy() for array in outputs]
        self.found[step.node.name] = Layer(step.node.type, copies, self._constants(step))

    def _constants(self, step: Step) -> dict[str, Array]:
        found: dict[str, Array] = {}
        for slot, source in zip(step.inputs, self._graph.sources(step.node.id), strict=False):
            value = self._plan.slots[slot]
            if source is not None and value is not None:
                found[self._graph.node(source.node).name] = value
        return found
