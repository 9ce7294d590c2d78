"""The tables of models and the measurement of memory in the benchmarks."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from irrun.tensor.element_type import I64, U8
from tests.nets import Net
from tests.processes import python

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
MIB = 60


def test_peak_memory_is_that_of_the_program(tmp_path: Path) -> None:
    """Memory that was freed counts; memory of the parent process does not."""
    code = (
        f"import sys; sys.path.insert(0, {str(BENCHMARKS)!r}); import worker; before = worker.peak_mib()\n"
        f"values = bytearray(b'x') * ({MIB} << 20); del values; print(worker.peak_mib() - before)"
    )
    done = python("-c", code, cwd=tmp_path)
    assert MIB - 5 <= float(done.stdout) < MIB + 40


def test_tables_of_models_import_no_framework(tmp_path: Path) -> None:
    code = (
        f"import sys; sys.path.insert(0, {str(BENCHMARKS)!r}); from exports import MODELS, small; "
        "print(len(MODELS) > 60, len(small.NETWORKS) >= 150, *{'torch', 'transformers', 'openvino'} & set(sys.modules))"
    )
    done = python("-c", code, cwd=tmp_path)
    assert done.stdout.split() == ["True", "True"]


def test_weights_that_a_token_reads(tmp_path: Path) -> None:
    """Large constants count, by their bytes; tables from which only rows are gathered do not."""
    net = Net()
    table = [net.zeros(512, 256), net.parameter("x", "1", I64), net.constant(np.array(0))]
    row = net.layer("Gather", table, "1,256")
    weights = net.layer("Convert", [net.constant(np.ones((256, 300)), U8)], "256,300", destination_type="f32")
    net.result(net.layer("MatMul", [row, weights], "1,300"))
    path = net.save(tmp_path / "model.xml")
    code = f"import sys; sys.path.insert(0, {str(BENCHMARKS)!r}); import bandwidth; from pathlib import Path\n"
    done = python("-c", f"{code}print(bandwidth.weights_read(Path({str(path)!r})))", cwd=tmp_path)
    assert done.stdout.split() == [str(256 * 300)]
