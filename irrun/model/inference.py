"""A model that travels to workers, which compile it on first use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from threading import Lock
from typing import Any

from irrun.model.compiled import Compiled, build
from irrun.model.loaded import Loaded, load
from irrun.ops.extending import ExtensionSource, extended
from irrun.ops.importing import portable
from irrun.tensor import Array, Shape


class Inference:
    """A model on inputs, one inference a call; safe to call from several threads.

    It is pickled once for each worker, without what is compiled. If it ``travels``, the bytes of the model and its
    weights are pickled too, and the files of ``extensions``: the worker needs no file of them. What ``irrun.extend``
    added goes with it.
    """

    def __init__(
        self,
        model: Path,
        weights: Path | None = None,
        config: Mapping[str, Any] | None = None,
        *,
        shapes: Mapping[int, Shape] | Mapping[str, Shape] | None = None,
        extensions: Iterable[ExtensionSource] = (),
        travels: bool = False,
    ) -> None:
        self.config: dict[str, Any] = dict(config or {})
        self.travels: bool = travels
        if "EXTENSIONS" in self.config:
            self.config["EXTENSIONS"] = [portable(item, travels=travels) for item in self.config["EXTENSIONS"]]
        self._shapes = dict(shapes or {})
        self._extensions = tuple([portable(source, travels=travels) for source in (*extended(), *extensions)])
        self._compiled: Compiled | None = None
        self._loaded: Loaded | None = None
        self._lock = Lock()
        self._source: tuple[Path | bytes, Path | bytes | None] = model, weights
        if travels:
            beside = weights or model.with_suffix(".bin")
            is_there = weights is not None or beside.exists()
            self._source = model.read_bytes(), beside.read_bytes() if is_there else None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_compiled": None, "_loaded": None, "_lock": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=Lock())

    @property
    def compiled(self) -> Compiled:
        """The model, compiled on first use."""
        with self._lock:
            if self._compiled is None:
                self._compiled = build(self._read(), self.config)
            return self._compiled

    @property
    def loaded(self) -> Loaded:
        """The model, read on first use, with inputs of the given shapes."""
        with self._lock:
            return self._read()

    def _read(self) -> Loaded:
        if self._loaded is None:
            source, weights = self._source
            model = load(source, weights, extensions=self._extensions)
            self._loaded = model.reshaped(self._shapes) if self._shapes else model
        return self._loaded

    def __call__(self, inputs: Any) -> tuple[Array, ...]:
        """Return copies of the outputs."""
        return tuple(array.copy() for array in self.compiled(inputs).to_tuple())
