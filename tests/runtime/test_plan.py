"""Plans: what a step says of itself, the memory of results, and plans for the shapes of inputs."""

from __future__ import annotations

import pkgutil
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import irrun.model
from irrun.model.config import ConfigError
from irrun.optimize import PASSES
from irrun.optimize import passes as folder
from irrun.runtime import Step
from irrun.tensor import Array
from irrun.tensor.element_type import I64
from tests.nets import Net
from tests.optimize.checking import types


def large(net: Net) -> None:
    """x -> MatMul -> Add -> Tanh -> MatMul: two Results, of which one is a view of what the other is made of."""
    made = net.layer("MatMul", [net.parameter("x", "200,200"), net.normal(200, 300)], "200,300")
    kept = net.layer("Reshape", [made, net.constant(np.array([300, 200]))], "300,200", special_zero=False)
    bent = net.layer("Tanh", [made], "200,300")
    net.result(kept, net.layer("MatMul", [bent, net.normal(300, 200)], "200,200"))


def test_results_stay_what_they_were(tmp_path: Path) -> None:
    """Whatever runs afterwards, in this request or another."""
    net = Net()
    large(net)
    request = net.compile(tmp_path).session()
    first = net.inputs()
    outputs = request.run(first).to_tuple()
    before = [array.copy() for array in outputs]
    for _ in range(3):
        request.run(net.inputs())
    for array, copy in zip(outputs, before, strict=True):
        assert array.flags.writeable
        assert array.flags.c_contiguous
        np.testing.assert_array_equal(array, copy)
    assert not np.may_share_memory(*outputs)


def test_a_result_may_be_the_next_input(tmp_path: Path) -> None:
    net = Net()
    large(net)
    compiled = net.compile(tmp_path)
    plain = irrun.model.build(tmp_path / "net.xml", {"OPTIMIZE": False})
    request = compiled.session()
    here = net.inputs()["x"]
    for _ in range(4):
        given = here.copy()
        here, there = request.run({"x": here})[1], plain({"x": given})[1]
        np.testing.assert_allclose(here, there, rtol=1e-3, atol=1e-2)
        here = there.copy() if np.abs(here).max() > 1e3 else here


