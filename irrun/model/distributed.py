"""Models and linting over the workers of a Dask cluster, from Python; the extra ``distributed``.

>>> from irrun import distributed
>>> for outputs in distributed.infer("model.xml", images, "tcp://HOST:8786"):
...     print(outputs[0])
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from irrun.jobs import Lost, in_order, processors, spread
from irrun.jobs.cluster import LOCAL, ClusterError
from irrun.model import Compiled, build, load
from irrun.tensor import Array

PathLike = str | os.PathLike[str]


class Inference:
    """Runs a model on the inputs of one inference. The bytes of the model travel to each worker once."""

    def __init__(
        self, model: bytes, weights: bytes | None, config: Mapping[str, Any], extensions: Sequence[str]
    ) -> None:
        self._model, self._weights = model, weights
        self._config, self._extensions = dict(config), tuple(extensions)
        self._compiled: Compiled | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_compiled": None}

    def __call__(self, inputs: Any) -> tuple[Array, ...]:
        if self._compiled is None:
            read = load(self._model, self._weights, extensions=self._extensions)
            self._compiled = build(read, self._config)
        return tuple(array.copy() for array in self._compiled(inputs).to_tuple())


def infer(
    model: PathLike,
    inputs: Iterable[Any],
    scheduler: Any = LOCAL,
    *,
    weights: PathLike | None = None,
    config: Mapping[str, Any] | None = None,
    extensions: Sequence[str] = (),
) -> Iterator[tuple[Array, ...]]:
    """Yield the outputs of a model for each of ``inputs``, in their order.

    ``scheduler`` is the address or the client of a Dask cluster, or ``local`` for one on this machine with a worker for
    each processor. ``extensions`` are Python files that each worker can read. ClusterError where the cluster cannot be
    used, or where an input ends every worker that gets it; the exceptions of an inference are passed on.
    """
    path = Path(model)
    beside = Path(weights) if weights is not None else path.with_suffix(".bin")
    data = beside.read_bytes() if weights is not None or beside.exists() else None
    work = Inference(path.read_bytes(), data, {"INFERENCE_NUM_THREADS": 1, **(config or {})}, extensions)
    found = in_order(spread(work, list(inputs), processors(), scheduler))
    for number, result in enumerate(found):
        if isinstance(result, Lost):
            raise ClusterError(f"input {number}: {result.reason}")
        yield result


__all__ = ["ClusterError", "infer"]
