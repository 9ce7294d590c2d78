"""Commands take work in proportion to the model: twice the layers, at most 2.3 times the lines of Python that run."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest

from irrun.kernels import threads
from irrun.kernels.contention import Contention
from irrun.tensor.element_type import F32
from tests.cli.conftest import Run
from tests.lines import Lines
from tests.nets import Net

STEEPEST = 1.2
"""The largest exponent of the work in the size of the model."""

Family = Callable[[Net, int], None]


def misspelt(net: Net, count: int) -> None:
    """Write a chain of layers, each with a finding."""
    x = net.parameter("x", "2")
    for _ in range(count):
        x = net.layer("Clamp", [x], "2", mim=0, max=1)
    net.result(x)


def split(net: Net, count: int) -> None:
    """Write a layer with many outputs, each with a consumer."""
    parts = net.layers(
        "Split", [net.parameter("x", str(count)), net.constant(0)], [(F32, "1")] * count, num_splits=count
    )
    net.result(*[net.layer("ReLU", [part]) for part in parts])


def fan(net: Net, count: int) -> None:
    """Write an output with many consumers."""
    x = net.parameter("x", "2")
    net.result(net.layer("Concat", [net.layer("ReLU", [x]) for _ in range(count)], axis=0))


def states(net: Net, count: int) -> None:
    """Write many variables."""
    x = net.parameter("x", "2")
    for index in range(count):
        variable = {"variable_id": f"v{index}", "variable_type": "f32", "variable_shape": "2"}
        value = net.layer("ReLU", [net.layer("ReadValue", [x], opset=6, **variable)])
        net.layer("Assign", [value], opset=6, variable_id=f"v{index}")
    net.result(net.layer("ReLU", [x]))


def masks(net: Net, count: int) -> None:
    """Write long lists as attributes."""
    ends = [net.constant([value]) for value in (0, 2, 1)]
    zeros = ",".join("0" * 50 * count)
    lists = {"begin_mask": zeros, "end_mask": zeros, "new_axis_mask": "", "shrink_axis_mask": "", "ellipsis_mask": ""}
    net.result(net.layer("StridedSlice", [net.parameter("x", "2"), *ends], "2", **lists))


COMMANDS: dict[str, Callable[[str], Sequence[str]]] = {
    "lint": lambda file: ("lint", "--isolated", "-qq", "--exit-zero", file),
    "repairs": lambda file: ("lint", "--isolated", "--fix", "--unsafe-fixes", "--exit-zero", file),
    "differences": lambda file: ("lint", "--isolated", "--diff", "--unsafe-fixes", "--exit-zero", file),
    "report": lambda file: ("report", file, "-o", "page.html"),
    "run": lambda file: ("run", file, "--random"),
    "compare": lambda file: ("compare", file, file),
}
QUICK = [(misspelt, "report"), (split, "run")]
REST = [
    (split, "compare"),
    (misspelt, "differences"),
    (states, "report"),
    (masks, "lint"),
    (fan, "compare"),
    (misspelt, "repairs"),
    (fan, "run"),
]


@pytest.mark.parametrize(
    ("family", "command"),
    [*QUICK, *(pytest.param(*pair, marks=pytest.mark.rest) for pair in REST)],
    ids=lambda item: item if isinstance(item, str) else item.__name__,
)
def test_work_grows_with_the_model(
    family: Family, command: str, folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threads, "time", SimpleNamespace(monotonic=lambda: 0.0))
    threads.available()
    monkeypatch.setattr(Contention, "limit", lambda *given: given[-1])

    def work(count: int) -> int:
        net = Net()
        family(net, count)
        net.save(folder / "net.xml")
        with Lines() as lines:
            assert run(*COMMANDS[command]("net.xml")).exit_code == 0
        return lines.count

    work(8)
    few, many, more = work(12), work(24), work(48)
    assert math.log2((more - many) / (many - few)) <= STEEPEST
