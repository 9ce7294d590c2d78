"""Requests and queues that are busy, in a forked process, or interrupted by a signal."""

from __future__ import annotations

import functools
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

import irrun.openvino as ov
from irrun.diagnostics import IRError
from irrun.ops._declared.activation.clamp import Clamp
from tests.processes import handle_on_the_usual_stack

ops = ov.opset13
PLAIN = {"TIER": "numpy", "OPTIMIZE": False}
X = np.array([1, -2, 3], np.float32)

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")
needs_timer = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no timers")


class Late(Exception):
    """The exception that a program raises in its handler."""


def _chain(length: int, **settings: Any) -> ov.CompiledModel:
    x = node = ops.parameter([3], np.float32, name="x")
    for _ in range(length):
        node = ops.clamp(ops.negative(node), 0, 9)
    return ov.compile_model(ov.Model([node], [x], "chain"), "CPU", settings)


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """A gate at which every Clamp waits until it is open."""
    opened, before = threading.Event(), Clamp.run

    def run(self: Clamp, data: Any) -> Any:
        opened.wait(30)
        return before(self, data)

    monkeypatch.setattr(Clamp, "run", run)
    yield opened
    opened.set()


def test_a_busy_request_refuses_to_reset_its_state(gate: threading.Event) -> None:
    request = _chain(1, **PLAIN).create_infer_request()
    request.start_async([X])
    with pytest.raises(RuntimeError, match=r"the request is busy; wait returns once its inference is done"):
        request.reset_state()
    gate.set()
    request.wait()
    request.reset_state()


def _refused_in_child(call: Callable[[], Any]) -> str:
    """Return the message of the RuntimeError that a call raises in a forked process, within ten seconds."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(10)
        try:
            call()
        except RuntimeError as error:
            os.write(writer, str(error).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        message = stream.read().decode()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    return message


@needs_fork
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("name", ["start_async", "wait_all", "is_ready", "get_idle_request_id"])
def test_a_used_queue_says_so_in_a_forked_process(name: str) -> None:
    queue = ov.AsyncInferQueue(_chain(1), 2)
    queue.start_async([X])
    queue.wait_all()
    call = functools.partial(queue.start_async, [X]) if name == "start_async" else getattr(queue, name)
    what = "the queue was used before this process was forked, and its threads are in the parent"
    assert _refused_in_child(call) == what
    queue.start_async([X])
    queue.wait_all()


@needs_fork
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_an_unused_queue_works_in_a_forked_process() -> None:
    queue = ov.AsyncInferQueue(_chain(1), 2)

    def run() -> None:
        queue.start_async([X])
        queue.wait_all()
        raise RuntimeError(str(queue[0].results[0].tolist()))

    assert _refused_in_child(run) == "[0.0, 2.0, 0.0]"


@needs_fork
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_an_inference_before_a_fork_is_not_waited_for(gate: threading.Event) -> None:
    request = _chain(1, **PLAIN).create_infer_request()
    request.start_async([X])
    what = "the inference began before this process was forked, and runs in the parent"
    assert _refused_in_child(request.wait) == what
    assert _refused_in_child(lambda: request.wait_for(1)) == what
    gate.set()
    request.wait()
    assert request.results[0].tolist() == [0, 2, 0]


class _Handlers:
    def __init__(self, error: Exception) -> None:
        self.error = error

    def method(self, _number: int, _frame: Any) -> None:
        raise self.error

    def any(self, *_arguments: Any) -> None:
        raise self.error


@pytest.fixture
def alarm() -> Iterator[None]:
    handle_on_the_usual_stack()
    before = signal.getsignal(signal.SIGALRM)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@needs_timer
@pytest.mark.usefixtures("alarm")
@pytest.mark.parametrize("kind", [Late, ValueError, MemoryError, OSError, RuntimeError, KeyError, TimeoutError])
@pytest.mark.parametrize("form", ["method", "any", "partial"])
def test_what_a_handler_raises_is_what_an_inference_raises(
    kind: type[Exception], form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = Clamp.run

    def run(self: Clamp, data: Any) -> Any:
        signal.raise_signal(signal.SIGALRM)
        return before(self, data)

    error = kind("too late")
    handlers = _Handlers(error)
    signal.signal(
        signal.SIGALRM, functools.partial(handlers.any, "first") if form == "partial" else getattr(handlers, form)
    )
    with monkeypatch.context() as context:
        context.setattr(Clamp, "run", run)
        compiled = _chain(1, **PLAIN)
        for call in (lambda: compiled([X]), lambda: compiled.create_infer_request().infer([X])):
            with pytest.raises(kind) as raised:
                call()
            assert raised.value is error
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    assert _chain(1)([X])[0].tolist() == [0, 2, 0]


@needs_timer
@pytest.mark.usefixtures("alarm")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("tier", ["numpy", "compiled"])
def test_a_timer_interrupts_an_inference_anywhere(tier: str) -> None:
    """Python drops what a handler raises inside ``__del__``; anywhere else the program gets it."""

    def late(_number: int, _frame: Any) -> None:
        raise Late

    signal.signal(signal.SIGALRM, late)
    interrupted = 0
    for delay in np.geomspace(2e-5, 1e-2, 25):
        compiled, end = _chain(20, TIER=tier), time.perf_counter() + 0.1
        with suppress(Late):
            signal.setitimer(signal.ITIMER_REAL, delay)
            while time.perf_counter() < end:
                compiled([X])
            interrupted -= 1
        interrupted += 1
        assert compiled([X])[0].tolist() == [0, 0, 0]
    assert interrupted > 20


def test_a_fault_of_an_operation_is_still_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(_self: Clamp, _data: Any) -> Any:
        raise ValueError("no such value")

    monkeypatch.setattr(Clamp, "run", run)
    with pytest.raises(IRError, match="the computation failed: no such value"):
        _chain(1, **PLAIN)([X])
