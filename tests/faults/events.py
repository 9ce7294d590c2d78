"""Runs a command in a forked process that meets a fault, and judges what it left."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import json
import multiprocessing
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import numpy as np

from tests.faults.paths import LARGE, LOGS, OLD, WritePath, contents, lay, write_model

Fault = Callable[[random.Random, int], None]
CAPABILITIES_3: Final = 0x20080522
SECONDS: Final = 60
"""The processor time of a command."""


def after(events: int, act: Callable[[], None]) -> None:
    """Act at one of the calls and returns of Python functions from now on."""
    left = events

    def count(*_: object) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            sys.setprofile(None)
            act()

    sys.setprofile(count)


def killed(chosen: random.Random, events: int) -> None:
    """SIGKILL; half of the times during the last tenth, in which files are written."""
    first = events * 9 // 10 if chosen.random() < 0.5 else 1
    after(chosen.randint(first, events), lambda: os.kill(os.getpid(), signal.SIGKILL))


def full(chosen: random.Random, _: int) -> None:
    """No file may grow beyond some bytes."""
    limit = chosen.choice([0, chosen.randrange(500), chosen.randrange(13_000)])
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))


def unwritable(chosen: random.Random, _: int) -> None:
    """The folder is read-only from some time on, for root too."""
    header, nothing = (ctypes.c_uint32 * 2)(CAPABILITIES_3, 0), (ctypes.c_uint32 * 6)()
    ctypes.CDLL(None).capset(header, nothing)

    def close() -> None:
        for folder in {path.parent for path in Path().resolve().rglob("*")}:
            folder.chmod(0o555)

    after(chosen.choice([1, chosen.randint(1, _)]), close)


def broken_pipe(chosen: random.Random, _: int) -> None:  # noqa: ARG001
    """Nobody reads the output."""
    reading, writing = os.pipe()
    os.close(reading)
    os.dup2(writing, 1)


class SignalStack(ctypes.Structure):
    """``stack_t`` of the C libraries of Linux."""

    _fields_ = (("place", ctypes.c_void_p), ("flags", ctypes.c_int), ("size", ctypes.c_size_t))


SS_DISABLE: Final = 2


def interrupted(chosen: random.Random, events: int) -> None:
    """Ctrl-C; half of the times during the last tenth, in which files are written.

    Handlers run on the stack of the thread: where OpenVINO ran in this process, it may have left one for signals that
    is no longer mapped.
    """
    ctypes.CDLL(None).sigaltstack(ctypes.byref(SignalStack(None, SS_DISABLE, 0)), None)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    first = events * 9 // 10 if chosen.random() < 0.5 else 1
    after(chosen.randint(first, events), lambda: os.kill(os.getpid(), signal.SIGINT))


def truncated(chosen: random.Random, events: int) -> None:
    """The weights are truncated meanwhile."""
    after(chosen.randint(1, events), lambda: os.truncate("model.bin", chosen.choice([0, 1, 5000])))


def replaced(chosen: random.Random, events: int) -> None:
    """The weights are replaced meanwhile by others."""
    after(chosen.randint(1, events), lambda: os.replace("other.bin", "model.bin"))


FAULTS: Final[Mapping[str, Fault]] = {
    "kill": killed,
    "full disk": full,
    "unwritable folder": unwritable,
    "broken pipe": broken_pipe,
    "interrupt": interrupted,
    "truncated weights": truncated,
    "replaced weights": replaced,
}
OF_WEIGHTS: Final = ("truncated weights", "replaced weights")
STATUSES: Final[Mapping[str, set[int]]] = {
    "kill": {0, 1, -signal.SIGKILL},
    "full disk": {0, 1, 2},
    "unwritable folder": {0, 1, 2},
    "broken pipe": {0, 1, 141},
    "interrupt": {0, 1, 130, -signal.SIGINT},
    "truncated weights": {0, 2},
    "replaced weights": {0, 2},
}


def trials(path: WritePath, fault: str, times: int, seed: int = 0) -> list[str]:
    """Run the command with a fault some times; return what went wrong.

    Each time is a fork of one process that has run the command without a fault, and has imported what it needs.
    """
    forking = multiprocessing.get_context("fork")
    receiving, sending = forking.Pipe(duplex=False)
    process = forking.Process(target=lambda: sending.send(_trials(path, fault, times, seed)))
    process.start()
    sending.close()
    found: list[str] = receiving.recv()
    process.join()
    return found


def _trials(path: WritePath, fault: str, times: int, seed: int) -> list[str]:
    found = []
    large = path.large and fault in OF_WEIGHTS
    base = Path(tempfile.mkdtemp(prefix="irrun-faults-"))
    try:
        lay(base, path, *([LARGE] if large else []))
        before = contents(base)
        (base / "count").mkdir()
        _warm(path, _copy(base, base / "count" / "warm"))
        events = _counted(path, _copy(base, base / "count" / "a"))
        complete = [_completed(path, _copy(base, base / "count" / "b"))]
        if fault == "replaced weights":
            write_model(base / "other.xml", np.full(LARGE, 7, np.float32))
            other = _copy(base, base / "count" / "c")
            os.replace(other / "other.bin", other / "model.bin")
            complete.append(_completed(path, other))
        for number in range(times):
            folder = _copy(base, base / "trial")
            status = _status(path, folder, lambda n=number: FAULTS[fault](random.Random(f"{seed} {n}"), events))
            wrong = _judged(path, folder, before, complete, fault, status)
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
