from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from irrun.kernels.text.kept import kept
from irrun.kernels.text.sampling import sampled
from irrun.kernels.text.sentencepiece import SentencePiece
from irrun.kernels.text.strings import encoded
from irrun.ops import Array, Dim, Fact, Fold, In, Op, Out, Shape, attr, op
from irrun.ops._declared.tokenizers.patterns import compiled
from irrun.ops._declared.tokenizers.ports import expect_count, expect_type, flat, said, texts
from irrun.ops._declared.tokenizers.sentencepiece_model import MODEL, processor
from irrun.ops.shapes import merge_dims
from irrun.tensor.element_type import I32, I64, STRING, U8

_META = re.compile(rb"[.^$*+?()\[\]{}|\\]")


@kept
def _special(*tokens: Array) -> tuple[bytes, Mapping[bytes, int]]:
    """Return the pattern of special tokens, and their ids."""
    ids: dict[bytes, int] = {}
    parts = []
    for token, id in zip(texts(*tokens[:3], input=2), tokens[3].reshape(-1).tolist(), strict=True):
        quoted = _META.sub(rb"\\\g<0>", token)
        is_word = all(chr(byte).isalpha() and byte < 128 for byte in token)
        parts.append(rb"\b" + quoted + b"|" + quoted + rb"\b" if is_word else quoted)
        ids.setdefault(token, id)
    return b"|".join(parts), ids


@op("SentencepieceTokenizer", opset="extension")
class SentencepieceTokenizer(Op):
    """The ids of texts by a model of SentencePiece, as a sparse tensor.

    With special tokens a text is cut at them, and the parts are encoded one by one, each as a text of its own; the end
    of sentence is added once, at the end. Other values of ``nbest_size`` than 0 and 1 draw one of the best encodings.
    """

    foldable = Fold.NEVER
    workspace = 128

    inputs = (
        MODEL,
        In("text", frozenset({STRING, I32}), "the texts; with 4 or 8 inputs their begins"),
        In(
            "text_ends",
            I32,
            "with 4 or 8 inputs the ends of the texts; else the begins of special tokens",
            optional=True,
        ),
        In("text_chars", frozenset({U8, I32}), "the bytes of the texts; or the ends of the tokens", optional=True),
        In("token_begins", frozenset({I32, U8}), "the begins of special tokens; or their bytes", optional=True),
        In("token_ends", I32, "the ends of special tokens; or their ids", optional=True),
        In("token_chars", U8, "the bytes of special tokens", optional=True),
        In("token_ids", I32, "the ids of special tokens", optional=True),
    )
    alike = ((0, 1),)
    outputs = (
        Out("indices", I64, "[tokens, 2], row and place of each token"),
        Out("values", I32, "[tokens], their ids"),
        Out("shape", I64, "[2], the number of texts and the most tokens of one"),
    )

    nbest_size: int = attr(1, doc="0 or 1 for the best encoding")
    alpha: float = attr(1.0, doc="the smoothness of the distribution from which encodings are drawn")
    add_bos: bool = attr(False, doc="whether the begin of sentence is added")
    add_eos: bool = attr(False, doc="whether the end of sentence is added")
    reverse: bool = attr(False, doc="whether the ids are reversed at the end")

    def infer(self, model: Fact, *given: Fact | None) -> tuple[Shape, ...]:
        count = expect_count(given, 1, (2, 4, 6, 8), self.type)
        is_packed = count in (2, 6)
        wanted = [STRING] if is_packed else [I32, I32, U8]
        wanted += [I32, I32, U8, I32] if count > 5 else []
        for index, (fact, type) in enumerate(zip(given, wanted, strict=False), 1):
            assert fact is not None
            expect_type(fact, type, self.inputs[index].name, index)
        if count > 5:
            begins, *_, ids = [fact for fact in given if fact is not None][-4:]
            merge_dims(flat(begins.shape), flat(ids.shape), "the numbers of special tokens and of ids", input=count - 1)
        return Shape([Dim(), 2]), Shape([Dim()]), Shape([2])

    def run(self, model: Array, *inputs: Array | None) -> tuple[Array, ...]:
        given = [array for array in inputs if array is not None]
        found = processor(model)
        is_packed, has_tokens = len(given) in (1, 5), len(given) > 4
        strings = [encoded(text) for text in given[0].reshape(-1).tolist()] if is_packed else texts(*given[:3], input=1)
        cut = _around(*_special(*given[-4:])) if has_tokens else lambda text: [text]
        rows = self._rows(found, [*map(cut, strings)], has_tokens=has_tokens)
        counts = np.array([len(row) for row in rows], np.int64)
        place = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        indices = np.stack([np.repeat(np.arange(len(rows)), counts), place], axis=1)
        values = np.array([id for row in rows for id in row], np.int32)
        return indices, values, np.array([len(rows), counts.max(initial=0)], np.int64)

    def _rows(
        self, model: SentencePiece, cuts: Sequence[Sequence[bytes | int]], *, has_tokens: bool
    ) -> list[list[int]]:
        """Return the ids of texts that are cut into parts and ids of special tokens."""
        encode: Callable[[bytes], list[int]] = model.encode
        if self.nbest_size not in (0, 1):
            encode = functools.partial(said, sampled, model, self.nbest_size, self.alpha, input=0)
        normal = iter(model.normalized([part for parts in cuts for part in parts if isinstance(part, bytes)]))
        is_end = not has_tokens or model.is_control(model.eos)
        before, end = [model.bos] * self.add_bos, [model.eos if is_end else -1] * self.add_eos
        found = []
        for parts in cuts:
            row = []
            for part in parts:
                row += [part] if isinstance(part, int) else [*before, *encode(next(normal))]
            row += end
            found.append(row[::-1] if self.reverse else row)
        return found


def _around(pattern: bytes, ids: Mapping[bytes, int]) -> Callable[[bytes], list[bytes | int]]:
    """Return the function that cuts a text at special tokens."""
    search = compiled(pattern)

    def around(text: bytes) -> list[bytes | int]:
        decoded = text.decode("utf-8", "surrogateescape")
        found: list[bytes | int] = []
        at = 0
        for match in search.find(decoded) if search is not None else ():
            first, last = match.span()
            if first == last:
                break
            if at < first:
                found.append(encoded(decoded[at:first]))
            found.append(ids[encoded(decoded[first:last])])
            at = last
        if at < len(decoded):
            found.append(encoded(decoded[at:]))
        return found

    return around
