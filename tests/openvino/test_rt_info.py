"""Runtime information in the API: read from files, set, kept by edits, and written as OpenVINO writes it."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.engines import need
from tests.test_pages import detector

openvino = need("openvino")
LIBRARIES = [pytest.param(name, id=name) for name in ("openvino", "irrun.openvino")]


def library(name: str) -> Any:
    import_module(f"{name}.preprocess")
    import_module(f"{name}._offline_transformations")
    return import_module(name)


def made(ov: Any) -> Any:
    """Return a model of an Add and a ReLU, two outputs, with notes on nodes and ports."""
    ops = ov.opset13
    x, y = (ops.parameter([2, 3], ov.Type.f32, name=name) for name in ("x", "y"))
    relu = ops.relu(x)
    relu.set_friendly_name("relu")
    total = ops.add(ops.add(relu, y), ops.constant(np.float32(1), name="one"))
    total.set_friendly_name("total")
    model = ov.Model([ops.result(relu, name="r"), ops.result(total, name="t")], [x, y], "m")
    for key, value in (("b", True), ("d", {"a": 1}), ("f", 1.5), ("i", 7), ("l", [1, 2]), ("t", "text")):
        relu.set_rt_info(value, f"user_data{key}")
    relu.set_rt_info("not written", "mine")
    relu.output(0).get_rt_info()["user_dataport"] = "p"
    relu.input(0).get_rt_info()["user_datain"] = "q"
    x.set_layout(ov.Layout("NC"))
    model.get_results()[1].set_layout(ov.Layout("N?"))
    model.set_rt_info("cat dog", ["model_info", "labels"])
    return model


def test_files_are_equal(tmp_path: Path) -> None:
    texts = []
    for name in ("openvino", "irrun.openvino"):
        ov = library(name)
        ov.serialize(made(ov), str(tmp_path / f"{name}.xml"))
        text = (tmp_path / f"{name}.xml").read_text()
        texts.append([part.split("</rt_info>")[0] for part in text.split("<rt_info>")[1:]])
    assert texts[1] == texts[0]


@pytest.mark.parametrize("name", LIBRARIES)
def test_what_is_read(tmp_path: Path, name: str) -> None:
    ov = library(name)
    openvino.serialize(made(openvino), str(tmp_path / "model.xml"))
    model = ov.Core().read_model(str(tmp_path / "model.xml"))
    assert [str(item.layout) for item in model.get_parameters()] == ["[N,C]", "[...]"]
    assert [str(item.layout) for item in model.get_results()] == ["[...]", "[N,?]"]
    relu = next(node for node in model.get_ops() if node.friendly_name == "relu")
    assert sorted(relu.get_rt_info().keys()) == [f"user_data{key}" for key in "bdfilt"]
    assert relu.get_rt_info()["user_datat"].astype(str) == "text"
    assert relu.output(0).get_rt_info()["user_dataport"].astype(str) == "p"
    assert model.get_parameters()[0].output(0).get_rt_info()["layout_0"].astype(str) == "[N,C]"
    model.get_parameters()[1].set_layout(ov.Layout("N?"))
    ov.set_batch(model, 5)
    assert [str(port.partial_shape) for port in model.inputs] == ["[5,3]", "[5,3]"]


@pytest.mark.parametrize("name", LIBRARIES)
def test_the_mapping_is_that_of_the_model(name: str) -> None:
    model = made(library(name))
    notes = model.get_rt_info()
    notes["other"] = "1"
    del notes["model_info"]
    assert not model.has_rt_info("model_info")
    assert model.get_rt_info("other").astype(str) == "1"
    with pytest.raises(KeyError):
        del notes["model_info"]


@pytest.mark.parametrize("name", LIBRARIES)
def test_the_order_of_nodes(name: str) -> None:
    names = [node.friendly_name for node in made(library(name)).get_ops()]
    names[names.index("total") + 1 :] = sorted(names[names.index("total") + 1 :])
    assert names[:4] == ["y", "x", "t", "total"]


@pytest.mark.parametrize("name", LIBRARIES)
def test_names_of_two_results_of_one_tensor(tmp_path: Path, name: str) -> None:
    ov = library(name)
    x = ov.opset13.parameter([2], ov.Type.f32, name="x")
    relu = ov.opset13.relu(x)
    model = ov.Model([relu, relu], [x], "m")
    model.outputs[0].get_tensor().set_names({"first"})
    model.outputs[1].get_tensor().set_names({"second"})
    ov.save_model(model, str(tmp_path / "model.xml"))
    for reader in (openvino, library("irrun.openvino")):
        read = reader.Core().read_model(str(tmp_path / "model.xml"))
        assert [port.get_names() for port in read.outputs] == [{"first"}, {"second"}]
        assert read.get_results()[0].input_value(0).get_names() == {"first", "second"}


@pytest.mark.parametrize("name", LIBRARIES)
def test_an_output_keeps_its_name(name: str) -> None:
    ov = library(name)
    x = ov.opset13.parameter([2], ov.Type.f32, name="x")
    relu = ov.opset13.relu(x)
    relu.output(0).get_tensor().set_names({"scores"})
    model = ov.Model([ov.opset13.result(relu)], [x], "m")
    model.outputs[0].get_tensor().set_names({"scores"})
    (result,) = model.get_results()
    result.input(0).replace_source_output(ov.opset13.exp(relu).output(0))
    assert model.outputs[0].get_names() == {"scores"}
    model.replace_parameter(0, ov.opset13.parameter([2], ov.Type.f32, name="y"))
    assert "x" in model.inputs[0].get_names() or model.inputs[0].get_names() == set()
    (added,) = model.add_outputs([relu.output(0)])
    assert added.get_any_name()


@pytest.mark.parametrize("name", LIBRARIES)
def test_replaced_nodes_hand_over_their_notes(name: str) -> None:
    ov = library(name)
    utils = import_module(f"{name}.utils")
    model = made(ov)
    relu = next(node for node in model.get_ops() if node.friendly_name == "relu")
    other = ov.opset13.exp(relu.input_value(0))
    assert utils.replace_output_update_name(relu.output(0), other.output(0))
    assert "user_datat" in list(other.get_rt_info().keys())
    assert "user_dataport" in list(other.output(0).get_rt_info().keys())


@pytest.mark.parametrize("name", LIBRARIES)
def test_states_of_language_models(name: str) -> None:
    ov = library(name)
    ops = ov.opset13
    util = import_module(f"{name}.op.util")
    x, beams = ops.parameter([1, -1, 4], ov.Type.f32, name="x"), ops.parameter([-1], ov.Type.i32, name="beam_idx")
    info = util.VariableInfo()
    info.data_shape, info.data_type = ov.PartialShape([1, -1, 4]), ov.Type.f32
    info.variable_id = "past_key_values.0.keypresent.0.key"
    variable = util.Variable(info)
    read = ops.read_value(ops.constant(np.zeros((1, 0, 4), np.float32)), variable)
    cat = ops.concat([ops.gather(read, beams, ops.constant(0)), x], 1)
    model = ov.Model([ops.result(ops.relu(cat), name="out")], [ops.assign(cat, variable)], [x, beams], "m")
    ov._offline_transformations.stateful_to_stateless_transformation(model)
    assert [item.friendly_name for item in model.get_parameters()] == ["x", "past_key_values.0.key"]
    assert [item.friendly_name for item in model.get_results()] == ["out", "present.0.key"]
    assert [str(port.partial_shape) for port in model.inputs] == ["[1,?,4]", "[?,?,4]"]
    assert [sorted(port.get_names()) for port in model.outputs][1:] == [["present.0.key"]]
    assert not model.get_sinks()
    with pytest.raises(RuntimeError):
        ov._offline_transformations.stateful_to_stateless_transformation(made(ov))


def test_pages_of_a_cache_are_refused() -> None:
    ov = library("irrun.openvino")
    with pytest.raises(RuntimeError, match="irrun has no paged attention"):
        ov._offline_transformations.paged_attention_transformation(made(ov))


def test_a_preprocessed_file_is_preprocessed_again(tmp_path: Path) -> None:
    detector(tmp_path / "model.xml")
    for name in ("openvino", "irrun.openvino"):
        ov = library(name)
        processor = ov.preprocess.PrePostProcessor(ov.Core().read_model(str(tmp_path / "model.xml")))
        processor.input().tensor().set_layout(ov.Layout("NHWC"))
        ov.serialize(processor.build(), str(tmp_path / f"{name}.xml"))
        again = ov.Core().read_model(str(tmp_path / f"{name}.xml"))
        assert str(again.get_parameters()[0].layout) == "[N,H,W,C]"
        assert str(again.inputs[0].partial_shape) == "[1,16,16,3]"
