"""Observers: which steps they see, whose time they count, and what a trace holds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import irrun.model
from irrun.runtime import observers
from irrun.runtime.observers import Profiler, Tracer
from irrun.runtime.plan import Step
from tests.loops import loop_model
from tests.nets import Net

AS_WRITTEN = {"OPTIMIZE": False}


def compiled(folder: Path) -> irrun.model.Compiled:
    """a f32[2,3] -> Clamp "low" -> Multiply by itself, "square"."""
    net = Net()
    low = net.layer("Clamp", [net.parameter("a", "2,3")], name="low", min=0, max=9)
    net.result(net.layer("Multiply", [low, low], name="square", auto_broadcast="numpy"))
    return irrun.model.build(net.save(folder / "net.xml"), AS_WRITTEN)


class Clock:
    """A clock that is told what to say."""

    def __init__(self) -> None:
        self.times: Iterator[int] = iter(())

    def says(self, *times: int) -> None:
        self.times = iter(times)

    def perf_counter_ns(self) -> int:
        return next(self.times)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(observers, "time", made)
    return made


@pytest.fixture
def steps(tmp_path: Path) -> tuple[Step, ...]:
    return compiled(tmp_path).plan.steps


def test_profiler_sees_every_step(tmp_path: Path) -> None:
    request = compiled(tmp_path).session()
    profiler = Profiler()
    request.observers.append(profiler)
    for _ in range(3):
        request.run([np.ones((2, 3), np.float32)])
    assert [(item.step.node.name, item.step.node.type) for item in profiler.timings] == [
        ("low", "Clamp"),
        ("square", "Multiply"),
    ]
    low, square = profiler.timings
    assert (low.inputs, low.outputs, low.bytes) == (((2, 3),), ((2, 3),), 48)
    assert (square.inputs, square.outputs, square.bytes) == (((2, 3), (2, 3)), ((2, 3),), 72)
    assert [len(item.own) for item in profiler.timings] == [3, 3]
    assert profiler.total == sum(low.own) + sum(square.own)
    profiler.clear()
    assert (profiler.timings, profiler.total) == ([], 0)


def test_time_of_a_step_is_that_between_before_and_after(steps: tuple[Step, ...], clock: Clock) -> None:
    profiler = Profiler()
    array = np.zeros(4, np.float32)
    clock.says(100, 130, 200, 290, 1000, 1050)
    for step in (steps[0], steps[1], steps[0]):
        profiler.before(step, [array, None])
        profiler.after(step, [array])
    first, second = profiler.timings
    assert (first.own, second.own) == ([30, 50], [90])
    assert (first.median, profiler.total) == (40, 170)
    assert (first.inputs, first.bytes) == (((4,), None), 32)


def test_time_inside_a_body_is_not_the_outer_step_s_own(steps: tuple[Step, ...], clock: Clock) -> None:
    profiler = Profiler()
    outer, inner = steps
    clock.says(0, 10, 40, 50, 90, 100)
    profiler.before(outer, [])
    for _ in range(2):
        profiler.before(inner, [])
        profiler.after(inner, [])
    profiler.after(outer, [])
    own = {item.step.node.name: item.own for item in profiler.timings}
    assert own == {"square": [30, 40], "low": [30]}


def test_steps_of_bodies_are_seen_as_often_as_they_run(tmp_path: Path) -> None:
    request = irrun.model.build(loop_model(tmp_path, 3, 100.0), AS_WRITTEN).session()
    profiler = Profiler()
    request.observers.append(profiler)
    request.run([np.zeros((1, 2), np.float32)])
    calls = {item.step.node.type: len(item.own) for item in profiler.timings}
    assert (calls["Loop"], calls["Add"], calls["Less"]) == (1, 3, 3)


def test_trace(steps: tuple[Step, ...], clock: Clock) -> None:
    clock.says(5_000, 7_000, 9_500)
    tracer = Tracer()
    tracer.before(steps[0], [np.zeros((2, 3), np.float32), None])
    tracer.after(steps[0], [np.zeros(6, np.float32)])
    document = json.loads(json.dumps(tracer.document()))
    assert document["displayTimeUnit"] == "ms"
    assert document["traceEvents"][0] == {
        "name": "process_name",
        "ph": "M",
        "pid": 1,
        "tid": 1,
        "args": {"name": "irrun"},
    }
    assert document["traceEvents"][1:] == [
        {
            "name": "low",
            "cat": "layer",
            "ph": "X",
            "pid": 1,
            "tid": 1,
            "ts": 2.0,
            "dur": 2.5,
            "args": {
                "op_name": "Clamp",
                "id": steps[0].node.id,
                "shapes": {"inputs": [[2, 3], None], "outputs": [[6]]},
            },
        }
    ]


def test_events_of_a_trace_nest(tmp_path: Path) -> None:
    """Check that nested events begin no earlier and end no later than their step."""
    request = irrun.model.build(loop_model(tmp_path, 3, 100.0), AS_WRITTEN).session()
    tracer = Tracer()
    request.observers.append(tracer)
    request.run([np.zeros((1, 2), np.float32)])
    loop = next(event for event in tracer.events if event["args"]["op_name"] == "Loop")
    inside = [event for event in tracer.events if event["args"]["op_name"] == "Add"]
    assert len(inside) == 3
    for event in inside:
        assert event["ts"] >= loop["ts"]
        assert event["ts"] + event["dur"] <= loop["ts"] + loop["dur"]
    begins = [event["ts"] for event in inside]
    assert begins == sorted(begins)
