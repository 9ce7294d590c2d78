"""The number of threads beside other programs, on a clock and a counter of the test."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from irrun.kernels.contention import Contention, are_all_busy, is_crowded


class Machine:
    """A clock, and the interruptions that the threads of a process have had."""

    def __init__(self) -> None:
        self.now = 100.0
        self.count = 7.0
        self.is_crowded = False
        self.are_busy = False
        self.contention = Contention(
            lambda: self.now, lambda: int(self.count), lambda: self.is_crowded, lambda _: self.are_busy
        )

    def run(self, seconds: float, rates: dict[int, float], wanted: int = 4) -> list[int]:
        """Return the numbers of threads of runs of 5 ms; ``rates`` are interruptions in a second, by number."""
        found = []
        for _ in range(round(seconds / 0.005)):
            found.append(self.contention.limit(wanted))
            self.now += 0.005
            self.count += 0.005 * rates.get(found[-1], 0)
        return found


def test_all_threads_where_nothing_interrupts_them() -> None:
    assert set(Machine().run(2, {4: 20})) == {4}


def test_fewer_where_others_want_a_processor() -> None:
    machine = Machine()
    found = machine.run(10, {4: 500})
    assert found[0] == 4
    assert set(found) == {3, 4}
    assert 0.005 < sum(count == 4 for count in found[400:]) / len(found[400:]) < 0.05
    assert set(machine.run(3, {})[-100:]) == {4}


def test_one_after_the_other_leaves() -> None:
    machine = Machine()
    assert set(machine.run(2, {4: 500, 3: 400, 2: 300, 1: 200})[100:]) == {1}
    found = machine.run(3, {4: 500})
    assert found.index(2) < found.index(3) < found.index(4)


def test_no_trial_while_all_processors_are_busy() -> None:
    machine = Machine()
    machine.are_busy = True
    assert set(machine.run(10, {4: 500})[40:]) == {3}
    machine.are_busy = False
    assert set(machine.run(2, {})[-100:]) == {4}


def test_what_was_long_ago_says_nothing() -> None:
    machine = Machine()
    machine.run(0.1, {})
    machine.now += 5
    machine.count += 10_000
    assert set(machine.run(0.1, {})) == {4}


def test_a_run_may_want_fewer() -> None:
    machine = Machine()
    machine.run(0.1, {})
    assert set(machine.run(0.1, {}, wanted=2)) == {2}
    assert set(machine.run(0.1, {}, wanted=4)) == {4}


def test_one_to_begin_with_on_a_crowded_machine() -> None:
    machine = Machine()
    machine.is_crowded = True
    found = machine.run(1, {})
    assert found[0] == 1
    assert found[-1] == 4


@pytest.mark.parametrize(("load", "wanted"), [(19.0, False), (21.0, True)])
def test_programs_that_wait_for_processors(load: float, wanted: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    monkeypatch.setattr(os, "getloadavg", lambda: (load, 0.0, 0.0), raising=False)
    assert is_crowded() is wanted


@pytest.mark.parametrize(
    ("text", "processors", "expected"),
    [
        ("0.00 0.01 0.05 3/813 11206", 4, False),
        ("0.00 0.01 0.05 4/813 11206", 4, True),
        ("0.00 0.01 0.05 9/813 11206", 2, False),
        ("", 4, False),
        ("0.00 0.01 0.05 many 1", 4, False),
    ],
)
def test_threads_on_all_processors(text: str, processors: int, expected: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 4)
    monkeypatch.setattr(Path, "read_text", lambda *_, **__: text)
    assert are_all_busy(processors) is expected
