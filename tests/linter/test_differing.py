"""Diffs of files: those of difflib where lines occur once, in linear time where they recur."""

from __future__ import annotations

import difflib
import random
from collections.abc import Sequence

from irrun.linter.differing import unified
from tests.lines import Lines


def patched(old: Sequence[str], diff: Sequence[str]) -> list[str]:
    """Return the new file that a diff makes of an old one."""
    made: list[str] = []
    at = 0
    for line in diff[2:]:
        if line.startswith("@@"):
            begin, _, count = line.split()[1][1:].partition(",")
            first = int(begin) - (count != "0")
            made += old[at:first]
            at = first
        elif line[0] == "+":
            made.append(line[1:])
        else:
            assert old[at] == line[1:]
            made += [line[1:]] if line[0] == " " else []
            at += 1
    return [*made, *old[at:]]


def test_a_diff_makes_the_new_file() -> None:
    draw = random.Random(1)
    for _ in range(60):
        lines = [f"{draw.randrange(draw.choice([3, 50]))}\n" for _ in range(draw.randrange(40))]
        other = list(lines)
        for _ in range(draw.randrange(5)):
            at = draw.randrange(len(other) + 1)
            other[at : at + draw.randrange(3)] = [f"{draw.randrange(60)}\n" for _ in range(draw.randrange(3))]
        diff = list(unified(lines, other, "f"))
        assert patched(lines, diff) == other
        assert (diff == []) == (lines == other)


def test_lines_of_their_own_differ_as_in_difflib() -> None:
    old = [f"{index}\n" for index in range(100)]
    new = [*old[:10], "a\n", *old[10:50], *old[52:90], "b\n", "c\n", *old[91:]]
    assert list(unified(old, new, "f")) == list(difflib.unified_diff(old, new, "f", "f"))


def test_work_grows_with_the_lines() -> None:
    def work(count: int) -> int:
        old = [line for index in range(count) for line in (f"<layer {index}>\n", "<data a=1>\n", "</layer>\n")]
        new = [line.replace("a=1", "b=1") for line in old]
        with Lines() as lines:
            assert len(list(unified(old, new, "f"))) > count
        return lines.count

    assert work(400) - work(200) <= 2.3 * (work(200) - work(100))
