"""Nodes as handles of a graph: how long they live, how graphs are joined, and what an edit costs."""

from __future__ import annotations

import gc
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

import irrun.editing.mutable
import irrun.openvino as ov
from irrun.openvino import opset13 as ops
from irrun.tensor import Fact, Shape
from irrun.tensor.element_type import F32


def chain(length: int) -> ov.Model:
    x = ops.parameter([2, 3], np.float32, name="x")
    node = x
    for _ in range(length):
        node = ops.tanh(node)
    return ov.Model([node], [x], "chain")


def test_a_node_without_a_handle_goes_with_what_only_it_used() -> None:
    x = ops.parameter([2], np.float32)
    dropped = ops.exp(ops.relu(x))
    assert [item.node.get_type_name() for item in x.output(0).target_inputs] == ["Relu"]
    del dropped
    gc.collect()
    assert x.output(0).target_inputs == set()


def test_a_node_that_another_consumes_stays_without_a_handle() -> None:
    last = ops.exp(ops.relu(ops.parameter([2], np.float32, name="x")))
    gc.collect()
    (first,) = last.input_value(0).node.input_values()
    assert first.node.friendly_name == "x"


def test_a_handle_is_the_same_as_long_as_it_is_held() -> None:
    model = chain(3)
    first, second = model.get_ordered_ops()[1], model.get_ordered_ops()[1]
    assert first is second
    assert first.output(0) == second.output(0)


def test_notes_outlive_handles() -> None:
    model = chain(3)
    model.get_ordered_ops()[2].rt_info["mark"] = 7
    gc.collect()
    assert model.get_ordered_ops()[2].rt_info["mark"] == 7


def test_two_models_share_nodes() -> None:
    x = ops.parameter([2], np.float32, name="x")
    middle = ops.relu(x)
    first, second = ov.Model([ops.exp(middle)], [x]), ov.Model([ops.negative(middle)], [x])
    values = np.array([-1, 2], np.float32)
    assert ov.compile_model(first)(values)[0].tolist() == pytest.approx(np.exp([0, 2]).tolist())
    assert ov.compile_model(second)(values)[0].tolist() == [0, -2]
    assert len(first.get_ops()) == len(second.get_ops()) == 4


def test_models_that_were_read_are_joined_with_their_weights(tmp_path: Path) -> None:
    for number in (1.0, 2.0):
        x = ops.parameter([2], np.float32, name="x")
        product = ops.multiply(x, np.full(2, number, np.float32))
        ov.save_model(ov.Model([product], [x]), tmp_path / f"{number:.0f}.xml", compress_to_fp16=False)
    first, second = (ov.Core().read_model(tmp_path / f"{number}.xml") for number in (1, 2))
    second.parameters[0].output(0).replace(first.results[0].input_value(0))
    both = ov.Model([second.results[0]], [first.parameters[0]])
    assert ov.compile_model(both)(np.array([3, 4], np.float32))[0].tolist() == [6, 8]


def test_a_compiled_model_does_not_see_later_edits() -> None:
    model = chain(1)
    compiled = ov.compile_model(model)
    (tanh,) = (node for node in model.get_ordered_ops() if node.get_type_name() == "Tanh")
    tanh.output(0).replace(ops.negative(tanh.input_value(0)).output(0))
    values = np.ones((2, 3), np.float32)
    assert compiled(values)[0][0, 0] == pytest.approx(np.tanh(1))
    assert ov.compile_model(model)(values)[0][0, 0] == -1


def test_the_graph_of_a_model_is_the_graph_that_was_bound() -> None:
    model = ov.Core().read_model(Path(__file__).parents[2] / "examples" / "digits" / "model.xml")
    assert model.graph is model.value.bound.graph
    assert isinstance(model.graph, nx.MultiDiGraph)
    assert nx.is_frozen(model.graph)


def test_the_value_of_a_model_follows_facts_that_are_given_without_another_edit() -> None:
    model = chain(2)
    (x,) = model.parameters
    assert str(model.value.facts.results()[0]) == "f32[2,3]"
    model._graph.give(x._id, [Fact(F32, Shape([5, 3]))])
    assert str(model.value.facts.results()[0]) == "f32[5,3]"


def test_an_output_that_is_not_there_is_refused() -> None:
    split = ops.split(ops.parameter([4], np.float32), 0, 2)
    assert [str(fact) for fact in split.facts] == ["f32[2]", "f32[2]"]
    for index in (-1, 2):
        with pytest.raises(RuntimeError, match=f"has 2 outputs, so there is no output {index}"):
            split.output(index)


def test_a_node_on_itself_is_refused() -> None:
    model = chain(3)
    nodes = model.get_ordered_ops()
    nodes[1].input(0).replace_source_output(nodes[3].output(0))
    with pytest.raises(RuntimeError, match="depends on its own output"):
        ov.compile_model(model)


def test_an_edit_infers_what_it_touches(monkeypatch: pytest.MonkeyPatch) -> None:
    model = chain(500)
    nodes = model.get_ordered_ops()
    model.validate_nodes_and_infer_types()
    inferred = []
    original = irrun.editing.mutable.infer_node
    monkeypatch.setattr(
        irrun.editing.mutable, "infer_node", lambda node, *rest: inferred.append(node.type) or original(node, *rest)
    )
    for node in nodes[1:101]:
        node.input(0).replace_source_output(ops.relu(node.input_value(0)).output(0))
        model.validate_nodes_and_infer_types()
    assert inferred == ["ReLU"] * 100
    model.reshape([4, 3])
    assert len(inferred) == 100 + 600 + 1
    assert model.outputs[0].shape == [4, 3]
