"""Where OpenVINO's native CPU plugin is known to fail, to refuse a layer, or to compute something else.

A row says which layers, why, and how to recognise them. Growing keeps away from them, most of the time. Where results
differ nevertheless, what such layers make is cut off from the graph; only what still differs then is a finding.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np

from irrun.tensor import Array
from irrun.tensor.element_type import BF16, BOOLEAN, F64, I8, I32, I64, STRING, U8
from tests.graphs.evaluate import Use


class Departure(NamedTuple):
    """Layers that OpenVINO treats in a way of its own, and the reason."""

    types: tuple[str, ...]
    reason: str
    applies: Callable[[Use], bool]


def _constant(use: Use, index: int) -> bool:
    return index >= len(use.facts) or use.facts[index].constant is not None


def _dynamic(use: Use, index: int) -> bool:
    return index < len(use.facts) and not use.facts[index].shape.is_static


def _last_dynamic(use: Use, index: int) -> bool:
    shape = use.facts[index].shape
    return shape.dims is None or not shape[-1].is_static


def _types(use: Use, *indices: int) -> set[object]:
    return {use.facts[index].type for index in indices if index < len(use.facts)}


def _always(use: Use) -> bool:
    del use
    return True


def _inexact(use: Use) -> bool:
    """Whether an integer division of numbers of different sign has a remainder."""
    a, b = use.inputs
    return a.dtype.kind == "i" and bool(
        ((a * b.astype(np.int64) < 0) & (use.outputs[0] * b.astype(np.int64) != a)).any()
    )


def _remainder(use: Use) -> bool:
    a, b = use.inputs
    return a.dtype.kind in "iu" and bool((use.outputs[0] * b.astype(np.int64) != a).any())


DEPARTURES: Final = (
    Departure(("Atan2",), "the opset of the release does not have it", _always),
    Departure(("LSTMSequence",), "opset1 does not have it", lambda use: use.op.opset == 1),
    Departure(("Multinomial",), "draws from a generator of its own", _always),
    Departure(("RandomUniform",), "goes on in the stream with each run", _always),
    Departure(("Divide",), "rounds integers toward zero whatever m_pythondiv says", _inexact),
    Departure(
        ("Divide",),
        "rounds quotients of 8-bit integers to the nearest",
        lambda use: _remainder(use) and use.facts[0].type in (I8, U8),
    ),
    Departure(("CumSum",), "does not know its second input to be optional", lambda use: len(use.facts) == 1),
    Departure(("GRN",), "crashes when it folds it", lambda use: _constant(use, 0)),
    Departure(("MVN",), "takes axes of i32 and i64 only", lambda use: not _types(use, 1) <= {I32, I64}),
    Departure(("Select",), "cannot select booleans", lambda use: use.facts[1].type is BOOLEAN),
    Departure(("AdaptiveMaxPool",), "refuses indices of type i64", lambda use: use.op.index_element_type == "i64"),
    Departure(
        ("MaxPool",),
        "has indices in static shapes only, and not for bf16",
        lambda use: use.op.opset != 1 and (_dynamic(use, 0) or use.facts[0].type is BF16),
    ),
    Departure(("FakeQuantize", "PReLU"), "refuses f64", lambda use: use.facts[0].type is F64),
    Departure(("RDFT", "IRDFT", "DFT", "IDFT"), "refuses f64", lambda use: use.facts[0].type is F64),
    Departure(
        ("GRUSequence", "LSTMSequence", "RNNSequence"),
        "ignores sequence_lengths where shapes are dynamic",
        lambda use: (
            any(_dynamic(use, index) for index in range(3)) and bool((_lengths(use) != use.inputs[0].shape[1]).any())
        ),
    ),
    Departure(
        ("GRUCell", "LSTMCell", "RNNCell", "GRUSequence", "LSTMSequence", "RNNSequence"),
        "needs to know the sizes of features and states",
        lambda use: any(_last_dynamic(use, index) for index in (0, 1)),
    ),
    Departure(
        ("Interpolate",),
        "takes 32 and 64 bits of integers only",
        lambda use: any(fact.type.bits < 32 for fact in use.facts[1:]),
    ),
    Departure(("TopK",), "takes k as i8, i32 or i64 only", lambda use: use.facts[1].type not in (I8, I32, I64)),
    Departure(
        ("Broadcast",), "reads beyond the end of a target shape of 8 bits", lambda use: use.facts[1].type in (I8, U8)
    ),
    Departure(
        ("SpaceToBatch", "BatchToSpace"),
        "reads other integers than i64 as if they were i64",
        lambda use: _types(use, 1, 2, 3) != {I64},
    ),
    Departure(
        ("SpaceToBatch",), "reads on where a part of a block is nothing but padding", lambda use: _padding_only(use)
    ),
    Departure(("Gather",), "demands a constant axis", lambda use: not _constant(use, 2)),
    Departure(
        ("AUGRUCell", "AUGRUSequence"),
        "knows activations in small letters",
        lambda use: use.op.activations != ("sigmoid", "tanh"),
    ),
    Departure(
        ("AUGRUCell", "AUGRUSequence"),
        "needs to know all sizes",
        lambda use: any(_dynamic(use, index) for index in range(len(use.facts))),
    ),
    Departure(
        ("EmbeddingBagOffsets", "EmbeddingBagOffsetsSum", "EmbeddingBagPacked", "EmbeddingBagPackedSum"),
        "crashes where the table has one axis, and takes sizes of rows that are not told to be 0",
        lambda use: use.inputs[0].ndim < 2 or _dynamic(use, 0),
    ),
    Departure(("StringTensorPack",), "does not fold strings", lambda use: all(_constant(use, i) for i in range(3))),
    Departure(
        ("Equal", "NotEqual", "Greater", "GreaterEqual", "Less", "LessEqual"),
        "turns booleans into u8, in some models on one side only",
        lambda use: use.facts[0].type is BOOLEAN,
    ),
    Departure(
        ("NonMaxSuppression",),
        "keeps boxes whose overlap is above iou_threshold with soft_nms_sigma",
        lambda use: len(use.inputs) == 6 and bool((use.inputs[5] != 0).any()),
    ),
    Departure(("LSTMCell",), "overwrites its state where X is constant", lambda use: _constant(use, 0)),
    Departure(
        ("NonMaxSuppression",),
        "leaves rows of -1 out",
        lambda use: use.op.opset in (1, 3, 4) and bool((use.outputs[0] == -1).any()),
    ),
    Departure(
        ("ReduceSum", "ReduceMean", "ReduceProd", "ReduceL1"),
        "saturates sums of 8-bit integers",
        lambda use: use.facts[0].type in (I8, U8),
    ),
    Departure(
        ("Interpolate",),
        "resizes spatial axes only",
        lambda use: use.inputs[0].shape[:2] != use.outputs[0].shape[:2],
    ),
    Departure(("SliceScatter",), "crashes where there is nothing to write", lambda use: use.inputs[1].size == 0),
    Departure(
        ("EmbeddingBagOffsets", "EmbeddingBagOffsetsSum"),
        "weighs the default row of an empty bag by what comes after the weights",
        lambda use: len(use.inputs) == 5 and _has_empty_bag(use),
    ),
    Departure(
        ("Equal", "NotEqual", "Greater", "GreaterEqual", "Less", "LessEqual"),
        "compares no strings",
        lambda use: use.facts[0].type is STRING,
    ),
    Departure(
        ("Loop", "TensorIterator", "If"),
        "errs in folding it",
        lambda use: all(_constant(use, index) for index in range(len(use.facts))),
    ),
    Departure(("Assign",), "does not write a constant", lambda use: _constant(use, 0)),
    Departure(("EmbeddingSegmentsSum",), "corrupts its memory", _always),
    Departure(
        ("FakeQuantize",),
        "gives a scalar an axis where a limit has one",
        lambda use: use.inputs[0].ndim < max(array.ndim for array in use.inputs[1:]),
    ),
    Departure(
        ("Slice", "SliceScatter", "StridedSlice"),
        "crashes or errs where bounds are of other types than i32 and i64, or of different ones",
        lambda use: (
            len(_types(use, *range(1 + (use.op.type == "SliceScatter"), 6))) > 1
            or not _types(use, *range(1 + (use.op.type == "SliceScatter"), 6)) <= {I32, I64}
        ),
    ),
)


def _padding_only(use: Use) -> bool:
    blocks, begins = use.inputs[1].tolist(), use.inputs[2].tolist()
    for size, block, begin in zip(use.inputs[0].shape, blocks, begins, strict=True):
        if len({(begin + index) % block for index in range(size)}) < block:
            return True
    return False


def _has_empty_bag(use: Use) -> bool:
    ends = [*use.inputs[2].tolist()[1:], use.inputs[1].size]
    return any(begin == end for begin, end in zip(use.inputs[2].tolist(), ends, strict=True))


def _lengths(use: Use) -> Array:
    return use.inputs[3 if use.op.type == "LSTMSequence" else 2]


REFUSALS: Final = {
    "could not create a primitive descriptor for the deconvolution": "oneDNN has no such transposed convolution",
    "MaxPool from opset8 and opset14 is supported only with one output": "indices of MaxPool in static shapes only",
    "The memory desc is undefined": "layers of constants whose output has a dynamic shape are computed too early",
    "unsupported src_prc: boolean": "booleans that SparseFillEmptyRows makes cannot be read",
    "Value for partial shape evaluation can't be lower than zero": "a size that is told by its bounds may seem negative",
    "Layout rank can't be larger than tensor rank": "its attention demands other ranks",
    "has not compiled executor": "a Pad in a body whose pads are computed",
    "does not support f64 for use with oneDNN": "oneDNN has no f64",
}
"""Messages with which the plugin refuses sound models, as far as no row above foresees them."""

_BY_TYPE: Final = defaultdict(list)
for _row in DEPARTURES:
    for _type in _row.types:
        _BY_TYPE[_type].append(_row)


def departure(use: Use) -> Departure | None:
    """The first row that a layer falls under."""
    return next((row for row in _BY_TYPE.get(use.op.type, ()) if row.applies(use)), None)


def refusal(message: str) -> str | None:
    """Why OpenVINO refuses a model with this message, where the model is sound nevertheless."""
    return next((reason for words, reason in REFUSALS.items() if words in message), None)
