"""Operations of extensions and operations by other names: reported only on request."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import irrun.model
from irrun.linter import lint
from irrun.linter.apply import apply_fixes
from tests.linter.rules.support import findings, layer, net, port, told
from tests.linter.snippets import example

X = layer(0, "x", "Parameter", 1, 'shape="2,3" element_type="f32"', outputs=port(0, "FP32", 2, 3))
Y = layer(9, "y", "Result", 1, inputs=port(0, "FP32", 2, 3))
IN, OUT = port(0, "FP32", 2, 3), port(1, "FP32", 2, 3)
LIBRARY = "an operation of a library, which the file does not name"


def middle(type: str, version: str, data: str = "") -> str:
    """Return x -> a layer of any type and version -> y."""
    inner = layer(1, "m", type, 1, data, IN, OUT).replace('"opset1"', f'"{version}"')
    return net(X, inner, Y, edges="0.0>1.0 1.1>9.0")


def written(folder: Path, text: str) -> Path:
    path = folder / "model.xml"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("page", "title"),
    [
        ("sound_files", "Extension tokenizer"),
        ("operation_of_a_library", "Operation of a library"),
        ("operation_by_another_name", "Operation by another name"),
    ],
)
def test_nothing_is_said_unasked(page: str, title: str, tmp_path: Path) -> None:
    assert list(lint(example(page, title).written(tmp_path))) == []


def test_an_unknown_library(tmp_path: Path) -> None:
    found = findings(tmp_path, middle("Sharpen", "acme"))
    assert told(found) == [("IR314", "info", f"Sharpen of acme is {LIBRARY}")]
    assert list(lint(written(tmp_path, middle("Sharpen", "acme")))) == []


def test_one_finding_for_all_layers_of_an_operation(tmp_path: Path) -> None:
    layers = [layer(id, f"l{id}", type, 1, "", IN, OUT) for id, type in enumerate(("Blur", "Edge", "Blur", "Blur"), 1)]
    text = net(X, *layers, Y, edges="0.0>1.0 1.1>2.0 2.1>3.0 3.1>4.0 4.1>9.0")
    for type in ("Blur", "Edge"):
        text = text.replace(f'"{type}" version="opset1"', f'"{type}" version="acme"')
    found = findings(tmp_path, text)
    assert told(found) == [("IR314", "info", f"{type} of acme is {LIBRARY}") for type in ("Blur", "Edge")]
    assert [item.notes for item in found] == [("2 more layers are of this operation",), ()]


@pytest.mark.parametrize(
    ("type", "version", "data", "message"),
    [
        ("Relu", "opset1", "", "OpenVINO reads Relu as ReLU"),
        ("SOFTMAX", "opset8", 'axis="1"', "OpenVINO reads SOFTMAX as SoftMax"),
        ("sigmoid", "opset3", "", "OpenVINO reads sigmoid as Sigmoid"),
    ],
)
def test_another_name(type: str, version: str, data: str, message: str, tmp_path: Path) -> None:
    """The fix writes the name that OpenVINO writes; the outputs of the file do not change."""
    path = written(tmp_path, middle(type, version, data))
    assert list(lint(path)) == []
    assert told(list(lint(path, asked=["IR313"]))) == [("IR313", "info", message)]
    given = np.array([[-1, 0, 2], [3, -4, 0.5]], np.float32)
    before = irrun.model.build(irrun.model.load(path))(given)[0]
    outcome = apply_fixes(path.read_bytes(), lambda data: lint(path, data=data, asked=["IR313"]))
    assert ([item.code for item in outcome.applied], list(outcome.left)) == (["IR313"], [])
    path.write_bytes(outcome.data)
    np.testing.assert_array_equal(irrun.model.build(irrun.model.load(path))(given)[0], before)


def test_another_type_and_another_opset_are_one_finding(tmp_path: Path) -> None:
    data = 'eps="1e-9" across_channels="true" normalize_variance="false"'
    (found,) = lint(written(tmp_path, middle("mvn", "opset1", data)), asked=["IR313"])
    assert found.message == "OpenVINO reads mvn of opset1 as MVN of opset2"
    assert found.fix is not None
    assert [edit.content for edit in found.fix.edits] == ["MVN", "opset2"]


@pytest.mark.parametrize(
    ("type", "version", "place"),
    [
        ("PagedAttentionExtension", "extension", "a pipeline that serves a language model"),
        ("RoPE", "ie_internal_opset", "a model that is being compiled"),
        ("ReLU", "type_relaxed_opset", "a model that is being compiled"),
        ("FullyConnected", "gpu_opset", "the GPU plugin"),
    ],
)
def test_only_inside_openvino(type: str, version: str, place: str, tmp_path: Path) -> None:
    found = findings(tmp_path, middle(type, version))
    what = f"{type} of {version} lives only inside {place}, and no OpenVINO reads it from a file"
    assert told(found) == [("IR315", "error", what)]


def test_a_release_is_compared_with_the_opsets_alone(tmp_path: Path) -> None:
    path = written(tmp_path, middle("Sharpen", "extension").replace('version="11"', 'version="10"'))
    assert list(lint(path, target_version="2020.1")) == []
