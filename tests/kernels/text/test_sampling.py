"""Draws of encodings: every one of them spells the text, and likely ones are drawn more often."""

from __future__ import annotations

from collections import Counter

import pytest

from irrun.kernels.text.sampling import sampled
from irrun.kernels.text.sentencepiece import SentencePiece
from tests.cases.tokenizers.models import BPE, CHAR, UNIGRAM, model

_PIECES = [("▁", -1.0), ("a", -1.0), ("▁a", -1.5), ("aa", -1.7)]


@pytest.mark.parametrize(("algorithm", "nbest_size"), [(UNIGRAM, -1), (UNIGRAM, 3), (BPE, -1)])
def test_draws(algorithm: int, nbest_size: int) -> None:
    of = SentencePiece(model(_PIECES, algorithm).tobytes())
    [text] = of.normalized([b"aa"])
    drawn = Counter(tuple(sampled(of, nbest_size, 0.5, text)) for _ in range(200))
    assert {of.decode(ids) for ids in drawn} == {b"aa"}
    assert 1 < len(drawn) <= (3 if nbest_size == 3 else 4)


def test_a_certain_draw() -> None:
    of = SentencePiece(model(_PIECES).tobytes())
    [text] = of.normalized([b"aa"])
    assert {tuple(sampled(of, size, 1000.0, text)) for size in (2, 512, -1) for _ in range(9)} == {(5, 4)}
    assert sampled(of, -1, 1.0, b"") == []


def test_models_without_draws() -> None:
    of = SentencePiece(model([("a", 0.0)], CHAR).tobytes())
    with pytest.raises(ValueError, match="expected nbest_size 0 or 1, not 2"):
        sampled(of, 2, 1.0, b"a")
