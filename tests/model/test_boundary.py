"""Only documented exceptions leave the API: a fault of irrun is an InternalError, and status 70 of a command."""

from __future__ import annotations

import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import irrun.model
from irrun.diagnostics.internal import REPORT
from irrun.linter import lint
from tests.cli.conftest import Run, run
from tests.cli.test_limits import saved
from tests.runtime.budget_nets import square

__all__ = ["run"]
X = np.ones((2, 1), np.float32)
MESSAGE = "irrun itself failed: KeyError: 'planted'; please report it with the model at "


def planted(*_: object, **__: object) -> Any:
    raise KeyError("planted")


@pytest.mark.parametrize("target", ["irrun.model.loaded.read", "irrun.model.loaded.bind", "irrun.model.loaded.infer"])
def test_reading(monkeypatch: pytest.MonkeyPatch, target: str) -> None:
    monkeypatch.setattr(target, planted)
    with pytest.raises(irrun.InternalError, match=MESSAGE) as caught:
        irrun.model.load(b"<net/>" if target.endswith("read") else square("2").document.data)
    assert isinstance(caught.value.__cause__, KeyError)


def test_a_fault_in_another_process() -> None:
    sent = pickle.loads(pickle.dumps(irrun.InternalError(KeyError("planted"))))
    assert type(sent) is irrun.InternalError
    assert str(sent) == f"{MESSAGE}{REPORT}"


def test_compiling_and_running(monkeypatch: pytest.MonkeyPatch) -> None:
    model = square("2")
    compiled = irrun.model.build(model)
    monkeypatch.setattr("irrun.model.loaded.plan", planted)
    monkeypatch.setattr("irrun.model.compiled.accept", planted)
    with pytest.raises(irrun.InternalError, match=MESSAGE):
        irrun.model.build(model)
    with pytest.raises(irrun.InternalError, match=MESSAGE):
        compiled(X)


def test_what_memory_cannot_hold_is_a_diagnostic(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> Any:
        raise MemoryError("Unable to allocate 96.0 GiB")

    monkeypatch.setattr("irrun.model.loaded.bind", refuse)
    with pytest.raises(irrun.IRError, match=r"not enough memory: Unable to allocate 96.0 GiB \[IR804\]"):
        irrun.model.load(square("2").document.data)


def test_a_layer_that_memory_cannot_hold_is_named() -> None:
    compiled = irrun.model.build(square("?"), {"MAX_MEMORY": None})
    with pytest.raises(irrun.IRError, match=r'layer "product" \(MatMul\): not enough memory: Unable to .* \[IR804\]'):
        compiled(np.lib.stride_tricks.as_strided(X, (1 << 24, 1), (0, 4)))


def test_exceptions_of_observers_pass_through() -> None:
    class Stop(Exception):
        pass

    class Observer:
        def before(self, *_: object) -> None:
            raise Stop

        def after(self, *_: object) -> None: ...

    request = irrun.model.build(square("2")).session()
    request.observers.append(Observer())
    with pytest.raises(Stop):
        request.run(X)


def test_values_that_are_no_array() -> None:
    with pytest.raises(irrun.InputError, match='input "x" is not an array: '):
        irrun.model.build(square("2"))({"x": [[1.0], [2.0, 3.0]]})


def test_numpy_does_not_warn() -> None:
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        compiled = irrun.model.build(square("2"))
        assert compiled(X * np.float32(1e30))[0].tolist() == [[np.inf, np.inf], [np.inf, np.inf]]


def test_the_linter(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, run: Run) -> None:
    path = saved(tmp_path, square("2"))
    (tmp_path / "other.xml").write_text("<network/>")
    monkeypatch.setattr("irrun.linter.check.bind", planted)
    with pytest.raises(irrun.InternalError, match=MESSAGE):
        lint(path)
    result = run("lint", path, tmp_path / "other.xml", "--output-format", "concise")
    assert result.exit_code == 70
    assert result.stderr.startswith(f"error: {path}: {MESSAGE}")
    assert "other.xml:1:1" in result.stdout


def test_the_command_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, run: Run) -> None:
    path = saved(tmp_path, square("2"))
    monkeypatch.setattr("irrun.model.loaded.bind", planted)
    result = run("run", path, "--random")
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (70, "", 1)
    assert result.stderr.endswith("/issues (--traceback shows where)\n")
    for words in (["--traceback", "run", path, "--random"], ["run", path, "--random", "--traceback"]):
        result = run(*words)
        assert result.exit_code == 70
        assert "Traceback (most recent call last)" in result.stderr
        assert "in planted\n" in result.stderr
