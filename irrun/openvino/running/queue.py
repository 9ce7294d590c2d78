"""A pool of inference requests, as OpenVINO's ``AsyncInferQueue``."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from irrun.openvino.running.request import InferRequest

if TYPE_CHECKING:
    from irrun.openvino.running.compiled import CompiledModel
    from irrun.tensor import Array


class AsyncInferQueue:
    """Runs inferences in the background, as many at once as it has requests.

    Without a number it has as many requests as the property ``OPTIMAL_NUMBER_OF_INFER_REQUESTS`` of the model. Its
    threads are those of the process that starts the first inference: RuntimeError in a child that is forked then.
    """

    def __init__(self, model: CompiledModel, jobs: int = 0) -> None:
        from irrun.openvino.running.compiled import CompiledModel

        if not isinstance(model, CompiledModel):
            raise TypeError(f"a queue is made for a compiled model, got {model!r}")
        if not isinstance(jobs, int) or jobs < 0:
            raise TypeError(f"a queue has a number of requests, got {jobs!r}")
        count = jobs or model.get_property("OPTIMAL_NUMBER_OF_INFER_REQUESTS")
        self._requests = [model.create_infer_request() for _ in range(count)]
        self._idle = deque(range(count))
        self._workers = ThreadPoolExecutor(count, "irrun-queue")
        self._userdata: list[Any] = [None] * count
        self._callback: Callable[[InferRequest, Any], Any] | None = None
        self._failures: list[BaseException] = []
        self._changed = threading.Condition()
        self._process: int | None = None

    def _require_own_process(self) -> None:
        if self._process not in (None, os.getpid()):
            raise RuntimeError("the queue was used before this process was forked, and its threads are in the parent")

    def set_callback(self, callback: Callable[[InferRequest, Any], Any]) -> None:
        """Call a function with the request and its userdata after each inference."""
        self._callback = callback

    def start_async(self, inputs: Any = None, userdata: Any = None, share_inputs: bool = False) -> None:
        """Start an inference in an idle request, after waiting for one. Errors in inputs are raised here."""
        self._require_own_process()
        self._process = os.getpid()
        index = self._taken()
        request = self._requests[index]
        try:
            arrays = request._open(inputs, share_inputs)
        except BaseException:
            self._return(index)
            raise
        self._userdata[index] = request.userdata = userdata
        request._is_busy = True
        self._workers.submit(self._run, index, arrays)

    def _taken(self) -> int:
        with self._changed:
            self._changed.wait_for(lambda: self._idle)
            return self._idle.popleft()

    def _return(self, index: int) -> None:
        with self._changed:
            self._idle.append(index)
            self._changed.notify_all()

    def _run(self, index: int, arrays: list[Array]) -> None:
        request = self._requests[index]
        try:
            request._infer(arrays)
            request._is_busy = False
            if request._is_cancelled:
                raise RuntimeError("the inference was cancelled")
            if self._callback is not None:
                self._callback(request, self._userdata[index])
        except BaseException as error:
            self._failures.append(error)
        request._is_busy = False
        self._return(index)

    def wait_all(self) -> None:
        """Wait until all requests are idle; raise the first error of an inference or a callback."""
        self._require_own_process()
        with self._changed:
            self._changed.wait_for(lambda: len(self._idle) == len(self._requests))
        for request in self._requests:
            request._join()
        if self._failures:
            failure = self._failures[0]
            self._failures.clear()
            raise failure

    def is_ready(self) -> bool:
        """Return whether a request is idle."""
        self._require_own_process()
        return bool(self._idle)

    def get_idle_request_id(self) -> int:
        """Return the number of the request that ``start_async`` takes next, after waiting for one."""
        self._require_own_process()
        with self._changed:
            self._changed.wait_for(lambda: self._idle)
            return self._idle[0]

    @property
    def userdata(self) -> list[Any]:
        """The userdata of the last inference of each request."""
        return list(self._userdata)

    def __len__(self) -> int:
        return len(self._requests)

    def __iter__(self) -> Iterator[InferRequest]:
        return iter(self._requests)

    def __getitem__(self, index: int) -> InferRequest:
        return self._requests[index]

    def __repr__(self) -> str:
        return f"<AsyncInferQueue: {len(self)} jobs>"
