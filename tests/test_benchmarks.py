"""The tables of models and the measurement of memory in the benchmarks."""

from __future__ import annotations

from pathlib import Path

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