def test_threads_do_not_share_memory(tmp_path: Path) -> None:
    net = Net()
    large(net)
    compiled = net.compile(tmp_path)
    inputs = [net.inputs() for _ in range(4)]
    wanted = [compiled(item).to_tuple()[1] for item in inputs]
    gaps: list[float] = []

    def work(place: int) -> None:
        for _ in range(10):
            gaps.append(float(np.abs(compiled(inputs[place])[1] - wanted[place]).max()))

    threads = [threading.Thread(target=work, args=(place,)) for place in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(gaps) == 40
    assert max(gaps) < 1e-3


class Seen:
    """The steps that ran."""

    def __init__(self) -> None:
        self.steps: list[Step] = []

    def before(self, step: Step, inputs: Sequence[Array | None]) -> None: ...

    def after(self, step: Step, outputs: Sequence[Array]) -> None:
        del outputs
        self.steps.append(step)


def grows(net: Net) -> None:
    """tanh(exp(x) + rows), for any number of rows."""
    x = net.parameter("x", "?,4")
    (shape,) = net.layers("ShapeOf", [x], [(I64, "2")], 3, output_type="i64")
    rows = net.layer("Convert", [shape], "2", destination_type="f32")
    rows = net.layer("Gather", [rows, net.constant(np.array(0)), net.constant(np.array(0))], "", 8, batch_dims=0)
    net.result(net.layer("Tanh", [net.layer("Add", [net.layer("Exp", [x], "?,4"), rows], "?,4")], "?,4"))


def test_a_shape_that_comes_twice_in_a_row_has_a_plan_of_its_own(tmp_path: Path) -> None:
    net = Net()
    grows(net)
    request = net.compile(tmp_path).session()
    counts = []
    for rows in (3, 3, 5, 3, 5, 5):
        seen = Seen()
        request.observers[:] = [seen]
        data = np.full((rows, 4), 0.25, np.float32)
        np.testing.assert_allclose(request.run([data])[0], np.tanh(np.exp(data) + rows), rtol=1e-6)
        counts.append(len(seen.steps))
    assert counts == [4, 1, 4, 1, 4, 1]


def test_only_so_many_plans_are_kept(tmp_path: Path) -> None:
    net = Net()
    grows(net)
    compiled = net.compile(tmp_path)
    for rows in range(1, 20):
        for _ in range(2):
            compiled([np.zeros((rows, 4), np.float32)])
    assert len(compiled.plans._special) == 8


def test_a_model_of_known_shapes_has_one_plan(tmp_path: Path) -> None:
    net = Net()
    large(net)
    compiled = net.compile(tmp_path)
    for _ in range(3):
        compiled(net.inputs())
    assert len(compiled.plans._special) == 0


def test_inputs_that_do_not_fit_each_other_fail_alike(tmp_path: Path) -> None:
    net = Net()
    net.result(net.layer("Add", [net.parameter("x", "?"), net.parameter("y", "?")], "?"))
    compiled = net.compile(tmp_path)
    for _ in range(3):
        with pytest.raises(irrun.IRError, match=r"do not broadcast.*IR304"):
            compiled({"x": np.zeros(2, np.float32), "y": np.zeros(3, np.float32)})


def test_constants_on_the_way_to_weights_are_let_go(tmp_path: Path) -> None:
    net = Net()
    stored = net.constant(np.ones((300, 300), np.float32))
    scaled = net.layer("Multiply", [stored, net.constant(np.float32(2))], "300,300")
    weights = net.layer("Add", [scaled, net.constant(np.float32(1))], "300,300")
    net.result(net.layer("MatMul", [net.parameter("x", "2,300"), weights], "2,300"))
    compiled = net.compile(tmp_path, "no pass")
    kept = [value for value in compiled.plan.constants.values() if value.nbytes > 1 << 16]
    assert [float(value[0, 0]) for value in kept] == [3.0]
    np.testing.assert_array_equal(compiled([np.ones((2, 300), np.float32)])[0], np.full((2, 300), 900, np.float32))


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"OPTIMISE": False}, 'there is no setting "OPTIMISE"; did you mean OPTIMIZE?'),
        ({"OPTIMIZE": {"disable": ["fuse-matmuls"]}}, 'there is no pass "fuse-matmuls"; did you mean fuse-matmul?'),
        ({"OPTIMIZE": 1}, 'OPTIMIZE is 1, expected True, False, or {"disable": [names of passes]}'),
        ({"EXECUTION_MODE_HINT": "FAST"}, "EXECUTION_MODE_HINT is 'FAST', expected PERFORMANCE or ACCURACY"),
        ({"INFERENCE_NUM_THREADS": -1}, "INFERENCE_NUM_THREADS is -1, expected an integer of at least 0"),
    ],
)
def test_settings_that_do_not_exist(config: dict[str, object], message: str, tmp_path: Path) -> None:
    net = Net()
    grows(net)
    net.save(tmp_path / "net.xml")
    with pytest.raises(ConfigError) as caught:
        irrun.model.build(tmp_path / "net.xml", config)
    assert str(caught.value) == message


def test_settings_of_openvino_are_taken(tmp_path: Path) -> None:
    net = Net()
    grows(net)
    net.save(tmp_path / "net.xml")
    for config in ({"PERFORMANCE_HINT": "LATENCY", "NUM_STREAMS": 1}, "CPU", None):
        assert irrun.model.build(tmp_path / "net.xml", config)([np.zeros((1, 4), np.float32)])[0].shape == (1, 4)


def test_as_written_has_a_step_for_each_layer(tmp_path: Path) -> None:
    net = Net()
    large(net)
    net.save(tmp_path / "net.xml")
    compiled = irrun.model.build(tmp_path / "net.xml", {"OPTIMIZE": False})
    assert types(compiled) == {"MatMul": 2, "Reshape": 1, "Tanh": 1}


def test_every_pass_runs_after_those_that_it_names_and_shows_what_it_does() -> None:
    names = [item.name for item in PASSES]
    assert sorted(names) == sorted(found.name.replace("_", "-") for found in pkgutil.iter_modules(folder.__path__))
    for place, item in enumerate(PASSES):
        assert item.after.keys() <= set(names[:place]), item.name
        assert all(len(reason.split()) > 4 for reason in item.after.values()), item.name
        text = item.module().__doc__ or ""
        assert "Before:" in text, item.name
        assert "After:" in text, item.name
