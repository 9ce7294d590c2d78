"""Inferences in threads and in sequence."""

from __future__ import annotations

import gc
import threading
import tracemalloc
from pathlib import Path

import irrun.model
from tests.lab.soak.models import MODELS, compiled, inputs


def differences(tier: str, threads: int, inferences: int, folder: Path) -> list[str]:
    """Run shared models in threads, with a request for each; return what differs from the results of one thread.

    Results are compared bit by bit. Each thread begins with another model.
    """
    models = {name: compiled(name, tier, folder) for name in MODELS}
    expected = {name: _results(models[name].session(), name, inferences) for name in MODELS}
    found: list[str] = []
    barrier = threading.Barrier(threads)

    def work(number: int) -> None:
        requests = {name: model.session() for name, model in models.items()}
        names = list(models)
        barrier.wait()
        try:
            for index in range(inferences):
                for turn in range(len(names)):
                    name = names[(turn + number) % len(names)]
                    got = requests[name].run(inputs(name, index))[0].tobytes()
                    if got != expected[name][index]:
                        found.append(f"{tier}, {name}: thread {number}, inference {index}")
        except Exception as error:
            found.append(f"{tier}: thread {number}: {error!r}")

    workers = [threading.Thread(target=work, args=(number,)) for number in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return found


def _results(request: irrun.model.Session, name: str, inferences: int) -> list[bytes]:
    return [request.run(inputs(name, index))[0].tobytes() for index in range(inferences)]


def growth(tier: str, inferences: int, folder: Path) -> dict[str, int]:
    """Return the bytes that Python and NumPy hold more after the second half of the inferences of each model.

    Plans and programs are made during the first half. A few kilobytes are not held: with CPython 3.11,
    tracemalloc counts some objects of ``ndarray.ctypes`` that are gone.
    """
    found = {}
    for name in MODELS:
        request = compiled(name, tier, folder).session()
        tracemalloc.start()
        try:
            held = []
            for _ in range(2):
                for index in range(inferences // 2):
                    request.run(inputs(name, index))
                gc.collect()
                held.append(tracemalloc.get_traced_memory()[0])
        finally:
            tracemalloc.stop()
        found[name] = held[1] - held[0]
    return found
