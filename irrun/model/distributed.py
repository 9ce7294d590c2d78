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

from irrun.jobs.cluster import LOCAL, ClusterError
from irrun.jobs.items import Lost, processors
from irrun.jobs.spread import in_order, spread
from irrun.model.inference import Inference
from irrun.ops.extending import ExtensionSource
from irrun.tensor import Array

PathLike = str | os.PathLike[str]


def infer(
    model: PathLike,
    inputs: Iterable[Any],
    scheduler: Any = LOCAL,
    *,
    weights: PathLike | None = None,
    config: Mapping[str, Any] | None = None,
    extensions: Sequence[ExtensionSource] = (),
) -> Iterator[tuple[Array, ...]]:
    """Yield the outputs of a model for each of ``inputs``, in their order.

    ``scheduler`` is the address or the client of a Dask cluster, or ``local`` for one on this machine with a worker for
    each processor. ``extensions`` are Python files, modules that each worker can import, or classes; they and
    those of ``irrun.extend`` are sent to the workers. ClusterError where the cluster cannot be
    used, or where an input ends every worker that gets it; the exceptions of an inference are passed on.
    """
    beside = None if weights is None else Path(weights)
    settings = {"INFERENCE_NUM_THREADS": 1, **(config or {})}
    work = Inference(Path(model), beside, settings, extensions=extensions, travels=True)
    found = in_order(spread(work, list(inputs), processors(), scheduler))
    for number, result in enumerate(found):
        if isinstance(result, Lost):
            raise ClusterError(f"input {number}: {result.reason}")
        yield result


__all__ = ["ClusterError", "infer"]
