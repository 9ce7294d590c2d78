"""Models with which OpenVINO's CPU plugin returns what the specification says, in spite of a departure.

``python -m tests.lab releases FOLDER --departures`` runs each with the OpenVINO of its environment, on the inputs that
show the departure, and writes the outcomes to ``docs/data/openvino-workarounds.json``. The words for them are beside
the departures, in the declarations of the operations.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib.metadata import version as installed
from pathlib import Path
from typing import Any, Final

import numpy as np

from irrun.ops.spec import OpSpec
from irrun.tensor import ElementType
from irrun.tensor.element_type import F32
from tests.cases import AnyCase, Array, Case, all_cases
from tests.lab import oracle, records
from tests.lab.oracle.cases import ATOL, RTOL, put, reply
from tests.lab.releases.rewriting import BUILT, CHANGED, ORDINARY, Build, o
from tests.lab.releases.shown import Key
from tests.ops import harness

DATA: Final = records.DATA / "openvino-workarounds.json"

NAMES: Final = {"ReLU": "Relu", "SoftMax": "Softmax"}
"""The names of types in OpenVINO, where an IR has others."""


def model(case: AnyCase, build: Build) -> tuple[Any, list[Array]]:
    """Return the model of a workaround and its inputs; those are constant that are so in the case."""
    from openvino import Model, Shape, Type
    from openvino.op import Constant
    from openvino.utils.node_factory import NodeFactory

    spec: OpSpec = harness.declaration(case).spec
    constants = harness.constants(case) if isinstance(case, Case) else ()
    types = harness.element_types(case) if isinstance(case, Case) else [F32] * len(case.inputs)
    nodes, parameters, given = [], [], []
    for place, (array, type) in enumerate(zip(case.inputs, types, strict=True)):
        assert array is not None
        kind = getattr(Type, type.name)
        if place in constants:
            nodes.append(Constant(kind, Shape([*array.shape]), array.reshape(-1).tolist()))
        else:
            nodes.append(o.parameter(list(array.shape), kind))
            parameters.append(nodes[-1])
            given.append(array)

    def op(*inputs: Any, **changed: Any) -> Any:
        values = {**case.attributes, **changed} if isinstance(case, Case) else changed
        written = {
            attribute.name: values[attribute.field] for attribute in spec.attributes if attribute.field in values
        }
        name = NAMES.get(case.type, case.type)
        return NodeFactory(spec.version).create(name, [*inputs], {key: _written(it) for key, it in written.items()})

    found = build(op, *nodes)
    listed = [*found] if isinstance(found, list | tuple) else [*found.outputs()]
    return Model([o.result(node) for node in listed], parameters, "workaround"), given


def _written(value: Any) -> Any:
    if isinstance(value, ElementType):
        return value.name
    return [*value] if isinstance(value, tuple) else value


def record(cases: Mapping[Key, AnyCase], folder: Path) -> dict[str, dict[str, str]]:
    """Run all workarounds on the cases of their departures; write and return the outcomes."""
    found: dict[str, dict[str, str]] = {}
    ordinary = {str(case): case for case in all_cases()}
    for key in sorted({**BUILT, **CHANGED, **ORDINARY}):
        if key in BUILT:
            outcome = _built(cases[key], BUILT[key])
        elif key in CHANGED:
            case = cases[key]
            assert isinstance(case, Case)
            outcome = _asked(CHANGED[key](case), folder)
        else:
            outcome = _asked(ordinary[ORDINARY[key]], folder)
        found.setdefault(key[0], {})[key[1]] = outcome
    records.write(DATA, {"openvino": installed("openvino"), "workarounds": found})
    return found


def _asked(case: Case, folder: Path) -> str:
    asked = put(case, folder)
    oracle.ask([asked])
    return reply(case, oracle.answer(asked)).outcome


def _built(case: AnyCase, build: Build) -> str:
    """Return the outcome in a process of its own, which may crash."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writing, _outcome(case, build).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        found = answer.read()
    os.waitpid(child, 0)
    return found or "crashes"


def _outcome(case: AnyCase, build: Build) -> str:
    from openvino import Core

    ir, given = model(case, build)
    compiled = Core().compile_model(ir, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    results = compiled(given)
    outputs = [np.asarray(results[port]) for port in compiled.outputs]
    try:
        harness.expect(outputs, case, max(case.rtol, RTOL), max(case.atol, ATOL))
    except AssertionError:
        return "differs"
    return "agrees"
