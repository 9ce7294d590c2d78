"""Models that are damaged: every call of the API succeeds, or raises what OpenVINO's users catch."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import irrun
from tests.linter.models import ITERATOR
from tests.openvino import nets

BACK_EDGE = '<edge from-layer="3" to-layer="1"/>'
CONSTANT = 'element_type="f32" shape="3" offset="0" size="12"'


def changed(text: str, old: str, new: str) -> str:
    assert old in text
    return text.replace(old, new, 1)


def part(text: str, layer: str, tag: str) -> str:
    """Return an element of a layer."""
    found = re.search(rf'name="{layer}".*?(<{tag}>.*?</{tag}>)', text, re.DOTALL)
    assert found is not None
    return found[1]


SMALL, COUNTER = nets.small(), nets.counter()
DAMAGED: dict[str, tuple[str, bytes]] = {
    "truncated weights": (SMALL, nets.SMALL_WEIGHTS[:8]),
    "no weights": (SMALL, b""),
    "cycle": (changed(SMALL, 'from-layer="0" from-port="0"', 'from-layer="3" from-port="1"'), nets.SMALL_WEIGHTS),
    "shape of a Parameter": (changed(SMALL, 'shape="1,3"', 'shape="1,x"'), nets.SMALL_WEIGHTS),
    "no shape of a Parameter": (changed(SMALL, 'shape="1,3"', ""), nets.SMALL_WEIGHTS),
    "type of a Parameter": (changed(SMALL, 'element_type="f32"', 'element_type="f99"'), nets.SMALL_WEIGHTS),
    "shape of a constant": (changed(SMALL, CONSTANT, CONSTANT.replace('"3"', '"-3"')), nets.SMALL_WEIGHTS),
    "type of a constant": (changed(SMALL, CONSTANT, CONSTANT.replace("f32", "f99")), nets.SMALL_WEIGHTS),
    "size of a constant": (changed(SMALL, CONSTANT, CONSTANT.replace("12", "13")), nets.SMALL_WEIGHTS),
    "offset of a constant": (changed(SMALL, CONSTANT, CONSTANT.replace('"0"', '"-4"')), nets.SMALL_WEIGHTS),
    "unknown operation": (changed(SMALL, 'type="ReLU"', 'type="RoLU"'), nets.SMALL_WEIGHTS),
    "no input of a layer": (changed(SMALL, part(SMALL, "relu_layer", "input"), ""), nets.SMALL_WEIGHTS),
    "no output of a layer": (changed(SMALL, part(SMALL, "relu_layer", "output"), ""), nets.SMALL_WEIGHTS),
    "edge to a layer that is missing": (changed(SMALL, 'to-layer="4"', 'to-layer="9"'), nets.SMALL_WEIGHTS),
    "variable without a name": (changed(COUNTER, 'variable_id="total"', ""), nets.COUNTER_WEIGHTS),
    **{
        name: (changed(ITERATOR, old, new), b"")
        for name, old, new in (
            ("back edge that is repeated", BACK_EDGE, BACK_EDGE * 2),
            ("back edge from a layer that is missing", BACK_EDGE, BACK_EDGE.replace("3", "9")),
            ("map to a layer that is missing", 'external_port_id="1" internal_layer_id="3"', 'external_port_id="1"'),
            ("map to a port that is missing", 'external_port_id="1"', 'external_port_id="7"'),
            ("body without its edges", '<edge from-layer="2" from-port="2" to-layer="3" to-port="0"/>', ""),
        )
    },
    "no result": (changed(SMALL, 'type="Result"', 'type="Abs"'), nets.SMALL_WEIGHTS),
}


def read(text: str, weights: bytes, folder: Path) -> irrun.Model:
    (folder / "net.xml").write_text(text)
    (folder / "net.bin").write_bytes(weights)
    return irrun.read_model(folder / "net.xml")


def ports(model: irrun.Model) -> Any:
    return [(port.partial_shape, port.element_type, port.names) for port in (*model.inputs, *model.outputs)]


def nodes(model: irrun.Model) -> Any:
    return [(node.get_attributes(), node.outputs(), repr(node)) for node in model.get_ordered_ops()]


CALLS: dict[str, Callable[[irrun.Model, Path], Any]] = {
    "ports": lambda model, _: ports(model),
    "repr": lambda model, _: repr(model),
    "reshape": lambda model, _: model.reshape([2, 3]),
    "get_ops": lambda model, _: model.get_ops(),
    "nodes": lambda model, _: nodes(model),
    "is_dynamic": lambda model, _: model.is_dynamic(),
    "variables": lambda model, _: [item.info.variable_id for item in model.get_variables()],
    "clone": lambda model, _: model.clone(),
    "validate": lambda model, _: model.validate_nodes_and_infer_types(),
    "save_model": lambda model, folder: irrun.save_model(model, folder / "saved.xml"),
    "serialize": lambda model, folder: irrun.serialize(model, folder / "saved.xml"),
    "compile_model": lambda model, _: irrun.compile_model(model),
    "query_model": lambda model, _: irrun.openvino.Core().query_model(model, "CPU"),
    "add_outputs": lambda model, _: model.add_outputs("sum"),
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_no_other_exception(damage: str, subtests: pytest.Subtests, tmp_path: Path) -> None:
    for name, call in CALLS.items():
        with subtests.test(call=name):
            said: Exception | None = None
            try:
                call(read(*DAMAGED[damage], tmp_path), tmp_path)
            except RuntimeError as error:
                said = error
            assert not isinstance(said, irrun.InternalError)
            assert said is None or str(said)


@pytest.mark.parametrize("damage", sorted({*DAMAGED} - {"no result", "no shape of a Parameter"}))
def test_compiling_is_refused(damage: str, tmp_path: Path) -> None:
    with pytest.raises(irrun.IRError):
        irrun.compile_model(read(*DAMAGED[damage], tmp_path))


UNCONNECTED = {"no output of a layer", "edge to a layer that is missing"}


@pytest.mark.parametrize("damage", DAMAGED)
def test_ports_are_shown(damage: str, tmp_path: Path) -> None:
    """The shapes of outputs behind a fault are unknown."""
    model = read(*DAMAGED[damage], tmp_path)
    if damage in UNCONNECTED:
        with pytest.raises(RuntimeError, match='input 0 of node "result" is not connected'):
            repr(model)
        return
    assert repr(model).startswith("<Model: '")
    assert len(ports(model)) == len(model.inputs) + len(model.outputs)
