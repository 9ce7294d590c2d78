"""``irrun edit`` of attributes, constants, outputs, variables, preprocessing, names and runtime information."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click.testing
import numpy as np
import pytest

from irrun.cli.editing import sharing
from irrun.model import Loaded, build, load
from irrun.reporting.diff import diff
from tests.test_pages import decoder, detector

Run = Callable[..., click.testing.Result]


@pytest.fixture
def model(tmp_path: Path) -> Path:
    detector(tmp_path / "detector.xml")
    np.save(tmp_path / "kernel.npy", np.ones((6, 3, 3, 3), np.float32))
    np.save(tmp_path / "double.npy", np.ones((6, 3, 3, 3)))
    np.save(tmp_path / "short.npy", np.ones((6, 3, 3), np.float32))
    return tmp_path / "detector.xml"


def changes(model: Path, other: Path) -> list[tuple[str, ...]]:
    found = diff(load(model), load(other)).changes
    return [(item.kind, item.layer or item.other, item.what) for item in found if not item.follows]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (
            ["set", "conv", "strides=2, 2"],
            [("attribute", "conv", "strides")],
        ),
        (["set", "nms", "sort_result_descending=false"], [("attribute", "nms", "sort_result_descending")]),
        (["weights", "iou_threshold=0.25"], [("constant", "iou_threshold", "value")]),
        (["weights", "kernel=kernel.npy"], [("constant", "kernel", "162 of 162 values, the first")]),
        (["output", "--add", "split:1"], [("added", "split/sink_port_1", "")]),
        (["output", "--remove", "features"], [("removed", "Result_16", "")]),
        (["info", "--set", "model_info/labels=a=b"], [("info", "", "model_info/labels")]),
        (["info", "--drop", "model_info"], [("info", "", "model_info/labels")]),
        (["info", "--set", "new/entry=1"], [("info", "", "new/entry")]),
        (
            ["info", "--layer", "conv", "--set", "user_data/mine=1", "--set", "fused_names=a, b"],
            [("info", "conv", "fused_names"), ("info", "conv", "mine")],
        ),
        (["rename", "--tensor", "conv:0=maps"], [("renamed", "conv", "tensor names of output 0")]),
        (["rename", "--layer", "conv=relu", "--layer", "relu=conv"], None),
    ],
    ids=lambda value: " ".join(value) if value and isinstance(value[0], str) else "",
)
def test_what_changes(
    run: Run, model: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], expected: list[tuple[str, ...]] | None
) -> None:
    monkeypatch.chdir(model.parent)
    command, *options = arguments
    result = run("edit", command, model, *options, "-o", "made.xml")
    assert (result.exit_code, result.stdout) == (0, ""), result.stderr
    if expected is not None:
        assert changes(model, Path("made.xml")) == expected
    assert run("lint", "made.xml", "--select", "IR2,IR3,IR4,IR5").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["set", "cnov", "strides=2, 2"], 'no layer "cnov"; did you mean conv?'),
        (["set", "conv", "stride=2, 2"], 'Convolution has no attribute "stride"; did you mean strides?'),
        (["set", "conv", "strides=two"], 'strides="two" is not a list of integers'),
        (["set", "kernel", "offset=1"], 'layer "kernel" is a constant: irrun edit weights sets its values'),
        (["weights", "conv=1"], 'layer "conv" (Convolution) is no constant; it reads the constant "kernel"'),
        (["weights", "kernel=1"], "the constant is f32[6,3,3,3], expected an array instead of a number"),
        (["weights", "kernel=double.npy"], 'the array is float64, expected float32 for the f32 of "kernel"'),
        (
            ["weights", "kernel=short.npy"],
            'the array has shape [6, 3, 3], expected [6, 3, 3, 3], that of "kernel"',
        ),
        (["weights", "kernel=gone.npy"], "gone.npy: No such file or directory"),
        (["output", "--add", "scoers"], 'no tensor "scoers"; did you mean scores?'),
        (["output", "--add", "split:7"], 'layer "split" has 2 outputs, so there is no output 7'),
        (["output", "--add", "features"], 'tensor "features" is an output already'),
        (["output", "--remove", "slectd"], 'no output "slectd"; did you mean selected?'),
        (["output", "--remove", "features", "--remove", "selected"], "no output is left, expected one at least"),
        (["preprocess", "--type", "u7"], 'no element type "u7"'),
        (["preprocess", "--layout", "N(C"], "the layout 'N(C' is malformed"),
        (["preprocess", "--input", "imag", "--mean", "1"], 'no input "imag"; did you mean image?'),
        (["preprocess", "--mean", "1,2"], "do not broadcast"),
        (["info", "--drop", "model_info/labelz"], 'no rt_info "model_info/labelz"; did you mean model_info/labels?'),
        (["info", "--set", "model_info=1"], '"model_info" has entries inside, labels, expected one of these'),
        (["info", "--set", "model_info/labels/x=1"], '"labels" of "model_info/labels/x" has a value'),
        (["info", "--layer", "conv", "--set", "nonsense=1"], '"nonsense" is not runtime information of a layer'),
        (["info", "--layer", "conv", "--drop", "layout"], 'layer "conv" has no rt_info "layout"'),
        (["state", "--remove"], "the model has no variables"),
        (["state", "--remove", "--variable", "v"], 'the model has no variable "v" that is read and assigned'),
        (["state", "--make", "image=features"], "expected [1,3,16,16], that of input"),
        (["rename", "--layer", "conv=relu"], 'the name "relu" is that of ReLU layer 3 already'),
        (["rename", "--tensor", "features=scores"], 'the tensor name "scores" is that of output'),
        (["rename", "--tensor", "featurez=x"], 'no tensor "featurez"; did you mean features?'),
        (["weights", "iou_threshold=1", "--xml-only"], "the edit changes constants or leaves some out"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_does_not_fit(
    run: Run, model: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(model.parent)
    command, *options = arguments
    result = run("edit", command, model, *options, "-o", "made.xml")
    assert (result.exit_code, result.stdout) == (2, "")
    (line,) = result.stderr.splitlines()
    assert line.startswith("error: ")
    assert message in line
    assert not list(model.parent.glob("*made*"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["output"], "expected --add or --remove"),
        (["info"], "expected --set or --drop"),
        (["state"], "expected --make or --remove"),
        (["state", "--make", "a=b", "--variable", "v"], "--variable requires --remove"),
        (["preprocess"], "expected a step, such as --type, --mean or --resize"),
        (["preprocess", "--mean", "a"], '--mean is "a", expected numbers'),
        (["preprocess", "--size", "4"], '--size is "4", expected HEIGHTxWIDTH'),
        (["set", "conv", "strides"], '"strides" is not a pair of names, expected ATTRIBUTE=VALUE'),
        (["weights", "=1"], '"=1" is not a pair of names'),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_misuse(run: Run, model: Path, arguments: list[str], message: str) -> None:
    command, *options = arguments
    result = run("edit", command, model, "-o", model.with_name("made.xml"), *options)
    assert result.exit_code == 2
    assert message in result.stderr


def test_a_full_disk_leaves_nothing(run: Run, model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device", "made.xml")

    monkeypatch.setattr(sharing, "save", full)
    result = run("edit", "rename", model, "--layer", "conv=x", "-o", model.with_name("made.xml"))
    assert (result.exit_code, result.stderr) == (2, "error: made.xml: No space left on device\n")
    assert not list(model.parent.glob("*made*"))


def outputs(model: Loaded, **inputs: Any) -> list[np.ndarray]:
    return [np.asarray(array) for array in build(model)(inputs).to_tuple()]


def test_the_xml_alone(run: Run, model: Path) -> None:
    made = model.with_name("made.xml")
    assert run("edit", "rename", model, "--layer", "conv=stem", "-o", made, "--xml-only", "-q").exit_code == 0
    assert not made.with_suffix(".bin").exists()
    image = np.ones((1, 3, 16, 16), np.float32)
    ours = outputs(load(made, model.with_suffix(".bin")), image=image)
    assert all(np.array_equal(a, b) for a, b in zip(ours, outputs(load(model), image=image), strict=True))


def test_pixels(run: Run, model: Path) -> None:
    made = model.with_name("made.xml")
    steps = ["--type", "u8", "--layout", "NHWC", "--color", "rgb", "--model-color", "bgr", "--mean", "1,2,3"]
    assert run("edit", "preprocess", model, *steps, "--scale", "2", "-o", made, "-q").exit_code == 0
    pixels = np.random.default_rng(4).integers(0, 255, (1, 16, 16, 3), dtype=np.uint8)
    image = ((pixels[..., ::-1].astype(np.float32) - [1, 2, 3]) / 2).transpose(0, 3, 1, 2).astype(np.float32)
    ours, expected = outputs(load(made), image=pixels), outputs(load(model), image=image)
    np.testing.assert_allclose(ours[0], expected[0], rtol=1e-4, atol=1e-4)
    names = [node.name for node in load(made).graph.ordered()]
    assert len(set(names)) == len(names)


def test_states_there_and_back(run: Run, tmp_path: Path) -> None:
    decoder(tmp_path / "decoder.xml", is_stateful=False)
    stateful, stateless = tmp_path / "stateful.xml", tmp_path / "stateless.xml"
    assert run("edit", "state", tmp_path / "decoder.xml", "--make", "past=present", "-o", stateful, "-q").exit_code == 0
    assert [port.any_name for port in load(stateful).inputs] == ["x"]
    assert run("edit", "state", stateful, "--remove", "-o", stateless, "-q").exit_code == 0
    made = load(stateless)
    assert [port.any_name for port in made.inputs] == ["x", "input_restored.pastpresent"]
    assert [port.any_name for port in made.outputs] == ["y", "output_restored.pastpresent"]
    first, second = np.ones((1, 2), np.float32), np.full((1, 3), 2, np.float32)
    found = build(made)({"x": second, "input_restored.pastpresent": first}).to_tuple()
    assert np.asarray(found[0]).tolist() == [[8]]
    assert np.asarray(found[1]).tolist() == [[1, 1, 2, 2, 2]]
