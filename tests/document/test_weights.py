"""Weights that change while a model is used: a diagnostic, and never a signal that ends the process."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import irrun.model
from irrun.document.weights import COPIED, Weights, WeightsOutOfRange
from irrun.document.writer import Writer
from irrun.linter import lint
from irrun.tensor import Fact, Shape
from irrun.tensor.element_type import F32
from tests.engines import TIERS

SMALL, LARGE = 1000, COPIED // 4 + 1000
CHANGES: dict[str, Callable[[Path], None]] = {
    "truncated": lambda path: os.truncate(path, 100),
    "emptied": lambda path: os.truncate(path, 0),
    "overwritten": lambda path: (path.open("r+b").write(b"x"), os.utime(path, ns=(1, 1)))[1],
}


def written(folder: Path, count: int) -> Path:
    """A model that adds 0, 1, 2 ... to its input."""
    ir = Writer("net")
    x = ir.parameter("x", F32, Shape([count]))
    numbers = ir.constant(np.arange(count, dtype=np.float32), F32)
    ir.result(ir.layer("Add", "opset1", [x, numbers], [Fact(F32, Shape([count]))])[0])
    ir.save(folder / "model.xml")
    return folder / "model.xml"


STAGES = ("read", "compiled", "run")
CODE = """
import pathlib, sys, numpy, irrun.model
from tests.document.test_weights import CHANGES, LARGE, STAGES
x = numpy.ones(LARGE, numpy.float32)
for folder in map(pathlib.Path, sys.argv[1:]):
    change, stage = folder.name.split("-")
    path, weights = folder / "model.xml", folder / "model.bin"
    model = irrun.model.load(path)
    if stage == "read":
        CHANGES[change](weights)
    try:
        compiled = irrun.model.build(model)
        if stage == "run":
            assert compiled(x)[0][-1] == LARGE
        if stage != "read":
            CHANGES[change](weights)
        compiled(x)
    except irrun.IRError as error:
        print(error, flush=True)
