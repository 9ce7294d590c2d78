"""Runs OpenVINO's own tests of its Python API on the installed openvino and on irrun, and compares them by function."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from lxml import etree

from tests.lab import records
from tests.lab.openvino_tests.reasons import Reason, reason

RECORD: Final = records.DATA / "openvino-tests.json"
SIDES: Final[Mapping[str, tuple[str, ...]]] = {"openvino": (), "irrun": ("-m", "irrun.openvino")}


class Function(NamedTuple):
    """A test function: the number of its cases that OpenVINO passes, and what irrun says to those that it fails."""

    name: str
    cases: int
    failures: Sequence[str]

    @property
    def reason(self) -> Reason | None:
        """The known reason for a failure."""
        return reason(self.name)


def run(folder: Path, pattern: str, side: str, workers: int) -> dict[str, list[str | None]]:
    """Return the messages of the cases of each function, None for one that passes; without cases that are skipped."""
    files = [str(file) for file in sorted((folder / "tests").rglob("test_*.py")) if re.search(pattern, str(file))]
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch) / "report.xml"
        command = [sys.executable, *SIDES[side], "-m", "pytest", "-q", "-n", str(workers), "-p", "no:cacheprovider"]
        path = os.pathsep.join([str(folder), *([str(records.ROOT)] if side == "irrun" else [])])
        subprocess.run(
            [*command, f"--rootdir={folder}", f"--junitxml={report}", *files],
            cwd=scratch,
            env=os.environ | {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
            stdout=subprocess.DEVNULL,
            check=False,
        )
        if not report.exists():
            raise RuntimeError(f"pytest wrote no report on {side}: {' '.join(command)}")
        found = defaultdict(list)
        for case in etree.parse(report).iter("testcase"):
            bad = next((item for item in case if item.tag in ("failure", "error")), None)
            if bad is not None or case.find("skipped") is None:
                file = case.get("classname", "").removeprefix("tests.").replace(".", "/")
                name = f"{file}.py::{case.get('name', '').partition('[')[0]}"
                found[name].append(None if bad is None else f"{case.get('name')}: {bad.get('message')}")
        return found


def compare(known: Mapping[str, Sequence[str | None]], own: Mapping[str, Sequence[str | None]]) -> list[Function]:
    """Return the functions that OpenVINO passes whole, from the messages of both."""
    found = []
    for name, messages in known.items():
        if not any(messages):
            failures = [message for message in own.get(name, ()) if message is not None]
            missing = len(messages) - len(own.get(name, ()))
            found.append(Function(name, len(messages), [*failures, *["it did not run"] * missing]))
    return found


def summary(functions: Sequence[Function]) -> dict[str, Any]:
    """Return the record of a run: numbers, and the reason of each function that fails."""
    failed = [item for item in functions if item.failures]
    outside = [item for item in failed if item.reason is not None and not item.reason.applies]
    applying = len(functions) - len(outside)
    return {
        "functions": len(functions),
        "cases": sum(item.cases for item in functions),
        "cases that pass": sum(item.cases - len(item.failures) for item in functions),
        "functions that pass": len(functions) - len(failed),
        "functions that apply": applying,
        "percent of those that apply": round(100 * (len(functions) - len(failed)) / max(applying, 1), 1),
        "do not apply": {item.name: text(item) for item in outside},
        "fail": {item.name: text(item) for item in failed if item not in outside},
    }


def section() -> Iterator[str]:
    """Yield the section of a page for the record."""
    record = records.read(RECORD)
    yield from (
        "## OpenVINO's own tests",
        "",
        f"OpenVINO {record['openvino']} passes {record['functions']} functions ({record['cases']:,} cases) of tests,",
        f"those of release {record['tests']} for the Python API. irrun passes {record['functions that pass']} of them:",
        f"{record['percent of those that apply']:g} % of the {record['functions that apply']} that matter to programs",
        "which run IRs. `python -m tests.lab openvino_tests` runs them on both.",
        "",
        "| why irrun fails the others | functions | needed |",
        "|---|---:|---|",
    )
    for key, needed in (("fail", "yes"), ("do not apply", "no")):
        counts = Counter(record[key].values())
        ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        yield from (f"| {text or 'not known'} | {number} | {needed} |" for text, number in ranked)


def text(function: Function) -> str:
    return function.reason.text if function.reason is not None else ""
