"""Items over the workers of a Dask cluster."""

from __future__ import annotations

import logging
import uuid
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from typing import Any, Final

from irrun.diagnostics import near_match
from irrun.diagnostics.installing import install
from irrun.jobs.items import Lost, chunks
from irrun.jobs.threads import Item, Result, Several

LOCAL: Final = "local"
"""The scheduler that is started for one run, on this machine."""

TIMEOUT: Final = 10
"""Seconds to wait for a scheduler."""

PATIENCE: Final = 60
"""Seconds in which a cluster that has lost its workers may start others."""

_LOGGERS: Final = (
    "distributed.client",
    "distributed.core",
    "distributed.utils",
    "distributed.comm",
    "tornado.application",
)
"""The loggers of Dask and its network that report a connection that is lost."""

_SCHEMES: Final = ("tcp://", "tls://", "ucx://", "ws://", "wss://", "inproc://")


class ClusterError(RuntimeError):
    """A cluster cannot be used; the message names its address and the reason."""


def over_cluster(
    work: Several[Item, Result], items: Sequence[Item], scheduler: Any, workers: int = 1
) -> Iterator[tuple[int, Result | Lost]]:
    """Yield the index and the result of each item as soon as it is done.

    ``work`` travels to each worker once. The items of a worker that ends are given to others by Dask; a chunk that has
    ended several workers is given out again at the end, each item alone, so that only the item at fault is Lost.
    ClusterError where the scheduler ends.
    """
    distributed = _distributed()
    lost = (distributed.scheduler.KilledWorker,)
    with _quiet(), _connected(scheduler, workers) as client, _held(work, client) as name:
        with _answering(client):
            count = max(1, len(client.scheduler_info(n_workers=-1)["workers"]))
        waiting = deque(chunks(len(items), count))
        running: dict[Any, range] = {}
        suspects: deque[int] = deque()
        alone = False
        while waiting or running or suspects:
            if not waiting and not running:
                waiting.append(range(suspects[0], suspects.popleft() + 1))
                alone = True
            while waiting and len(running) < 4 * count:
                chunk = waiting.popleft()
                with _answering(client):
                    future = client.submit(_apply, name, [items[index] for index in chunk], pure=False)
                running[future] = chunk
            with _answering(client):
                future = _next(running, client)
                error = future.exception()
                results = future.result() if error is None else []
            chunk = running.pop(future)
            if error is None:
                yield from zip(chunk, results, strict=True)
            elif isinstance(error, lost) and alone:
                yield chunk[0], Lost("every worker that ran it has ended")
            elif isinstance(error, lost):
                suspects.extend(chunk)
            else:
                raise error


def _next(running: Mapping[Any, range], client: Any) -> Any:
    """Wait for a future that is done; ClusterError where no worker is left that could do one."""
    distributed = _distributed()
    while True:
        try:
            return next(iter(distributed.wait(list(running), PATIENCE, "FIRST_COMPLETED").done))
        except TimeoutError:
            if not client.scheduler_info(n_workers=-1)["workers"]:
                raise ClusterError(f"the cluster has had no worker for {PATIENCE} s") from None


@contextmanager
def _held(work: Several[Item, Result], client: Any) -> Iterator[str]:
    """Give a function to every worker, those to come included, under the name that is returned."""
    distributed = _distributed()
    base: Any = distributed.WorkerPlugin

    class Holder(base):  # type: ignore[misc]
        def __init__(self) -> None:
            self.work = work

    name = f"irrun-{uuid.uuid4().hex}"
    with _answering(client):
        client.register_plugin(Holder(), name=name)
    try:
        yield name
    finally:
        with suppress(OSError, CancelledError):
            client.unregister_worker_plugin(name)


@contextmanager
def _answering(client: Any) -> Iterator[None]:
    """Convert the errors of a client that has lost its scheduler to ClusterError."""
    try:
        yield
    except (OSError, CancelledError):
        address = getattr(client.scheduler, "address", "") or "of the cluster"
        raise ClusterError(f"the scheduler {address} no longer answers; its unfinished work is lost") from None


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence the messages and tracebacks that Dask prints about a connection that is lost."""
    loggers = [logging.getLogger(name) for name in ("distributed", *_LOGGERS)]
    levels = [logger.level for logger in loggers]
    try:
        for logger in loggers:
            logger.setLevel(logging.CRITICAL + 1)
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


def _apply(name: str, items: Sequence[Any]) -> list[Any]:
    return list(_distributed().get_worker().plugins[name].work(items))


@contextmanager
def _connected(scheduler: Any, workers: int) -> Iterator[Any]:
    """A client of a cluster; one that the caller has is left open."""
    distributed = _distributed()
    if isinstance(scheduler, distributed.Client):
        yield scheduler
        return
    if scheduler == LOCAL:
        with (
            distributed.LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=":0") as cluster,
            distributed.Client(cluster) as client,
        ):
            yield client
        return
    address = str(scheduler)
    if not address.startswith(_SCHEMES):
        close = near_match(address.partition("://")[0] + "://", _SCHEMES) or f", expected {LOCAL} or tcp://HOST:8786"
        raise ClusterError(f"{address} is not the address of a scheduler{close}")
    try:
        client = distributed.Client(address, timeout=TIMEOUT)
    except (OSError, ValueError) as error:
        raise ClusterError(f"the scheduler {address} does not answer: {str(error).partition(chr(10))[0]}") from None
    with client:
        if not client.scheduler_info(n_workers=-1)["workers"]:
            raise ClusterError(f"the scheduler {address} has no workers; start some with dask worker {address}")
        yield client


def _distributed() -> Any:
    try:
        import distributed
    except ImportError:
        what = f"a scheduler needs the package distributed, which is not installed; {install('distributed')}"
        raise ClusterError(what) from None
    return distributed