"""


def test_a_mapped_file_that_changes_is_a_diagnostic(tmp_path: Path) -> None:
    """One process goes through all changes: a signal would end it, and what it has not said is missing."""
    folders = [tmp_path / f"{change}-{stage}" for change in CHANGES for stage in STAGES]
    for folder in folders:
        folder.mkdir()
        written(folder, LARGE)
    arguments = [sys.executable, "-c", CODE, *map(str, folders)]
    done = subprocess.run(arguments, capture_output=True, text=True, cwd=Path(__file__).parents[2], check=False)
    size = 4 * LARGE
    what = {
        "truncated": f"it had {size} bytes, and has 100",
        "emptied": f"it had {size} bytes, and has 0",
        "overwritten": "other content",
    }
    expected = [
        f"{folder / 'model.xml'}: model.bin was changed after it was opened: {what[folder.name.partition('-')[0]]}; "
        "read the model again [IR502]"
        for folder in folders
    ]
    assert (done.returncode, done.stdout.splitlines(), done.stderr) == (0, expected, "")


def test_a_copied_file_may_change(tmp_path: Path) -> None:
    path = written(tmp_path, SMALL)
    compiled = irrun.model.build(irrun.model.load(path))
    os.truncate(path.with_suffix(".bin"), 0)
    assert compiled(np.ones(SMALL, np.float32))[0][-1] == SMALL


def test_a_mapped_file_may_be_replaced_or_removed(tmp_path: Path) -> None:
    path = written(tmp_path, LARGE)
    compiled = irrun.model.build(irrun.model.load(path))
    (tmp_path / "other").write_bytes(b"")
    (tmp_path / "other").rename(path.with_suffix(".bin"))
    assert compiled(np.ones(LARGE, np.float32))[0][-1] == LARGE
    path.with_suffix(".bin").unlink()
    assert compiled(np.ones(LARGE, np.float32))[0][-1] == LARGE


@pytest.mark.skipif(sys.platform != "linux", reason="counts the open files of the process in /proc")
def test_small_weights_hold_no_file_open(tmp_path: Path) -> None:
    path = written(tmp_path, SMALL)
    gc.collect()
    before = len(os.listdir("/proc/self/fd"))
    models = [irrun.model.build(irrun.model.load(path)) for _ in range(20)]
    assert len(os.listdir("/proc/self/fd")) == before
    assert len(models) == 20


def test_an_empty_file_has_no_bytes(tmp_path: Path) -> None:
    (tmp_path / "model.bin").touch()
    assert Weights(tmp_path / "model.bin").bytes.size == 0


@pytest.mark.skipif(sys.platform != "linux", reason="the guard knows Linux")
@pytest.mark.parametrize("kernels", TIERS)
def test_a_mapped_file_that_is_truncated_during_an_inference(tmp_path: Path, kernels: str) -> None:
    path = written(tmp_path, LARGE)
    compiled = irrun.model.build(path, {"TIER": kernels})
    request, x = compiled.session(), np.ones(LARGE, np.float32)
    assert request.run(x)[0][-1] == LARGE
    compiled.weights.forget()

    class Truncate:
        def before(self, *_: object) -> None:
            os.truncate(path.with_suffix(".bin"), 100)

        def after(self, *_: object) -> None: ...

    request.observers.append(Truncate())
    for _ in range(2):
        with pytest.raises(irrun.IRError, match=r"model\.bin was (truncated|changed)") as caught:
            request.run(x)
        assert [item.code for item in caught.value.diagnostics] == ["IR502"]


@pytest.mark.skipif(sys.platform != "linux", reason="the guard knows Linux")
def test_other_missing_pages_are_left_to_the_handler_that_was_there(tmp_path: Path) -> None:
    path = written(tmp_path, LARGE)
    code = (
        "import faulthandler, mmap, sys, irrun.model\nfaulthandler.enable()\nirrun.read_model(sys.argv[1])\n"
        "with open(sys.argv[1], 'r+b') as file:\n"
        "    map = mmap.mmap(file.fileno(), 0)\n    file.truncate(0)\n    map[0]\n"
    )
    arguments = [sys.executable, "-c", code, str(path)]
    done = subprocess.run(arguments, capture_output=True, text=True, cwd=Path(__file__).parents[2], check=False)
    assert (done.returncode, done.stdout) == (-signal.SIGBUS, "")
    assert done.stderr.startswith("Fatal Python error: Bus error\n")


@pytest.mark.skipif(sys.platform != "linux", reason="the guard knows Linux")
def test_a_file_that_is_truncated_while_it_is_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, LARGE)

    def truncate(*_: object) -> tuple[()]:
        os.truncate(path.with_suffix(".bin"), 100)
        return ()

    monkeypatch.setattr("irrun.linter.check._merged", truncate)
    assert [item.code for item in lint(path)] == ["IR502"]


def test_a_mapped_file_that_changes_is_refused_at_the_next_read(tmp_path: Path) -> None:
    path = tmp_path / "model.bin"
    path.write_bytes(bytes(COPIED + 1))
    weights = Weights(path)
    assert weights.read(0, 3) is not None
    os.utime(path, ns=(1, 1))
    with pytest.raises(WeightsOutOfRange, match=r"model\.bin was changed after it was opened: other content"):
        weights.read(0, 3)
    with path.open("ab") as file:
        file.write(b"x")
    with pytest.raises(WeightsOutOfRange, match=f"it had {COPIED + 1} bytes, and has {COPIED + 2}; read the model"):
        weights.read(0, 3)


@pytest.mark.parametrize(
    ("offset", "size", "message"),
    [
        (-1, 4, "bytes -1 to 3 are outside {name}, which has 8 bytes"),
        (4, -1, "bytes 4 to 3 are outside {name}, which has 8 bytes"),
        (4, 5, "bytes 4 to 9 are outside {name}, which has 8 bytes"),
        (8, 1, "bytes 8 to 9 are outside {name}, which has 8 bytes"),
    ],
)
def test_bytes_outside_a_file(tmp_path: Path, offset: int, size: int, message: str) -> None:
    path = tmp_path / "model.bin"
    path.write_bytes(bytes(range(8)))
    weights = Weights(path)
    with pytest.raises(WeightsOutOfRange) as caught:
        weights.read(offset, size)
    assert (caught.value.message, caught.value.attribute) == (message.format(name="model.bin"), "offset")
    for first, count in ((0, 8), (8, 0), (2, 3)):
        found = weights.read(first, count)
        assert found is not None
        assert found.tolist() == list(range(first, first + count))


def test_bytes_outside_given_weights() -> None:
    with pytest.raises(WeightsOutOfRange) as caught:
        Weights(None, bytes(8)).read(7, 2)
    assert caught.value.message == "bytes 7 to 9 are outside the weights, which has 8 bytes"


def test_values_of_a_truncated_file_are_not_handed_out(tmp_path: Path) -> None:
    """Missing pages read as zeros, which neither a program nor a pass takes for values."""
    from irrun.openvino import Core, passes, serialize

    path = written(tmp_path, LARGE)
    model = Core().read_model(path)
    (constant,) = [node for node in model.get_ops() if node.get_type_name() == "Constant"]
    assert constant.data[-1] == LARGE - 1
    os.truncate(path.with_suffix(".bin"), 100)
    manager = passes.Manager()
    manager.register_pass(passes.ConvertFP32ToFP16())
    tries: list[Callable[[], object]] = [
        lambda: constant.data,
        lambda: manager.run_passes(model),
        lambda: serialize(model, tmp_path / "saved.xml"),
    ]
    for attempt in tries:
        with pytest.raises(RuntimeError, match=r"model\.bin was changed after it was opened: it had \d+ bytes"):
            attempt()
    assert not (tmp_path / "saved.xml").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems limit memory in other ways")
def test_a_file_that_does_not_fit_is_named(tmp_path: Path) -> None:
    path = written(tmp_path, LARGE)
    os.truncate(path.with_suffix(".bin"), 1 << 40)
    limit = "import resource; resource.setrlimit(resource.RLIMIT_AS, (1 << 32,) * 2)"
    limited = f"{limit}\nfrom irrun.cli import main; main()"
    ended = subprocess.run([sys.executable, "-c", limited, "run", path], capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (2, f"error: {path.with_suffix('.bin')}: Cannot allocate memory\n")
