"""The functions of this tree that a process calls, in all of its threads and in the processes that it starts.

From Python 3.12 on, a function is noted the first time that a test calls it, which costs next to nothing. Before, the
profiler counts all calls, and a test takes three times as long.
"""

from __future__ import annotations

import atexit
import cProfile
import json
import os
import sys
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import CodeType
from typing import Any, Final, Protocol

ROOT: Final = Path(__file__).resolve().parents[2]
FOLDER: Final = "IRRUN_TESTS_CALLS"
"""Environment variable with the folder into which processes that tests start write what they call."""

_OURS: Final = f"{ROOT}{os.sep}"
_KEPT: Final = ("irrun/", "kernels/", "tests/", "tools/", "examples/", "docs/", "schemas/")


class _Watch(Protocol):
    def take(self) -> set[CodeType]:
        """Return the code of the functions that were called since the last time."""


class Calls:
    """Notes the calls of this process from now on, and the files of data that it reads."""

    def __init__(self) -> None:
        self._files: set[str] = set()
        self._watch: _Watch = _Monitoring() if sys.version_info >= (3, 12) else _Profiling()
        sys.addaudithook(self._note)

    def _note(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and isinstance(arguments[0], str | os.PathLike):
            path = str(arguments[0])
            if path.startswith(_OURS) and not path.endswith((".py", ".pyc")) and "w" not in (arguments[1] or ""):
                self._files.add(path)

    def take(self) -> set[str]:
        """Return what was called and read since the last time: ``file::function``, and ``file``."""
        found = {_name(code.co_filename, code.co_qualname) for code in self._watch.take()}
        found |= {_name(path) for path in self._files}
        self._files.clear()
        return {name for name in found if name.startswith(_KEPT)}


def _name(file: str, function: str = "") -> str:
    """Return the name of a file, or of a function: of the outermost one, if it is defined in another."""
    path = file[len(_OURS) :].replace(os.sep, "/") if file.startswith(_OURS) else ""
    return f"{path}::{function.partition('.<locals>')[0]}" if function else path


class _Monitoring:
    """Notes each function once, until what was found is taken."""

    def __init__(self) -> None:
        monitoring, self._found = sys.monitoring, set[CodeType]()
        self._once = monitoring.DISABLE
        monitoring.use_tool_id(monitoring.PROFILER_ID, "calls of tests")
        monitoring.register_callback(monitoring.PROFILER_ID, monitoring.events.PY_START, self._start)
        monitoring.set_events(monitoring.PROFILER_ID, monitoring.events.PY_START)

    def _start(self, code: CodeType, _: int) -> Any:
        self._found.add(code)
        return self._once

    def take(self) -> set[CodeType]:
        found, self._found = self._found, set()
        sys.monitoring.restart_events()
        return found


class _Profiling:
    """Counts all calls, in a profile of each thread."""

    def __init__(self) -> None:
        self._profiles: list[cProfile.Profile] = []
        self._begin()
        threading.setprofile(self._begin)

    def _begin(self, *_: Any) -> None:
        profile = cProfile.Profile(subcalls=False, builtins=False)
        self._profiles.append(profile)
        profile.enable()

    def take(self) -> set[CodeType]:
        found: set[CodeType] = set()
        for profile in self._profiles:
            found |= {entry.code for entry in profile.getstats() if isinstance(entry.code, CodeType)}
            profile.clear()
        return found


def write(calls: Mapping[str, Iterable[str]], seconds: Mapping[str, float]) -> None:
    """Write what tests have called in this process, and the seconds of those that it has run."""
    target = Path(os.environ[FOLDER], f"{os.getpid()}-{os.urandom(4).hex()}")
    found = {test: sorted(names) for test, names in calls.items()}
    target.write_text(json.dumps([found, seconds]), encoding="utf-8")
    target.rename(target.with_suffix(".json"))  # A test may kill the process before.


def note_calls_of_this_process() -> None:
    """Note the calls of a process that a test has started, and write them when it ends."""
    calls = Calls()
    test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0]
    end = os._exit

    def write_and_end(status: int) -> None:
        write({test: calls.take()}, {})
        end(status)

    atexit.register(lambda: write({test: calls.take()}, {}))
    os._exit = write_and_end  # type: ignore[assignment]
