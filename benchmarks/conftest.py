"""Options of the benchmarks: the number of threads, which the head of a report names."""

from __future__ import annotations

import pytest
from threadpoolctl import threadpool_info

from irrun.kernels.threads import set_threads, threads


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--threads", type=int, default=threads(), help="threads of irrun, of BLAS and of OpenVINO")


def pytest_configure(config: pytest.Config) -> None:
    set_threads(config.getoption("--threads"))


def pytest_report_header() -> str:
    blas = [f"{pool['internal_api']} {pool.get('architecture', '')}" for pool in threadpool_info()]
    return f"threads: {threads()}; {', '.join(blas)}"
