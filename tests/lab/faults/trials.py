"""Runs a command in a forked process that meets a fault, and judges what it left."""

from __future__ import annotations

import contextlib
import functools
import gc
import itertools
import json
import multiprocessing
import os
import random
import resource
import shutil
import sys
import tempfile
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from tests.lab.faults.events import FAULTS, OF_WEIGHTS, STATUSES
from tests.lab.faults.paths import LARGE, LOGS, OLD, WritePath, contents, lay, write_model

SECONDS: Final = 60
"""The processor time of a command."""


def trials(path: WritePath, faults: Sequence[str], times: int, seed: int = 0) -> list[str]:
    """Run the command with each fault some times; return what went wrong.

    Each time is a fork of one process that has run the command without a fault, and has imported what it needs.
    """
    of_weights = [fault for fault in faults if fault in OF_WEIGHTS]
    others = [fault for fault in faults if fault not in OF_WEIGHTS]
    return [line for group in (others, of_weights) if group for line in _apart(path, group, times, seed)]


def _apart(path: WritePath, faults: Sequence[str], times: int, seed: int) -> list[str]:
    """Run ``_trials`` in a forked process."""
    forking = multiprocessing.get_context("fork")
    receiving, sending = forking.Pipe(duplex=False)
    process = forking.Process(target=lambda: sending.send(_trials(path, faults, times, seed)))
    process.start()
    sending.close()
    found: list[str] = receiving.recv()
    process.join()
    return found


def _trials(path: WritePath, faults: Sequence[str], times: int, seed: int) -> list[str]:
    """The trials of faults of weights, or of others, in this process."""
    found = []
    large = path.large and faults[0] in OF_WEIGHTS
    base = Path(tempfile.mkdtemp(prefix="irrun-faults-"))
    try:
        lay(base, path, *([LARGE] if large else []))
        before = contents(base)
        (base / "count").mkdir()
        _warm(path, _copy(base, base / "count" / "warm"))
        events = _counted(path, _copy(base, base / "count" / "a"))
        complete = [_completed(path, _copy(base, base / "count" / "b"))]
        replaced = []
        if "replaced weights" in faults:
            write_model(base / "other.xml", np.full(LARGE, 7, np.float32))
            other = _copy(base, base / "count" / "c")
            os.replace(other / "other.bin", other / "model.bin")
            replaced = [_completed(path, other)]
        for fault, number in itertools.product(faults, range(times)):
            folder = _copy(base, base / "trial")
            chosen = random.Random(f"{seed} {number}")
            status = _status(path, folder, functools.partial(FAULTS[fault], chosen, events))
            expected = complete + (replaced if fault == "replaced weights" else [])
            wrong = _judged(path, folder, before, expected, fault, status)
            if wrong:
                found.append(f"{fault}, seed {seed}, trial {number}: {wrong}")
            shutil.rmtree(folder)
    finally:
        shutil.rmtree(base)
    return found


def _judged(
    path: WritePath,
    folder: Path,
    before: Mapping[str, bytes],
    complete: list[dict[str, bytes]],
    fault: str,
    status: int,
) -> str:
    for item in (folder, *folder.rglob("*")):
        item.chmod(0o755 if item.is_dir() else 0o644)
    left = contents(folder)
    if status not in STATUSES[fault]:
        return f"the status is {status}: {left.get('stderr', b'').decode()}"
    touched = {*path.written, *(("model.bin", "other.bin") if fault in OF_WEIGHTS else ())}
    changed = [name for name, data in before.items() if name not in touched and left.get(name) != data]
    if changed:
        return f"{changed} were changed"
    for name in path.written:
        if name in LOGS:
            continue
        if left.get(name) != before[name] and not any(_same(name, left.get(name), item[name]) for item in complete):
            return f"{name} is neither the old nor a complete file"
    if fault in OF_WEIGHTS:
        return ""
    again = _completed(path, folder)
    unknown = [name for name in again if name not in before and name not in ("stdout", "stderr")]
    if unknown or not all(_same(name, again[name], complete[0][name]) for name in path.written):
        return f"the next run leaves {unknown}"
    return ""


def _same(name: str, data: bytes | None, expected: bytes) -> bool:
    if data is None:
        return False
    if name in LOGS:
        return _recorded(data) == _recorded(expected)
    if name == "trace.json":
        return set(json.loads(data)) == set(json.loads(expected)) if data != OLD else False
    return data == expected


def _recorded(log: bytes) -> set[str]:
    """Return the inputs whose records say that they are done; a line that was cut is not a record."""
    found = set()
    for line in log.splitlines():
        with contextlib.suppress(ValueError):
            record = json.loads(line)
            found |= {record["input"]} if record["status"] == "done" else set()
    return found


def _copy(base: Path, folder: Path) -> Path:
    """Copy the files of a folder; weights by a link where that is enough."""
    shutil.copytree(base, folder, ignore=shutil.ignore_patterns("count", "trial"))
    return folder


def _completed(path: WritePath, folder: Path) -> dict[str, bytes]:
    status = _status(path, folder, lambda: None)
    found = contents(folder)
    assert status in (0, 1), found["stderr"].decode()
    assert all(found[name] != OLD for name in path.written)
    return found


def _counted(path: WritePath, folder: Path) -> int:
    """Return the number of calls and returns of a command."""

    def begin() -> None:
        events = 0

        def count(*_: object) -> None:
            nonlocal events
            events += 1

        global _finish
        _finish = lambda: (sys.setprofile(None), Path("events").write_text(str(events)))  # noqa: E731
        sys.setprofile(count)

    _status(path, folder, begin)
    return int((folder / "events").read_text())


def _finish() -> object:
    return sys.setprofile(None)


def _warm(path: WritePath, folder: Path) -> None:
    """Run a command in this process, and keep what it has imported out of the garbage collection of its forks."""
    os.environ["IRRUN_TIER"] = "numpy"
    with contextlib.ExitStack() as stack:
        stream = stack.enter_context(open(folder / "stdout", "w"))
        for manager in (
            contextlib.redirect_stdout(stream),
            contextlib.redirect_stderr(stream),
            contextlib.chdir(folder),
        ):
            stack.enter_context(manager)
        stack.enter_context(contextlib.suppress(SystemExit))
        path.command()
    gc.collect()
    gc.freeze()


def _status(path: WritePath, folder: Path, prepare: Callable[[], None]) -> int:
    """Run a command in a forked process, in a folder; return its status, negative for a signal."""
    sys.stdout.flush()
    process = os.fork()
    if process == 0:
        status = 99
        try:
            os.chdir(folder)
            for number, name in ((1, "stdout"), (2, "stderr")):
                os.dup2(os.open(name, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o644), number)
            resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
            prepare()
            sys.stdout, sys.stderr = (os.fdopen(number, "w", buffering=1, encoding="utf-8") for number in (1, 2))
            path.command()
            status = 0
        except SystemExit as error:
            status = error.code if isinstance(error.code, int) else 1
        except KeyboardInterrupt:
            status = 130
        except BaseException:
            traceback.print_exc()
        finally:
            _finish()
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
