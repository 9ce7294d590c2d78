"""Processes: engines that are measured, and busy neighbours."""

from __future__ import annotations

import compileall
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from exports import Made

HERE: Final = Path(__file__).resolve().parent
IDLE: Final = 0.9
"""The share of all processors that does nothing on a calm machine."""


class Worker:
    """An engine with a model, in another process."""

    def __init__(self, engine: str, made: Made, threads: int) -> None:
        files = (str(made.stem), str(made.workload))
        command = [sys.executable, str(HERE / "worker.py"), engine, *files, str(threads)]
        began = time.perf_counter()
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            env={name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"},
        )
        self.started: dict[str, Any] = self._answer()
        self.started["start_ms"] = 1000 * (time.perf_counter() - began)

    def ask(self, **command: Any) -> Any:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(command) + "\n")
        self._process.stdin.flush()
        return self._answer()

    def close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()
        self._errors.close()

    def _answer(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if line:
            return json.loads(line)
        self._process.wait()
        self._errors.seek(0)
        last = [text for text in self._errors.read().splitlines() if text.strip()]
        raise RuntimeError(last[-1] if last else f"ended with status {self._process.returncode}")


def compile_bytecode() -> None:
    """Compile the modules of irrun, as an installation does; that of a clone for development does not."""
    for package in ("irrun", "irrun_kernels"):
        spec = find_spec(package)
        if spec is not None:
            for folder in spec.submodule_search_locations or ():
                compileall.compile_dir(folder, quiet=2)


def calm(seconds: float) -> None:
    """Wait for the machine to be idle, so long at most; nothing where the kernel does not say what it does."""
    ends = time.perf_counter() + seconds
    while time.perf_counter() < ends:
        try:
            first = _ticks()
            time.sleep(0.3)
            idle, whole = (after - before for before, after in zip(first, _ticks(), strict=True))
        except OSError:
            return
        if idle >= IDLE * whole:
            return


def _ticks() -> tuple[int, int]:
    """Idle and all ticks of all processors since the start."""
    counts = [int(word) for word in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    return counts[3] + counts[4], sum(counts)


@contextmanager
def neighbours(count: int) -> Iterator[None]:
    """Keep ``count`` processors busy with other programs."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()
