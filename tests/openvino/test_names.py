"""Every name of the installed OpenVINO is in irrun, or in a list with the reason why it is not."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from typing import Any

import pytest

import irrun
import irrun.openvino
from irrun.openvino.importing.absent import ABSENT
from irrun.openvino.release import NUMBER
from tests.engines import need

openvino = need("openvino")

MODULES = (
    *("", "exceptions", "experimental", "frontend", "helpers", "op", "op.util", "package_utils"),
    *("passes", "preprocess", "properties", "properties.device", "properties.hint", "properties.intel_auto"),
    *("properties.intel_cpu", "properties.intel_gpu", "properties.intel_gpu.hint", "properties.log"),
    *("properties.streams", "utils", *(f"opset{number}" for number in range(1, 18))),
)
IMPORTED = {"Any", "Callable", "ModuleType", "Optional", "Path", "annotations", "importlib", "os", "sys", "wraps"}
"""What OpenVINO's modules import for themselves."""
LEFT_OUT = {
    "frontend.frontend": "a module of the package",
    "frontend.tensorflow": "a module of the package",
    "frontend.get_version": "it is in the main module",
    **{f"opset{number}.ops": "a module of the package" for number in range(1, 18)},
}
"""Names without an entry in ABSENT, and why irrun does not have them."""


def names(module: Any) -> list[str]:
    return [name for name in dir(module) if not name.startswith("_") and name not in IMPORTED]


@pytest.mark.parametrize("path", MODULES)
def test_names(path: str) -> None:
    theirs, ours = (import_module(f"{root}.{path}".rstrip(".")) for root in ("openvino", "irrun.openvino"))
    missing = {name for name in names(theirs) if not hasattr(ours, name)}
    left_out = {name for name in missing if name in ABSENT or f"{path}.{name}" in LEFT_OUT}
    assert missing == left_out
    assert path or not missing, "the main module has every name"


def test_nothing_is_left_out_in_vain() -> None:
    for path in LEFT_OUT:
        module, _, name = path.rpartition(".")
        assert hasattr(import_module(f"openvino.{module}"), name)
        assert not hasattr(import_module(f"irrun.openvino.{module}"), name)


def test_every_builder_has_the_name_that_openvino_gives_it() -> None:
    for number in range(1, 18):
        theirs, ours = (getattr(module, f"opset{number}") for module in (openvino, irrun.openvino))
        known = {name.replace("_", "") for name in names(theirs)}
        other = [name for name in dir(ours) if name.replace("_", "") in known and not hasattr(theirs, name)]
        assert other == []


PARAMETERS = ("convert_model", "compile_model", "tensor_from_file")


@pytest.mark.parametrize("name", PARAMETERS)
def test_parameters(name: str) -> None:
    """The parameters of functions that Python can look into; the checks call the others."""
    theirs, ours = (inspect.signature(getattr(module, name)) for module in (openvino, irrun.openvino))
    assert list(ours.parameters) == list(theirs.parameters)
    assert {item.kind for item in ours.parameters.values()} == {item.kind for item in theirs.parameters.values()}


CLASSES = ("Core", "Model", "CompiledModel", "InferRequest", "AsyncInferQueue", "Op")


@pytest.mark.parametrize("name", CLASSES)
def test_parameters_of_methods(name: str) -> None:
    theirs, ours = getattr(openvino, name), getattr(irrun.openvino, name)
    found = 0
    for method, function in inspect.getmembers(theirs, inspect.isfunction):
        if method.startswith("_") or not inspect.isfunction(getattr(ours, method, None)):
            continue
        expected = [item for item in inspect.signature(function).parameters if item not in ("args", "kwargs")]
        got = list(inspect.signature(getattr(ours, method)).parameters)
        assert got[: len(expected)] == expected, method
        found += 1
    assert found or name in ("AsyncInferQueue", "Op")


def test_the_version_is_that_of_the_release() -> None:
    assert irrun.openvino.__version__ == irrun.openvino.get_version()
    form = r"(\d+\.\d+\.\d+)-(\d+)-[\w./-]+"
    ours, theirs = (re.fullmatch(form, module.get_version()) for module in (irrun.openvino, openvino))
    assert ours is not None
    assert theirs is not None
    assert ours[1] == theirs[1] == NUMBER
    assert irrun.__version__ == "0.1.0"


@pytest.mark.parametrize("name", ["RemoteContext", "RemoteTensor", "VAContext", "VASurfaceTensor"])
def test_what_cannot_work_says_so_when_it_is_used(name: str) -> None:
    with pytest.raises(RuntimeError, match=f"irrun has no {name}: "):
        getattr(irrun.openvino, name)("anything")


def test_converters_say_so_when_they_are_used() -> None:
    from irrun.openvino.frontend import FrontEndManager, OpConversionFailure

    with pytest.raises(RuntimeError, match="irrun has no FrontEndManager: only IR files are read"):
        FrontEndManager()
    assert issubclass(OpConversionFailure, RuntimeError)
    with pytest.raises(RuntimeError, match="irrun has no evaluate_both_bounds: inference keeps the bounds"):
        irrun.openvino.experimental.evaluate_both_bounds(None)
    with pytest.raises(AttributeError, match=r"irrun has no openvino\.tools\.benchmark: it needs"):
        _ = irrun.openvino.tools.benchmark


def test_convert_model_reads_an_ir(tmp_path: Any) -> None:
    x = irrun.openvino.opset13.parameter([2], float, name="x")
    model = irrun.openvino.Model([irrun.openvino.opset13.relu(x)], [x], "model")
    irrun.openvino.save_model(model, tmp_path / "model.xml")
    read = irrun.openvino.convert_model(tmp_path / "model.xml")
    assert [node.get_type_name() for node in read.get_ordered_ops()] == ["Parameter", "Relu", "Result"]
    assert irrun.openvino.convert_model(model) is model
    for given, what in (
        ({"input_model": tmp_path / "model.onnx"}, "models of ONNX are not read"),
        ({"input_model": object()}, "object is not the path of an IR: only IR files are read"),
        ({"input_model": model, "input": [1, 2]}, r"reads an IR as it is; Model\.reshape gives its inputs"),
    ):
        with pytest.raises(RuntimeError, match=what):
            irrun.openvino.convert_model(**given)
