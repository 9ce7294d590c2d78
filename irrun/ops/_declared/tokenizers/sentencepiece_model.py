"""Models of SentencePiece."""

from __future__ import annotations

from irrun.kernels.text.kept import kept
from irrun.kernels.text.sentencepiece import SentencePiece
from irrun.kernels.text.strings import Array
from irrun.ops import Dim, Fact, In, OpError, Shape
from irrun.ops._declared.tokenizers.ports import UNKNOWN
from irrun.tensor.element_type import I32, U8

MODEL = In("model", U8, "the serialized ModelProto of SentencePiece", rank=1)
IDS = In("ids", I32, "[batch, tokens]", rank=2)


@kept
def processor(model: Array) -> SentencePiece:
    """Return the model; OpError where it is malformed."""
    try:
        return SentencePiece(model.tobytes())
    except (ValueError, TypeError) as error:
        raise OpError(f"the model of SentencePiece cannot be read: {error}", input=0) from None


def known_ids(ids: Array, processor: SentencePiece) -> list[list[int]]:
    """Return the rows of ids without those from the size of the vocabulary on; OpError for a negative one."""
    if ids.size and ids.min() < 0:
        raise OpError(f"id {ids.min()} is negative, expected one of the vocabulary", input=1)
    size = len(processor.pieces)
    return [[id for id in row if id < size] for row in ids.tolist()]


def shapes_of_texts(ids: Fact) -> tuple[Shape, Shape, Shape]:
    """Return the shapes of one string for each row of ids."""
    rows = Shape([Dim() if ids.shape.dims is None else ids.shape[0]])
    return rows, rows, UNKNOWN
