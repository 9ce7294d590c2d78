"""Tasks of all calls write disjoint parts of what they declare to write."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("irrun_kernels", reason="compiled kernels are those of irrun-kernels")

import irrun.model
from irrun.model.arguments import accept
from irrun.ops import OpError
from irrun.reporting.plans.running import a_run
from irrun.runtime.instance import Instance
from irrun.runtime.lower import lower
from irrun.runtime.packs import Packs
from irrun.runtime.plan_builder import Unknown
from irrun.runtime.program import Program
from irrun.runtime.programs import recorded
from irrun.runtime.request import Request
from irrun.runtime.view import Call
from irrun.tensor import Array
from tests.cases import Case, all_cases
from tests.nets import Net
from tests.ops import harness
from tests.plugins.tiers import Campaign
from tests.reporting.plans import nets
from tests.runtime import disjoint
from tests.runtime.disjoint import faults, many_tasks
from tests.runtime.test_agreement import LAYERS, Layer, drawn

CASES: dict[str, list[Case]] = {}
for _case in all_cases():
    CASES.setdefault(_case.type, []).append(_case)


def examined(plan: Any, arrays: list[Array]) -> int:
    """Examine the program of a plan; return the number of its calls."""
    with many_tasks():
        try:
            program = lower(plan, Packs(), Request(arrays))
        except Unknown:
            program = lower(plan, Packs(), Request(arrays), recorded(plan, Request(arrays))[1])
    if not program.is_worthwhile:
        return 0
    assert faults(program, arrays) == []
    return sum(isinstance(item, Call) for item in program.items)


@pytest.mark.parametrize("name", nets.NETS)
def test_of_whole_networks(name: str, tmp_path: Path) -> None:
    assert examined(*a_run(nets.compiled(name, tmp_path, TIER="numpy"))) > 0 or name == "loop"


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.__name__)
def test_of_random_layers(layer: Layer, campaign: Campaign, subtests: pytest.Subtests, tmp_path: Path) -> None:
    for seed in campaign.draws(1, 3):
        with subtests.test(seed=seed):
            net = drawn(layer, seed)
            net.save(tmp_path / "net.xml")
            compiled = irrun.model.build(tmp_path / "net.xml", {"TIER": "numpy"})
            examined(compiled.plan, list(accept(compiled.inputs, net.inputs(), compiled.plan.parameter_types)))


@pytest.mark.sample(6)
@pytest.mark.parametrize("type", CASES)
def test_of_operations(type: str, subtests: pytest.Subtests) -> None:
    for case in CASES[type]:
        with subtests.test(case=str(case)):
            ir, parameters = harness.model(case, constants=harness.constants(case))
            compiled = irrun.model.build(irrun.model.load(ir.text.encode(), ir.weights), {"TIER": "numpy"})
            given = [array for index in parameters if (array := case.inputs[index]) is not None]
            with suppress(OpError):
                examined(compiled.plan, list(accept(compiled.inputs, given, compiled.plan.parameter_types)))


class Kernel:
    """A kernel with other declarations."""

    def __init__(self, kernel: Any, accesses: tuple[str, ...]) -> None:
        self.name, self.record, self.address = kernel.name, kernel.record, kernel.address
        self.accesses = accesses


@pytest.fixture
def chain(tmp_path: Path) -> tuple[Program, list[Array]]:
    """A program of one call with several tasks: tanh(x) + y."""
    net = Net()
    x, y = net.parameter("x", "40,100"), net.parameter("y", "40,100")
    net.result(net.layer("Add", [net.layer("Tanh", [x], "40,100"), y], "40,100"))
    compiled = net.compile(tmp_path, TIER="numpy")
    arrays = list(net.inputs().values())
    with many_tasks():
        return lower(compiled.plan, Packs(), Request(arrays)), arrays


def changed(program: Program, **fields: Any) -> Program:
    (call,) = program.items
    return replace(program, items=(call._replace(**fields),))


def test_tasks_that_overlap(chain: tuple[Program, list[Array]], monkeypatch: pytest.MonkeyPatch) -> None:
    program, arrays = chain
    assert faults(program, arrays) == []
    real = disjoint._KERNEL
    monkeypatch.setattr(disjoint, "_KERNEL", lambda at: lambda arguments, _, space: real(at)(arguments, 0, space))
    found = faults(program, arrays)
    assert "0 chain: task 1 writes what another task wrote" in found
    assert "0 chain: a part of what is declared as written is written by no task" in found


def test_a_part_that_no_task_writes(chain: tuple[Program, list[Array]]) -> None:
    program, arrays = chain
    (call,) = program.items
    assert isinstance(call, Call)
    assert call.tasks > 2
    found = faults(changed(program, tasks=call.tasks - 1), arrays)
    assert found == ["0 chain: a part of what is declared as written is written by no task"]


def test_declarations_that_lack_an_array(chain: tuple[Program, list[Array]]) -> None:
    program, arrays = chain
    (call,) = program.items
    assert isinstance(call, Call)
    all_writes = tuple("write" if access else "" for access in call.kernel.accesses)
    found = faults(changed(program, kernel=Kernel(call.kernel, all_writes)), arrays)
    assert "0 chain: task 0 depends on memory that is not declared as read" in found
    unwritten = tuple("read" if access else "" for access in call.kernel.accesses)
    found = faults(changed(program, kernel=Kernel(call.kernel, unwritten)), arrays)
    assert "0 chain reads out, which nobody has written" in found


def test_a_workspace_that_is_too_small(chain: tuple[Program, list[Array]]) -> None:
    program, arrays = chain
    (call,) = program.items
    assert isinstance(call, Call)
    room = call.workspace - 4000
    assert f"0 chain: task 0 writes beyond its workspace of {room} bytes" in faults(
        changed(program, workspace=room), arrays
    )


def test_buffers_that_overlap(chain: tuple[Program, list[Array]]) -> None:
    program, arrays = chain
    (call,) = program.items
    assert isinstance(call, Call)
    placed = [buffer for buffer in program.buffers if buffer.kind == "arena"]
    lives = [(buffer.first, buffer.last) for buffer in placed]
    assert faults(program, arrays) == []
    for buffer in placed:
        buffer.first = buffer.last = 10 * placed.index(buffer)
    instance = Instance(program, 1)
    for buffer, (first, last) in zip(placed, lives, strict=True):
        buffer.first, buffer.last = first, last
    examination = disjoint._Examination(program)
    examination._instance = instance
    assert any("are needed at the same time, and overlap" in fault for fault in examination.run(arrays))
