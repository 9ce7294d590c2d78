"""The measurement of memory in the benchmarks."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
MIB = 60


def test_peak_memory_is_that_of_the_program(tmp_path: Path) -> None:
    """Memory that was freed counts; memory of the parent process does not."""
    code = (
        f"import sys; sys.path.insert(0, {str(BENCHMARKS)!r}); import worker; before = worker.peak_mib()\n"
        f"values = bytearray(b'x') * ({MIB} << 20); del values; print(worker.peak_mib() - before)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert MIB - 5 <= float(done.stdout) < MIB + 40
