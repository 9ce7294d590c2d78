"""Plant the faults of a seed, and note which tests notice each.

Each fault is run against the tests that it affects, as ``pytest --affected`` chooses them. Those that no test of the
quick tier noticed are planted together and run against the whole quick tier; each that a failing test notices alone is
taken out, until nothing fails. Those that are left are run against the rest in the same way, and those that are left
then, against the tests of another tree, if one is given. A study that was stopped goes on where it was.
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
from collections.abc import Callable, Mapping, Sequence
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

LONGEST: Final = 100
"""The seconds after which a single test hangs, and its worker is ended."""

FEW: Final = 40
"""The failing tests that each fault is run against alone."""

Outcome = dict[str, Any]
"""The result of a run: caught or survived, the seconds, and the test that noticed."""


def plant(tree: Path, *mutants: Mutant) -> None:
    """Write faults into a copy of the tree."""
    for file, faults in by_file(mutants).items():
        data = (ROOT / file).read_bytes()
        for mutant in sorted(faults, key=lambda each: each.start, reverse=True):
            end = mutant.start + len(mutant.before.encode())
            if data[mutant.start : end] != mutant.before.encode():
                raise ValueError(f"{mutant}: the file has {data[mutant.start : end]!r} there; draw again")
            data = data[: mutant.start] + mutant.after.encode() + data[end:]
        (tree / file).write_bytes(data)


def uproot(tree: Path, *mutants: Mutant) -> None:
    for file in by_file(mutants):
        shutil.copyfile(ROOT / file, tree / file)


def by_file(mutants: Sequence[Mutant]) -> dict[str, list[Mutant]]:
    found: dict[str, list[Mutant]] = {}
    for mutant in mutants:
        found.setdefault(mutant.file, []).append(mutant)
    return found


def apart(mutants: Sequence[Mutant]) -> list[Mutant]:
    """Return those that can be planted together: none is in the place of another."""
    found: list[Mutant] = []
    for mutant in mutants:
        end = mutant.start + len(mutant.before.encode())
        if not any(
            mutant.file == each.file and mutant.start < each.start + len(each.before.encode()) and each.start < end
            for each in found
        ):
            found.append(mutant)
    return found


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


def pytest(tree: Path, *options: str, seconds: float = SECONDS) -> tuple[Outcome, list[str]]:
    """Run tests; return the outcome, and the tests that failed."""
    begin = time.monotonic()
    given = ["-q", "-n", "2", "-p", "no:budget", "-o", f"faulthandler_timeout={LONGEST}"]
    given += ["-o", "faulthandler_exit_on_timeout=true", *options]
    status, text = run(tree, "-m", "pytest", *given, seconds=seconds)
    failed = re.findall(r"^(?:FAILED|ERROR) (\S+::.*?)(?: - .*)?$", text, re.MULTILINE)
    survived = status in SURVIVED
    outcome: Outcome = {
        "outcome": "survived" if survived else "caught" if failed or status == TOO_LONG else "stopped",
        "seconds": round(time.monotonic() - begin),
    }
    if failed:
        outcome["test"] = failed[0]
    elif not survived:
        outcome["text"] = text[-300:] or "it takes too long"
    return outcome, failed


def study(tree: Path, seed: int, count: int, records: Path, before: Path | None = None) -> None:
    """Note the outcomes of the faults of a seed that have none yet in ``records``.

    ``before`` is a tree with other tests, whose sources are those of this tree.
    """
    if not tree.exists():
        copy_of_tree(tree)
    if not records.exists():
        write(records, [{"mutant": asdict(mutant), "outcomes": {}} for mutant in chosen(tree, seed, count)])
    read = json.loads(records.read_text(encoding="utf-8"))
    studied = {Mutant(**each["mutant"]): each["outcomes"] for each in read}

    def note(mutant: Mutant, tier: str, outcome: Outcome) -> None:
        studied[mutant][tier] = outcome
        write(records, [{"mutant": asdict(mutant), "outcomes": outcomes} for mutant, outcomes in studied.items()])
        print(f"{mutant}: {tier} {outcome['outcome']} {outcome.get('test', '')}", flush=True)

    for mutant, outcomes in studied.items():
        if "affected" not in outcomes:
            plant(tree, mutant)
            note(mutant, "affected", pytest(tree, "-x", "--affected")[0])
            uproot(tree, mutant)
    _, text = run(tree, "-m", "pytest", "--collect-only", "-q")
    quick = {line for line in text.splitlines() if "::" in line}
    left = [mutant for mutant, outcomes in studied.items() if outcomes["affected"].get("test") not in quick]
    together(tree, "quick", [], ["--all"], left, studied, note)
    left = [mutant for mutant in left if survived(studied[mutant])]
    together(tree, "rest", ["--rest"], ["--all"], left, studied, note)
    if before is not None:
        left = [mutant for mutant in left if survived(studied[mutant])]
        together(before, "before", [], [], left, studied, note)


def survived(outcomes: Mapping[str, Outcome]) -> bool:
    return all(outcome["outcome"] == "survived" for outcome in outcomes.values())


def together(
    tree: Path,
    tier: str,
    options: Sequence[str],
    alone: Sequence[str],
    mutants: Sequence[Mutant],
    outcomes: Mapping[Mutant, Mapping[str, Outcome]],
    note: Callable[[Mutant, str, Outcome], None],
) -> None:
    """Plant faults together and run the tests of a tier, until those that are left fail none of them.

    ``options`` choose the tests of the tier, ``alone`` allow any test to be named.
    """
    while left := apart([mutant for mutant in mutants if tier not in outcomes[mutant]]):
        plant(tree, *left)
        outcome, failed = pytest(tree, *options, seconds=len(left) * SECONDS)
        uproot(tree, *left)
        caught = 0
        for mutant in left if failed else ():
            plant(tree, mutant)
            by_itself, _ = pytest(tree, "-x", *alone, *failed[:FEW])
            uproot(tree, mutant)
            if by_itself["outcome"] != "survived":
                note(mutant, tier, by_itself)
                caught += 1
        if not caught:
            for mutant in left:
                note(mutant, tier, {**outcome, "outcome": "survived" if not failed else "not alone"})


def write(records: Path, studied: Sequence[Mapping[str, Any]]) -> None:
    records.write_text(json.dumps(studied, indent=1) + "\n", encoding="utf-8")
