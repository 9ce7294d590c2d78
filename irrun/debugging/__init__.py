"""Find where a model goes wrong: watch its tensors, compare layers, blame one, cut it out, reduce the model.

>>> from irrun import debugging
>>> from irrun.model import load
>>> model = load("model.xml")
>>> debugging.layer_statistics(model, {"image": image})

Functions return records whose ``as_dict`` pandas and JSON take.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from irrun.debugging.blames import Blame, NothingToBlame
    from irrun.debugging.blaming import blame
    from irrun.debugging.comparing import Comparison, compare
    from irrun.debugging.dumping import dump
    from irrun.debugging.engines import OpenVINOSide
    from irrun.debugging.faults import DebugError
    from irrun.debugging.layers import LayerComparison, LayerDifference, Tolerance, compare_layers
    from irrun.debugging.metrics import Errors, errors
    from irrun.debugging.onnx_runtime import OnnxSide
    from irrun.debugging.pairs import PairWork, compare_files, pairs_of
    from irrun.debugging.precision import PrecisionReport, rank_layers
    from irrun.debugging.reducing import Reduction, reduce
    from irrun.debugging.reproducing import write_folder
    from irrun.debugging.sides import ModelSide
    from irrun.debugging.statistics import TensorStatistics, layer_statistics
    from irrun.debugging.stopping import FirstNotFinite, first_not_finite
    from irrun.debugging.verdicts import Suspect, Verdict

_PLACES = {
    **dict.fromkeys(("Blame", "NothingToBlame"), "blames"),
    "blame": "blaming",
    **dict.fromkeys(("Comparison", "compare"), "comparing"),
    "dump": "dumping",
    "OpenVINOSide": "engines",
    "DebugError": "faults",
    **dict.fromkeys(("LayerComparison", "LayerDifference", "Tolerance", "compare_layers"), "layers"),
    **dict.fromkeys(("Errors", "errors"), "metrics"),
    "OnnxSide": "onnx_runtime",
    **dict.fromkeys(("PairWork", "compare_files", "pairs_of"), "pairs"),
    **dict.fromkeys(("PrecisionReport", "rank_layers"), "precision"),
    **dict.fromkeys(("Reduction", "reduce"), "reducing"),
    "write_folder": "reproducing",
    "ModelSide": "sides",
    **dict.fromkeys(("TensorStatistics", "layer_statistics"), "statistics"),
    **dict.fromkeys(("FirstNotFinite", "first_not_finite"), "stopping"),
    **dict.fromkeys(("Suspect", "Verdict"), "verdicts"),
}

__all__ = [
    "Blame",
    "Comparison",
    "DebugError",
    "Errors",
    "FirstNotFinite",
    "LayerComparison",
    "LayerDifference",
    "ModelSide",
    "NothingToBlame",
]
__all__ += [
    "OnnxSide",
    "OpenVINOSide",
    "PairWork",
    "PrecisionReport",
    "Reduction",
    "Suspect",
    "TensorStatistics",
    "Tolerance",
    "Verdict",
]
__all__ += ["blame", "compare", "compare_files", "compare_layers", "dump", "errors", "first_not_finite"]
__all__ += ["layer_statistics", "pairs_of", "rank_layers", "reduce", "write_folder"]


def __getattr__(name: str) -> Any:
    """Import on first use, so that the command line starts fast."""
    if name not in _PLACES:
        raise AttributeError(f"module 'irrun.debugging' has no attribute {name!r}")
    return getattr(import_module(f"irrun.debugging.{_PLACES[name]}"), name)
