"""The structural difference: what counts, and the kind of each change."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from irrun.document.writer import Writer
from irrun.model import Loaded, load
from irrun.reporting.diff import Change, Difference, diff
from irrun.tensor import Fact, Shape
from irrun.tensor.element_type import F32
from tests.loops import loop_model
from tests.reporting.models import NUMPY, SMALL, loaded, network, shuffled, without_layer

DIGITS = Path(__file__).parents[2] / "examples" / "digits" / "model.xml"


def compared(*changes: tuple[str, str]) -> Difference:
    """Return the difference between the network and one with changes of its text."""
    return diff(loaded(network()), loaded(network(), *changes))


def rows(found: Difference) -> list[tuple[str, str, str, str, str]]:
    return [
        (item.kind, item.layer or item.other, item.what, item.before, item.after)
        for item in found.changes
        if not item.follows
    ]


@pytest.mark.parametrize("seed", range(5))
def test_ids_and_order_do_not_count(seed: int) -> None:
    ir = network()
    found = diff(loaded(ir), load(shuffled(ir.text.encode(), seed), ir.weights))
    assert found.is_equal
    assert found.layers == (13, 13)


@pytest.mark.parametrize("seed", range(5))
def test_names_do_not_count_where_they_are_ignored(seed: int) -> None:
    ir = network()
    other = load(shuffled(ir.text.encode(), seed, rename=True), ir.weights)
    assert diff(loaded(ir), other, names=False).is_equal
    assert diff(loaded(ir), other).counts == {"renamed": 13}


@pytest.mark.parametrize("rename", [False, True])
def test_bodies_are_compared(tmp_path: Path, rename: bool) -> None:
    path = loop_model(tmp_path, 5, 100.0)
    weights = path.with_suffix(".bin").read_bytes()
    other = load(shuffled(path.read_bytes(), 3, rename=rename), weights)
    assert diff(load(path), other, names=not rename).is_equal


def test_a_change_in_a_body(tmp_path: Path) -> None:
    path = loop_model(tmp_path, 5, 100.0)
    weights = path.with_suffix(".bin").read_bytes()
    text = path.read_text()
    assert text.count('type="Less"') == 1
    found = diff(load(path), load(text.replace('type="Less"', 'type="LessEqual"').encode(), weights))
    ((kind, layer, what, before, after),) = rows(found)
    assert (kind, what, before, after) == ("operation", "operation", "Less-1", "LessEqual-1")
    assert layer.count("/") == 1


def test_examples_are_equal_to_themselves() -> None:
    assert diff(load(DIGITS), load(DIGITS)).is_equal


def test_an_attribute() -> None:
    found = compared(('pads_end="1,1" auto_pad', 'pads_end="1, 2" auto_pad'))
    assert rows(found)[0] == ("attribute", "conv", "pads_end", "1, 1", "1, 2")
    assert {item.kind for item in found.changes if item.follows} == {"shape"}


def test_an_attribute_by_another_spelling_is_equal() -> None:
    assert compared(('special_zero="true"', 'special_zero="1"'), ('"1,1"', '"1, 1"')).is_equal


def test_the_shape_of_an_input() -> None:
    found = compared(('shape="1,3,8,8"', 'shape="2,3,8,8"'))
    assert rows(found) == [("shape", "image", "output 0", "[1,3,8,8]", "[2,3,8,8]")]
    assert sum(item.follows for item in found.changes) == 8


def test_the_type_of_an_input() -> None:
    ir = Writer("net")
    fact = Fact(F32, Shape([2]))
    (relu,) = ir.layer("ReLU", "opset1", [ir.parameter("x", F32, Shape([2]))], [fact], name="relu")
    ir.result(relu, "y")
    other = load(ir.text.replace('element_type="f32"', 'element_type="f16"').encode(), ir.weights)
    found = diff(load(ir.text.encode(), ir.weights), other)
    assert rows(found) == [("type", "x", "output 0", "f32", "f16")]
    assert [item.layer for item in found.changes if item.follows] == ["relu"]


def test_an_operation() -> None:
    assert rows(compared(('type="Sigmoid"', 'type="Exp"'))) == [
        ("operation", "left", "operation", "Sigmoid-1", "Exp-1")
    ]


def test_a_version_of_an_operation() -> None:
    assert rows(compared(('type="MaxPool" version="opset1"', 'type="MaxPool" version="opset8"')))[0] == (
        *("operation", "pool", "operation"),
        *("MaxPool-1", "MaxPool-8"),
    )


def test_a_later_opset_with_the_same_declaration_is_equal() -> None:
    assert compared(('type="ReLU" version="opset1"', 'type="ReLU" version="opset5"')).is_equal


def test_values_of_a_constant() -> None:
    first, second = network(), network()
    weights = np.float32(7.5).tobytes() + second.weights[4:]
    found = diff(loaded(first), load(second.text.encode(), weights))
    ((kind, layer, what, _, after),) = rows(found)
    assert (kind, layer, what, after) == ("constant", "kernel", "1 of 108 values, the first", "7.5")


def test_constants_in_another_place_of_the_file_are_equal() -> None:
    ir = network()
    moved = "".join(ir.text.replace('offset="432"', 'offset="1432"'))
    weights = ir.weights + bytes(1000 - len(ir.weights) + 432) + ir.weights[432:]
    assert diff(loaded(ir), load(moved.encode(), weights)).is_equal


def test_constants_without_a_file_of_weights() -> None:
    text = network().text.encode()
    found = diff(load(text), load(text))
    assert found.is_equal
    assert found.unread


def test_an_edge() -> None:
    ir = network()
    edge = '<edge from-layer="8" from-port="1" to-layer="9" to-port="1" />'
    found = diff(loaded(ir), loaded(ir, (edge, edge.replace('from-layer="8"', 'from-layer="7"'))))
    assert rows(found) == [("edge", "sum", "input 1", "right", "left")]


def test_a_removed_layer() -> None:
    ir = network()
    found = diff(loaded(ir), load(without_layer(ir, "relu"), ir.weights))
    assert rows(found) == [("removed", "relu", "", "", "")]
    assert [(item.kind, item.layer, item.before, item.after) for item in found.changes if item.follows] == [
        ("edge", "pool", "relu", "bias")
    ]


def test_an_added_layer() -> None:
    ir = network()
    found = diff(load(without_layer(ir, "relu"), ir.weights), loaded(ir))
    assert rows(found) == [("added", "relu", "", "", "")]


def test_a_layer_removed_from_a_chain_of_equal_layers_with_other_names() -> None:
    def chain(names: list[str]) -> Loaded:
        ir = Writer("chain")
        x = ir.parameter("x", F32, SMALL.shape)
        for name in names:
            (x,) = ir.layer("ReLU", "opset1", [x], [SMALL], name=name)
        ir.result(x, "y")
        return load(ir.text.encode(), ir.weights)

    assert rows(diff(chain(["a", "b", "c"]), chain(["b", "c"]))) == [("removed", "a", "", "", "")]


def test_renamed_layers_are_found_by_structure() -> None:
    found = diff(loaded(network()), loaded(network(), ('name="left"', 'name="right_"'), ('name="bias"', 'name="b"')))
    assert [(item.kind, item.layer, item.other) for item in found.changes] == [
        ("renamed", "bias", "b"),
        ("renamed", "left", "right_"),
    ]


def test_numbers_of_names_that_shift() -> None:
    """Generated names such as Add_3 belong to other layers after a layer was added before them."""

    def chain(values: list[float], first: int) -> Loaded:
        ir = Writer("chain")
        x = ir.parameter("x", F32, SMALL.shape)
        for number, value in enumerate(values, first):
            constant = ir.constant(np.array(value, np.float32), F32, f"Constant_{number}")
            (x,) = ir.layer("Add", "opset1", [x, constant], [SMALL], NUMPY, name=f"Add_{number}")
        ir.result(x, "y")
        return load(ir.text.encode(), ir.weights)

    found = diff(chain([1, 2, 3, 4, 5], 0), chain([9, 1, 2, 3, 4, 5], 0), names=False)
    assert found.counts == {"added": 2}
    assert [(item.kind, item.type, item.other) for item in found.changes if not item.follows] == [
        ("added", "Const", "Constant_0"),
        ("added", "Add", "Add_0"),
    ]


def test_tensor_names_of_outputs() -> None:
    found = compared(('names="flat"', 'names="probabilities"'))
    assert found.changes == (
        Change("renamed", "Reshape", "flat", "flat", "tensor names of output 0", "flat", "probabilities"),
    )


def test_twins_keep_their_partners() -> None:
    def twins(order: list[int]) -> Loaded:
        ir = Writer("twins")
        x = ir.parameter("x", F32, SMALL.shape)
        branches = [ir.layer("ReLU", "opset1", [x], [SMALL], name=f"{order}{place}")[0] for place in range(3)]
        ends = [ir.layer("Tanh", "opset1", [branches[place]], [SMALL])[0] for place in order]
        (out,) = ir.layer("Concat", "opset1", ends, [Fact(F32, Shape([1, 12, 4, 4]))], {"axis": "1"})
        ir.result(out, "y")
        return load(ir.text.encode(), ir.weights)

    assert diff(twins([0, 1, 2]), twins([2, 0, 1]), names=False).is_equal


def test_reordered_inputs_are_told() -> None:
    def sum_of(names: str) -> Loaded:
        ir = Writer("net")
        ports = {name: ir.parameter(name, F32, SMALL.shape) for name in names}
        (out,) = ir.layer("Subtract", "opset1", [ports["a"], ports["b"]], [SMALL], NUMPY, name="difference")
        ir.result(out, "y")
        return load(ir.text.encode(), ir.weights)

    found = diff(sum_of("ab"), sum_of("ba"))
    assert found.is_equal
    assert found.reordered == ("inputs",)


def test_record() -> None:
    record = compared(('type="Sigmoid"', 'type="Exp"')).as_dict()
    assert record == {
        "equal": False,
        "layers": [13, 13],
        "counts": {"operation": 1},
        "reordered": [],
        "constants_unread": False,
        "changes": [
            {
                "kind": "operation",
                "type": "Sigmoid",
                "layer": "left",
                "other": "left",
                "what": "operation",
                "before": "Sigmoid-1",
                "after": "Exp-1",
                "follows": False,
            }
        ],
    }
