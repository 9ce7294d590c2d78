"""Parts of debugging by themselves: answers, cuts of two models, dumps, other engines."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import irrun.debugging
import irrun.evaluation
from irrun.debugging import DebugError, Tolerance, compare
from irrun.debugging.answers import Answers, shows
from irrun.debugging.cases import Case
from irrun.debugging.cutting_pairs import beside, of_layers
from irrun.debugging.diagnosing import diagnose_layers
from irrun.debugging.dumping import dump
from irrun.debugging.engines import in_parts
from irrun.debugging.layers import LayerComparison, LayerDifference
from irrun.debugging.metrics import errors
from irrun.debugging.onnx_runtime import OnnxSide
from irrun.debugging.verdicts import Verdict
from irrun.model import Loaded, load
from irrun.tensor import Array
from tests.cases import f32
from tests.debugging.pieces import X, net, nothing
from tests.debugging.test_suspecting import Engine
from tests.engines import need
from tests.nets import Net

ONE, TWO = f32([1, 2]), f32([[1, 2]])


def test_the_worst_of_several_answers() -> None:
    """An output of another shape is worse than any number."""
    assert Answers((ONE, ONE), (ONE, ONE * 3)).worst[0] == 1
    assert Answers((ONE, ONE), (ONE * 3, TWO)).worst == (1, None)
    assert Answers((ONE,), (TWO,)).differ(Tolerance())
    assert Answers((), ()).worst == (0, None)


def test_a_case_without_an_answer_shows_nothing(tmp_path: Path) -> None:
    def refuse(case: Case) -> Answers:
        raise DebugError(f"{len(case.models)} models")

    case = Case((net(tmp_path / "a.xml", nothing),))
    assert not shows(refuse, Tolerance())(case)
    assert shows(lambda _: Answers((ONE,), (ONE * 2,)), Tolerance())(case)


def difference(path: Path, *names: str) -> Loaded:
    """The first input less the others, in the order of the inputs."""
    made = Net()
    inputs = {name: made.parameter(name, "1,2") for name in names}
    at = inputs[sorted(names)[0]]
    for name in sorted(names)[1:]:
        at = made.layer("Subtract", [at, inputs[name]], name=f"less_{name}")
    made.result(at)
    return load(made.save(path))


def test_inputs_in_the_order_of_another_model(tmp_path: Path) -> None:
    first, second = difference(tmp_path / "a.xml", "a", "b"), difference(tmp_path / "b.xml", "b", "a")
    made = beside(first, second)
    assert [port.any_name for port in made.inputs] == ["a", "b"]
    assert [port.any_name for port in second.inputs] == ["b", "a"]
    more = difference(tmp_path / "c.xml", "b", "c", "a")
    assert beside(first, more) is more
    assert beside(first, first) is first


def test_layers_of_other_inputs_cannot_be_cut_out(tmp_path: Path) -> None:
    def model(name: str, *, is_constant: bool) -> tuple[Loaded, int]:
        made = Net()
        x = made.parameter("x", "1,2")
        made.result(made.layer("Add", [x, made.constant(ONE) if is_constant else x], name="sum"))
        found = load(made.save(tmp_path / f"{name}.xml"))
        return found, next(node.id for node in found.graph.ordered() if node.name == "sum")

    first, second = model("a", is_constant=True), model("b", is_constant=False)
    with pytest.raises(DebugError, match=r'^"sum" has other inputs in the other model$'):
        of_layers(*first, *second)
    assert len(of_layers(*first, *first).starts) == 1


def test_tensors_in_an_archive_have_distinct_names(tmp_path: Path) -> None:
    made = Net()
    at = made.layer("Tanh", [made.parameter("x", "1,2")], name="a:b")
    made.result(made.layer("Exp", [at], name="a_b"))
    model = load(made.save(tmp_path / "net.xml"))
    (result,) = dump(model, {0: TWO}, tmp_path / "tensors.npz", {"OPTIMIZE": False}).to_tuple()
    with np.load(tmp_path / "tensors.npz") as found:
        assert sorted(found.files) == ["a_b", "a_b_2"]
        np.testing.assert_array_equal(found["a_b_2"], result)
        np.testing.assert_allclose(found["a_b"], np.tanh(TWO), rtol=1e-6)
    dump(model, {0: TWO}, tmp_path / "chosen", {"OPTIMIZE": False}, types=["Exp"])
    assert [path.name for path in sorted((tmp_path / "chosen").glob("*.npy"))] == ["0000-a_b.npy"]


def test_outputs_that_each_side_has_alone(tmp_path: Path) -> None:
    """Two outputs beside one have no counterparts by place."""

    def model(*outputs: str) -> Loaded:
        made = Net()
        x = made.parameter("x", "2,4")
        for place, name in enumerate(outputs):
            made.result(made.layer(("Tanh", "Abs", "Exp")[place], [x], tensor=name))
        return load(made.save(tmp_path / f"{len(outputs)}.xml"))

    found = compare(model("y", "u", "v"), model("y", "w"), X).verdict
    assert (found.verdict, found.suspects) == ("unknown", ())


class Failing(Engine):
    """An engine that has no tensors."""

    def tensors(self, keys: Any, sink: Any) -> Any:
        del keys, sink
        raise RuntimeError("no tensors here\nmore of it")


def test_layers_that_cannot_be_compared(tmp_path: Path) -> None:
    model = net(tmp_path / "a.xml", nothing)
    found = compare(model, Failing(model, X, optimised=2), X)
    assert found.verdict == Verdict("unknown", reason="no tensors here")
    assert found.as_dict()["layers"] is None
    assert found.as_dict()["reason"] == "no tensors here"


def told(model: Loaded, array: Array, other: Array, *, has_own: bool) -> Verdict:
    """Return the verdict on the only layer of a model, whose errors are its own, or not known as such."""
    (id,) = (node.id for node in model.graph.ordered() if node.name == "it")
    found = errors(array, other)
    own = found if has_own else None
    item = LayerDifference("it", "Tanh", 0, id, "it", "name", (2,), "", True, True, found, own)
    layers = LayerComparison((item,), (array,), (other,))
    return diagnose_layers(model, layers, "engine", [array], [other], Tolerance(1e-6, 0))


def test_a_step_of_halves_accuses_nobody(tmp_path: Path) -> None:
    made = Net()
    made.result(made.layer("Tanh", [made.parameter("x", "2", "f16")], name="it"))
    model, step = load(made.save(tmp_path / "net.xml")), np.float32(2.0**-11)
    near = told(model, ONE, ONE * (1 + step), has_own=True)
    assert near == Verdict("different", (), "rounding", '"it": one step of f16')
    for has_own, factor in ((True, 8), (False, 1)):
        (suspect,) = told(model, ONE, ONE * (1 + factor * step), has_own=has_own).suspects
        assert (suspect.name, suspect.cause) == ("it", "implementation")
        assert suspect.error == pytest.approx(factor * step, rel=0.01)


def test_layers_behind_variables(tmp_path: Path) -> None:
    """A layer with a state is not computed apart: where it reads what differs, it is not accused."""
    made = Net()
    first = made.layer("Tanh", [made.parameter("x", "2,4")], name="first")
    large = made.layer("Exp", [made.layer("Multiply", [first, made.constant(f32(50))], name="times")], name="exp")
    read = made.layer("ReadValue", [large], opset=3, variable_id="v", name="read")
    made.layer("Assign", [read], opset=3, variable_id="v", name="assign")
    made.result(made.layer("Abs", [read], name="abs"))
    model = load(made.save(tmp_path / "net.xml"))

    def larger(array: Array) -> Array:
        return array * np.float32(1.0005)

    def power(array: Array) -> Array:
        return np.asarray(array ** np.float32(1.0005))

    changed: Mapping[str, Any] = {"first": larger, "times": larger, **dict.fromkeys(("exp", "read", "abs"), power)}
    found = compare(model, Engine(model, X, changed), X)
    assert found.verdict == Verdict(
        "unknown", reason="some layers cannot be computed with the inputs of the other side"
    )


def test_parts_of_tensors() -> None:
    assert list(in_parts([], {})) == []


@pytest.mark.parametrize("module", [irrun.debugging, irrun.evaluation])
def test_names_that_a_package_does_not_have(module: Any) -> None:
    with pytest.raises(AttributeError, match=f"^module '{module.__name__}' has no attribute 'nothing'$"):
        module.nothing  # noqa: B018


def onnx_net(path: Path, type: str) -> Path:
    helper = need("onnx").helper
    ends = [helper.make_tensor_value_info(name, 1, [1, 2]) for name in ("x", "y")]
    nodes = [helper.make_node(type, ["x"], ["z"], name="first"), helper.make_node("Abs", ["z"], ["y"], name="second")]
    model = helper.make_model(helper.make_graph(nodes, "net", ends[:1], ends[1:]), ir_version=8)
    path.write_bytes(model.SerializeToString())
    return path


def test_inputs_of_onnx_by_place(tmp_path: Path) -> None:
    side = OnnxSide(onnx_net(tmp_path / "net.onnx", "Neg"))
    side.feed({("other", "names"): TWO})
    assert [array.tolist() for array in side.outputs()] == [[[1, 2]]]
    with pytest.raises(DebugError):
        side.feed({("a",): TWO, ("b",): TWO})


def test_what_onnx_runtime_cannot_run(tmp_path: Path) -> None:
    side = OnnxSide(onnx_net(tmp_path / "net.onnx", "Mystery"))
    side.feed({("x",): TWO})
    with pytest.raises(DebugError, match=r"^ONNX Runtime cannot run .*net\.onnx: "):
        side.outputs()
    with pytest.raises(FileNotFoundError):
        OnnxSide(tmp_path / "none.onnx")
