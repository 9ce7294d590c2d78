"""Plant the faults of a seed one by one, and note which tests notice each.

Each fault is run against the tests that it affects, as ``pytest --affected`` chooses them; unless one of the quick tier
fails, against the whole quick tier, and then against the rest. A study that was stopped goes on where it was.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence, Set
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from tests.lab.mutants.draw import ROOT, Mutant, draw

DIGITS: Final = ("run", "examples/digits/model.xml", "-i", "image=examples/digits/seven.npy", "--top", "3")
ANSWER: Final = "top: class 7 (0.9996), class 9 (0.0002585), class 2 (0.0001013)"
SURVIVED: Final = (0, 5)
"""Exit statuses of pytest: all tests passed, or there were none."""

TOO_LONG: Final = -1
"""Our status of what was killed."""

SECONDS: Final = 600
"""A run of tests that takes longer hangs: so somebody notices the fault."""

Outcome = dict[str, Any]
"""Whether a fault was caught, after how many seconds, and by which test."""


def plant(tree: Path, mutant: Mutant) -> None:
    """Write a fault into a copy of the tree."""
    data = (ROOT / mutant.file).read_bytes()
    before = mutant.before.encode()
    place = data[mutant.start : mutant.start + len(before)]
    if place != before:
        raise ValueError(f"{mutant}: the file has {place!r} there; draw again")
    changed = data[: mutant.start] + mutant.after.encode() + data[mutant.start + len(before) :]
    (tree / mutant.file).write_bytes(changed)


def uproot(tree: Path, mutant: Mutant) -> None:
    shutil.copyfile(ROOT / mutant.file, tree / mutant.file)


def copy_of_tree(tree: Path) -> None:
    """Copy the files of this tree that Git knows, or has not been told to ignore, and the record of ``--record``."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tree / name)
    for name in ("kernels/build", "kernels/irrun_kernels/libraries", ".pytest_cache"):
        if (ROOT / name).exists():
            shutil.copytree(ROOT / name, tree / name, dirs_exist_ok=True)


def run(tree: Path, *command: str, seconds: float = SECONDS) -> tuple[int, str]:
    """Run Python in the tree; return the exit status and the output. What takes too long is killed."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tree), str(tree / "kernels")])}
    with subprocess.Popen(
        [sys.executable, *command],
        cwd=tree,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as process:
        try:
            text, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return TOO_LONG, ""
    return process.returncode, text


def counts(tree: Path, mutant: Mutant) -> bool:
    """Return whether a planted fault counts: its module can be imported, and digits are still recognised."""
    module = mutant.file.removeprefix("kernels/").removesuffix(".py").replace("/", ".").removesuffix(".__init__")
    status, _ = run(tree, "-c", f"import {module}", seconds=60)
    if status != 0:
        return False
    status, text = run(tree, "-m", "irrun", *DIGITS, seconds=60)
    return status == 0 and ANSWER in text


def chosen(tree: Path, seed: int, count: int) -> list[Mutant]:
    """Return the first faults of a seed that count, ``count`` of them spread over the rooms."""
    wanted: dict[str, int] = {}
    for mutant in draw(seed, count):
        wanted[mutant.room] = wanted.get(mutant.room, 0) + 1
    found: list[Mutant] = []
    for mutant in draw(seed, 3 * count):
        if wanted.get(mutant.room, 0) > 0:
            plant(tree, mutant)
            if counts(tree, mutant):
                found.append(mutant)
                wanted[mutant.room] -= 1
            uproot(tree, mutant)
    return found


def pytest(tree: Path, *options: str) -> Outcome:
    """Run tests until one fails."""
    begin = time.monotonic()
    status, text = run(tree, "-m", "pytest", "-x", "-q", "-n", "2", "-p", "no:budget", *options)
    failed = re.findall(r"^(?:FAILED|ERROR|SUBFAILED\S*) (\S+::.*?)(?: - .*)?$", text, re.MULTILINE)
    survived = status in SURVIVED
    outcome: Outcome = {
        "outcome": "survived" if survived else "caught" if failed or status == TOO_LONG else "stopped",
        "seconds": round(time.monotonic() - begin),
    }
    if failed:
        outcome["test"] = failed[0]
    elif not survived:
        outcome["text"] = text[-300:] or "it takes too long"
    return outcome


def outcomes(tree: Path, mutant: Mutant, quick: Set[str]) -> dict[str, Outcome]:
    """Return what happens to a fault: a test of the quick tier that the affected tests fail at counts for both."""
    plant(tree, mutant)
    try:
        found = {"affected": pytest(tree, "--affected")}
        if found["affected"].get("test") not in quick:
            found["quick"] = pytest(tree)
        if all(outcome["outcome"] == "survived" for outcome in found.values()):
            found["rest"] = pytest(tree, "--rest")
        return found
    finally:
        uproot(tree, mutant)


def study(tree: Path, seed: int, count: int, records: Path) -> None:
    """Plant the faults of a seed that have no outcomes yet, and write the outcomes into ``records``."""
    if not tree.exists():
        copy_of_tree(tree)
    if not records.exists():
        write(records, [{"mutant": asdict(mutant)} for mutant in chosen(tree, seed, count)])
    studied = json.loads(records.read_text(encoding="utf-8"))
    _, text = run(tree, "-m", "pytest", "--collect-only", "-q")
    quick = {line for line in text.splitlines() if "::" in line}
    for number, each in enumerate(studied):
        if "outcomes" not in each:
            mutant = Mutant(**each["mutant"])
            each["outcomes"] = outcomes(tree, mutant, quick)
            write(records, studied)
            said = ", ".join(f"{name} {outcome['outcome']}" for name, outcome in each["outcomes"].items())
            print(f"{number + 1} of {len(studied)}: {mutant}: {said}", flush=True)


def write(records: Path, studied: Sequence[Mapping[str, Any]]) -> None:
    records.write_text(json.dumps(studied, indent=1) + "\n", encoding="utf-8")
