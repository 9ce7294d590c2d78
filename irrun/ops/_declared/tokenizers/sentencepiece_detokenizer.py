from __future__ import annotations

from irrun.kernels.text.strings import packed
from irrun.ops import Array, Fact, Op, Shape, op
from irrun.ops._declared.tokenizers.ports import OUT_STRINGS
from irrun.ops._declared.tokenizers.sentencepiece_model import IDS, MODEL, known_ids, processor, shapes_of_texts


@op("SentencepieceDetokenizer", opset="extension")
class SentencepieceDetokenizer(Op):
    """The text of each row of ids, by a model of SentencePiece. Ids from the size of the vocabulary on are left out."""

    inputs = (MODEL, IDS)
    alike = ((0, 1),)
    outputs = OUT_STRINGS

    def infer(self, model: Fact, ids: Fact) -> tuple[Shape, ...]:
        return shapes_of_texts(ids)

    def run(self, model: Array, ids: Array) -> tuple[Array, ...]:
        found = processor(model)
        return packed([found.decode(row) for row in known_ids(ids, found)])
