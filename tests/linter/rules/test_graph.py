"""Unused layers, and names and variables without a counterpart."""

from __future__ import annotations

from pathlib import Path

from tests.linter.models import CLAMP, ITERATOR, NET, STATEFUL
from tests.linter.rules.support import findings, layer, net, port, told

X = layer(0, "x", "Parameter", 1, 'shape="2" element_type="f32"', outputs=port(0, "FP32", 2))
Y = layer(9, "y", "Result", 1, inputs=port(0, "FP32", 2))


def relu(id: int, name: str) -> str:
    return layer(id, name, "ReLU", 1, inputs=port(0, "FP32", 2), outputs=port(1, "FP32", 2))


def test_a_dead_branch_is_one_finding_at_its_end(tmp_path: Path) -> None:
    text = net(X, relu(1, "a"), relu(2, "b"), relu(3, "c"), Y, edges="0.0>1.0 1.1>2.0 2.1>3.0 0.0>9.0")
    (found,) = findings(tmp_path, text)
    assert found.layer is not None
    assert (found.code, found.layer.name) == ("IR210", "c")
    assert found.message == "no Result and no Assign depends on this layer, and 2 more layers on the way to it"


def test_an_assign_keeps_what_it_depends_on(tmp_path: Path) -> None:
    assert told(findings(tmp_path, STATEFUL)) == []


def test_a_constant_that_nothing_reads_is_an_information(tmp_path: Path) -> None:
    constant = layer(5, "c", "Const", 1, 'element_type="f32" shape="2" offset="0" size="8"', "", port(0, "FP32", 2))
    text = net(X, constant, Y, edges="0.0>9.0")
    assert [item[:2] for item in told(findings(tmp_path, text, bytes(8)))] == [("IR210", "info")]


def test_a_widened_constant_that_nothing_reads_is_an_information(tmp_path: Path) -> None:
    constant = layer(5, "c", "Const", 1, 'element_type="f16" shape="2" offset="0" size="4"', "", port(0, "FP16", 2))
    wide = layer(6, "w", "Convert", 1, 'destination_type="f32"', port(0, "FP16", 2), port(1, "FP32", 2))
    found = findings(tmp_path, net(X, constant, wide, Y, edges="0.0>9.0 5.0>6.0"), bytes(4))
    assert [item[:2] for item in told(found)] == [("IR210", "info")]


def test_a_lost_edge_is_not_reported_again_as_a_dead_layer(tmp_path: Path) -> None:
    text = NET.replace('<edge from-layer="1" from-port="1" to-layer="2" to-port="0"/>', "")
    assert [item.code for item in findings(tmp_path, text)] == ["IR204"]


def test_a_dead_layer_in_a_body(tmp_path: Path) -> None:
    spare = layer(7, "spare", "ReLU", 1, inputs=port(0, "FP32", 1, 3), outputs=port(1, "FP32", 1, 3))
    text = ITERATOR.replace(
        "</layers>\n                <edges>",
        f'{spare}</layers>\n<edges><edge from-layer="0" from-port="0" to-layer="7" to-port="0"/>',
    )
    (found,) = findings(tmp_path, text)
    assert (found.code, found.notes) == ("IR210", ('in TensorIterator "steps" › body',))


def test_names_are_compared_within_a_net(tmp_path: Path) -> None:
    assert told(findings(tmp_path, ITERATOR.replace('name="add"', 'name="steps"'))) == []
    (found,) = findings(tmp_path, ITERATOR.replace('name="add"', 'name="row"'))
    assert found.message == 'the name "row" is taken by layer 0 (Parameter), expected a name of its own'
    assert found.notes == ('in TensorIterator "steps" › body',)


def test_a_bare_layer_needs_no_result(tmp_path: Path) -> None:
    assert told(findings(tmp_path, CLAMP)) == []
    assert told(findings(tmp_path, CLAMP + CLAMP.replace('id="1" name', 'id="2" name'))) == []


def test_a_parameter_alone_is_no_result_and_not_unused_too(tmp_path: Path) -> None:
    assert [item.code for item in findings(tmp_path, net(X, edges=""))] == ["IR211"]


def test_a_variable_under_two_names_is_one_finding(tmp_path: Path) -> None:
    text = STATEFUL.replace('<data variable_id="state"/>', '<data variable_id="memory"/>')
    assert told(findings(tmp_path, text)) == [
        ("IR214", "warning", 'no ReadValue reads the variable "memory"; ReadValue reads "state"')
    ]


def test_a_variable_that_is_read_only_is_an_information(tmp_path: Path) -> None:
    read = layer(
        1, "old", "ReadValue", 6, 'variable_id="v" variable_type="f32" variable_shape="2"', "", port(0, "FP32", 2)
    )
    assert told(findings(tmp_path, net(read, Y, edges="1.0>9.0"))) == [
        ("IR214", "info", 'no Assign writes the variable "v"')
    ]
