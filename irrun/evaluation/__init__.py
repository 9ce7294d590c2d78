"""Measure a model: its speed, its layers, its accuracy against labels, and many inputs at once.

>>> from irrun import evaluation
>>> from irrun.model import load
>>> evaluation.benchmark(load("model.xml"), {0: image})["engines"]["irrun"]["median"]
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from irrun.evaluation.accuracy import evaluate, evaluate_files, score
    from irrun.evaluation.batch.running import run_batch
    from irrun.evaluation.benchmarking import benchmark
    from irrun.evaluation.files.labels import read_labels
    from irrun.evaluation.files.preparing import Fit, Preparation
    from irrun.evaluation.matching import Matching
    from irrun.evaluation.native import OpenVINOModel
    from irrun.evaluation.profiling import profile

_PLACES = {
    **dict.fromkeys(("evaluate", "evaluate_files", "score"), "accuracy"),
    **dict.fromkeys(("Fit", "Preparation"), "files.preparing"),
    "Matching": "matching",
    "OpenVINOModel": "native",
    "benchmark": "benchmarking",
    "profile": "profiling",
    "read_labels": "files.labels",
    "run_batch": "batch.running",
}

__all__ = [
    "Fit",
    "Matching",
    "OpenVINOModel",
    "Preparation",
    "benchmark",
    "evaluate",
    "evaluate_files",
    "profile",
    "read_labels",
    "run_batch",
    "score",
]


def __getattr__(name: str) -> Any:
    """Import on first use, so that the command line starts fast."""
    if name not in _PLACES:
        raise AttributeError(f"module 'irrun.evaluation' has no attribute {name!r}")
    return getattr(import_module(f"irrun.evaluation.{_PLACES[name]}"), name)
