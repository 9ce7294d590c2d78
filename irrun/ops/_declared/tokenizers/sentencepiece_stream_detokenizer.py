from __future__ import annotations

from irrun.kernels.text.strings import packed
from irrun.ops import Array, Fact, Op, Shape, op
from irrun.ops._declared.tokenizers.ports import OUT_STRINGS
from irrun.ops._declared.tokenizers.sentencepiece_model import IDS, MODEL, known_ids, processor, shapes_of_texts

_BYTES = {f"<0x{byte:02X}>".encode(): bytes((byte,)) for byte in range(256)}


@op("SentencepieceStreamDetokenizer", opset="extension")
class SentencepieceStreamDetokenizer(Op):
    """The pieces of each row of ids as they are, by a model of SentencePiece; those of bytes are the bytes.

    Ids from the size of the vocabulary on are left out.
    """

    workspace = 128

    inputs = (MODEL, IDS)
    alike = ((0, 1),)
    outputs = OUT_STRINGS

    def infer(self, model: Fact, ids: Fact) -> tuple[Shape, ...]:
        return shapes_of_texts(ids)

    def run(self, model: Array, ids: Array) -> tuple[Array, ...]:
        found = processor(model)
        rows = ([found.pieces[id].text for id in row] for row in known_ids(ids, found))
        return packed(b"".join(_BYTES.get(piece, piece) for piece in row) for row in rows)
