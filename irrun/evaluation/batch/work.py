"""The work of one worker: it reads inputs, runs the model on them, and writes the outputs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from pathlib import Path
from socket import gethostname
from threading import Condition, Lock
from typing import Any

import numpy as np

from irrun.diagnostics import IRError, OpError
from irrun.diagnostics.internal import InternalError
from irrun.diagnostics.naming import of_system
from irrun.diagnostics.requests import RequestError
from irrun.evaluation.batch.items import BatchItem, stamp
from irrun.evaluation.files import reading, saving
from irrun.evaluation.files.images import IMAGES
from irrun.evaluation.files.preparing import Preparation
from irrun.evaluation.likeliest import likeliest
from irrun.model import Compiled, InputError, Outputs, Port
from irrun.model.inference import Inference
from irrun.ops.importing import ExtensionError
from irrun.runtime.budget import held_bytes
from irrun.runtime.peak import computed_bytes
from irrun.tensor import Array, Dim, Shape

Group = tuple[BatchItem, ...]
"""Items that are run together: as one batch, or as the steps of one sequence."""

Record = dict[str, Any]


class Sharing:
    """Lets an inference begin only when its tensors and those of the others fit the budget together.

    One that does not fit the budget alone may begin when no other runs: the inference itself refuses it.
    """

    def __init__(self, compiled: Compiled) -> None:
        self._plan = compiled.plan
        most = self._plan.budget.memory
        self._free = None if most is None else max(most - held_bytes(self._plan.slots), 0)
        self._held = 0
        self._changed = Condition()
        self._known: dict[tuple[tuple[int, ...], ...], int] = {}

    @contextmanager
    def running(self, inputs: Mapping[int, Any]) -> Iterator[None]:
        """Wait for memory, and hold it while the context lasts."""
        free = self._free
        if free is None:
            yield
            return
        size = self._bytes(inputs)
        with self._changed:
            self._changed.wait_for(lambda: self._held == 0 or self._held + size <= free)
            self._held += size
        try:
            yield
        finally:
            with self._changed:
                self._held -= size
                self._changed.notify_all()

    def _bytes(self, inputs: Mapping[int, Any]) -> int:
        shapes = tuple(np.shape(inputs[index]) for index in sorted(inputs))
        if shapes not in self._known:
            self._known[shapes] = computed_bytes(self._plan, shapes)
        return self._known[shapes]


class BatchWork:
    """Runs a model on groups of items, and returns a record for each item.

    Without ``folder``, the arrays of the outputs are in the records. With ``stateful``, a group is a sequence of steps
    in one request. With ``fill``, a model whose first dim is fixed gets that many rows: the last row again where there
    are fewer, whose outputs are dropped. With ``top``, records hold that many of the likeliest classes, whose names are
    ``classes``.
    """

    def __init__(
        self,
        inference: Inference,
        *,
        folder: Path | None = None,
        preparation: Preparation = Preparation(),  # noqa: B008
        stateful: bool = False,
        fill: int | None = None,
        top: int | None = None,
        classes: Sequence[str] = (),
    ) -> None:
        self._inference, self._folder, self._preparation = inference, folder, preparation
        self._stateful, self._fill, self._top, self._classes = stateful, fill, top, classes
        self._sharing: Sharing | None = None
        self._lock = Lock()
        self._root = Path.cwd()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_sharing": None, "_lock": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=Lock())

    def _prepared(self) -> tuple[Compiled, Sharing]:
        try:
            compiled = self._inference.compiled
        except ExtensionError as error:
            raise RequestError(
                f"{error}; {elsewhere(gethostname())}" if self._inference.travels else str(error)
            ) from None
        with self._lock:
            if self._sharing is None:
                self._sharing = Sharing(compiled)
            return compiled, self._sharing

    def __call__(self, group: Group) -> list[Record]:
        """Return a record for each item. Any exception is the failure of its item only."""
        if len(group) > 1 and not self._stateful:
            try:
                return self._together(group)
            except Exception:
                return [record for item in group for record in self((item,))]
        compiled, sharing = self._prepared()
        run = compiled.session().run if self._stateful else compiled
        records: list[Record] = []
        for item in group:
            begin = time.perf_counter()
            try:
                given = self._read(item)
                outputs = self._run(run, given, sharing)
                records.append(self._done(item, outputs, begin))
            except Exception as error:
                records.append({"input": item.path, "status": "failed", "error": _reason(error)})
                if isinstance(error, FileNotFoundError) and self._inference.travels:
                    records[-1]["unseen"] = gethostname()
            if self._stateful and records[-1]["status"] == "failed":
                lost = f"an earlier step failed: {item.path}"
                later = group[len(records) :]
                return records + [{"input": step.path, "status": "failed", "error": lost} for step in later]
        return records

    def _together(self, group: Group) -> list[Record]:
        """Run items as one batch along the first axis; ValueError where their shapes do not fit together."""
        begin = time.perf_counter()
        read = [self._read(item) for item in group]
        counts = [len(values[0]) for values in read]
        joined = {index: np.concatenate([values[index] for values in read]) for index in read[0]}
        compiled, sharing = self._prepared()
        outputs = self._run(compiled, joined, sharing)
        parts = [np.split(array, np.cumsum(counts)[:-1]) for array in outputs]
        return [
            self._done(item, [part[index] for part in parts], begin, len(group)) for index, item in enumerate(group)
        ]

    def _run(
        self, run: Callable[[Mapping[int, Array]], Outputs], given: Mapping[int, Array], sharing: Sharing
    ) -> Sequence[Array]:
        if self._fill is None:
            with sharing.running(given):
                return run(given).to_tuple()
        count = len(next(iter(given.values())))
        if 0 < count < self._fill:
            rest = self._fill - count
            given = {place: np.concatenate([array, *[array[-1:]] * rest]) for place, array in given.items()}
        with sharing.running(given):
            outputs = run(given).to_tuple()
        return [array[:count] for array in outputs]

    def _ports(self) -> Sequence[Port]:
        """Return the inputs as files may have them: with up to as many rows as are filled."""
        ports: Sequence[Port] = self._inference.compiled.inputs
        if self._fill is None:
            return ports
        shapes = [Shape((Dim(1, self._fill), *(port.partial_shape.dims or ())[1:])) for port in ports]
        opened = [copy(port) for port in ports]
        for port, shape in zip(opened, shapes, strict=True):
            port.partial_shape = shape
        return opened

    def _read(self, item: BatchItem) -> dict[int, Array]:
        path, ports = self._here(Path(item.path)), self._ports()
        if len(ports) != 1 and path.suffix.lower() in (*IMAGES, reading.RAW):
            raise RequestError(reading.of_several(path, ports))
        budget = self._inference.config.get("MAX_MEMORY")
        model = self._inference.loaded
        given = reading.from_files([str(path)], ports, budget=budget, preparation=self._preparation, model=model)
        missing = reading.missing(given, ports)
        if missing:
            raise RequestError(f'{path} has no value for input "{missing[0].any_name}"')
        return {value.port.index: value.array for value in given}

    def _here(self, path: Path) -> Path:
        """Return a path as this worker finds it, which may have another working directory."""
        return path if Path.cwd() == self._root else self._root / path

    def _done(self, item: BatchItem, outputs: Sequence[Array], begin: float, count: int = 1) -> Record:
        took = 1000 * (time.perf_counter() - begin) / count
        record: Record = {"input": item.path, "status": "done", "stamp": item.stamp, "ms": round(took, 3)}
        if self._folder is None:
            return {**record, "outputs": [np.array(array) for array in outputs]}
        if self._top is not None:
            record["top"] = likeliest(outputs, self._top, self._classes)
        names = saving.output_names(self._inference.compiled.outputs)
        named = dict(zip(names, zip(outputs, self._inference.compiled.output_types, strict=True), strict=True))
        target = self._folder / f"{item.name}{'.npy' if len(named) == 1 else '.npz'}"
        saving.save(self._here(target), named, [self._here(Path(item.path))])
        shapes = {name: {"type": str(type), "shape": list(array.shape)} for name, (array, type) in named.items()}
        return {**record, "output": str(target), "output_stamp": stamp(self._here(target)), "outputs": shapes}


def elsewhere(host: str) -> str:
    """Describe what a worker on another machine needs."""
    return f"the worker on {host} needs the files of this machine under the same path"


def _reason(error: Exception) -> str:
    """Return the message of a failed item; that of an InternalError for an undocumented exception."""
    if isinstance(error, OSError):
        return of_system(error)
    if isinstance(error, MemoryError):
        return f"not enough memory: {error}" if str(error) else "not enough memory"
    documented = isinstance(error, RequestError | InputError | IRError | OpError | InternalError)
    return str(error if documented else InternalError(error))
