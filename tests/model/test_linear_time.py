"""Reading, compiling and running take work in proportion to the model: twice the inputs, about twice the lines."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from irrun.kernels import threads
from irrun.kernels.contention import Contention
from irrun.model.arguments import released
from irrun.model.compiled import Compiled, build
from irrun.model.loaded import load
from irrun.tensor.element_type import I64
from tests.lines import Lines
from tests.linter.growing import inputs, split


@pytest.fixture(autouse=True)
def time_stands_still(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processors and load, which are looked up again after a second, are looked up before lines are counted."""
    monkeypatch.setattr(threads, "time", SimpleNamespace(monotonic=lambda: 0.0))
    threads.available()
    monkeypatch.setattr(Contention, "limit", lambda *given: given[-1])


def counted(function: Callable[[], object]) -> int:
    with Lines() as lines:
        function()
    return lines.count


def is_linear(work: Callable[[int], int]) -> bool:
    work(32)
    once, twice, four = (work(32 * factor) for factor in (1, 2, 4))
    return four - twice <= 2.3 * (twice - once)


def written(folder: Path, text: str) -> Path:
    path = folder / "net.xml"
    path.write_text(text)
    return path


@pytest.mark.parametrize("text", [inputs, lambda count: split(count, 1)], ids=["inputs", "outputs"])
def test_compiling(tmp_path: Path, text: Callable[[int], str]) -> None:
    assert is_linear(lambda count: counted(lambda: build(written(tmp_path, text(count)))))


def compiled(folder: Path, count: int) -> Compiled:
    return build(load(written(folder, inputs(count))), {"TIER": "numpy"})


def test_running_with_many_inputs_and_outputs(tmp_path: Path) -> None:
    def work(count: int) -> int:
        model, arrays = compiled(tmp_path, count), [np.zeros(4, np.float32) for _ in range(count)]
        return counted(lambda: model(arrays))

    assert is_linear(work)


def test_running_with_inputs_by_name(tmp_path: Path) -> None:
    def work(count: int) -> int:
        model = compiled(tmp_path, count)
        arrays = {port.node_name: np.zeros(4, np.float32) for port in model.inputs}
        return counted(lambda: model(arrays))

    assert is_linear(work)


def test_the_count_is_that_of_the_work_alone(tmp_path: Path) -> None:
    """Another second, garbage and its finalizers change nothing."""

    class Garbage:
        def __init__(self) -> None:
            self.itself = self

        def __del__(self) -> None:
            self.itself = None  # type: ignore[assignment]

    def work() -> int:
        model, arrays = compiled(tmp_path, 32), [np.zeros(4, np.float32) for _ in range(32)]
        return counted(lambda: [Garbage() for _ in range(2000)] and model(arrays))

    work()
    assert len({work() for _ in range(5)}) == 1


def test_results_are_in_no_memory_of_others() -> None:
    first, second, third = np.arange(100), np.arange(4), np.arange(3)
    last = np.asfortranarray(np.ones((3, 2), np.int64))
    made = released([first[10:20], second, third, third, last], [I64] * 5, [second[:2]])
    assert made[2] is third
    assert [array.flags.owndata and array.flags.c_contiguous for array in made] == [True] * 5
    assert not any(np.shares_memory(array, other) for array in made[:2] for other in (first, second))
    assert not np.shares_memory(made[3], third)
