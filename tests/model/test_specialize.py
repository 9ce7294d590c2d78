"""Plans for the shapes that come: how many are kept, and inputs of another rank."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import irrun.model
from irrun.document.writer import Writer
from irrun.model import loaded, specialize
from irrun.model.specialize import MOST_PLANS, MOST_SIZES
from irrun.runtime import planning
from irrun.tensor import Fact, Shape
from irrun.tensor.element_type import F32


def doubled(folder: Path, shape: str) -> irrun.model.Compiled:
    """Compile x + x on NumPy."""
    ir, fact = Writer("doubled"), Fact(F32, Shape.parse(shape))
    x = ir.parameter("x", F32, fact.shape)
    (y,) = ir.layer("Add", "opset1", [x, x], [fact])
    ir.result(y)
    ir.save(folder / "doubled.xml")
    return irrun.model.build(folder / "doubled.xml", {"TIER": "numpy"})


def run(compiled: irrun.model.Compiled, *sizes: int) -> None:
    x = np.arange(np.prod(sizes), dtype=np.float32).reshape(sizes)
    np.testing.assert_array_equal(compiled([x])[0], 2 * x)


def test_the_plans_that_were_used_last_are_kept(tmp_path: Path) -> None:
    compiled = doubled(tmp_path, "?,?")
    for length in range(1, MOST_PLANS + 4):
        run(compiled, length, 3)
        run(compiled, length, 3)
    kept = list(compiled.plans._special)
    assert len(kept) == MOST_PLANS
    assert kept[-1] == ((MOST_PLANS + 3, 3),)
    assert ((1, 3),) not in kept


def test_many_sizes_are_remembered_as_sound_but_not_all(tmp_path: Path) -> None:
    compiled = doubled(tmp_path, "?")
    sizes = [length**2 % 1009 for length in range(1, MOST_SIZES + 20)]
    for length in sizes:
        run(compiled, length)
    assert len(compiled.plans._sound) == MOST_SIZES
    assert ((sizes[-1],),) in compiled.plans._sound


def test_sizes_that_change_need_no_plan(tmp_path: Path) -> None:
    compiled = doubled(tmp_path, "?,?")
    for length in (1, 2, 3, 4):
        run(compiled, length, 3)
    assert not compiled.plans._special
    assert compiled.plans.of([np.zeros((9, 3), np.float32)])[0] is compiled.plans.whole
    assert compiled.plans.of([np.zeros((9, 3), np.float32)])[0] is compiled.plans._special[(9, 3),]


@pytest.mark.parametrize("again", [1, 3])
def test_inputs_of_another_rank(tmp_path: Path, again: int) -> None:
    compiled = doubled(tmp_path, "...")
    for sizes in [(2,), (3,), (4,), (2, 3), (3, 3), (4, 3), (), (1, 2, 3), (1, 2, 3), (2,)]:
        for _ in range(again):
            run(compiled, *sizes)
    assert all(None not in sizes for pattern in compiled.plans._special for sizes in pattern)


def test_a_first_run_computes_everything_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    for module, name in (
        (loaded, "interface"),
        (loaded, "infer"),
        (planning, "sound"),
        (planning, "check_memory"),
        (specialize, "sound"),
        (specialize, "infer"),
    ):
        original = getattr(module, name)

        def noted(*given, original=original, name=name, **named):  # type: ignore[no-untyped-def]
            calls.append(name)
            return original(*given, **named)

        monkeypatch.setattr(module, name, noted)
    run(doubled(tmp_path, "?,2"), 3, 2)
    assert sorted(calls) == ["check_memory", "infer", "infer", "interface", "sound"], "the shapes are inferred again"
