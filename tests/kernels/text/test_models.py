"""Models of tokens: what they remember, and where it must not matter."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from irrun.kernels.text import bpe, kept, substitution, unigram, wordpiece
from irrun.kernels.text.farmhash import fingerprint64
from irrun.kernels.text.normal_forms import map_of
from irrun.kernels.text.segments import Cuts
from irrun.kernels.text.sentencepiece_bpe import ScoredPairs
from irrun.kernels.text.sentencepiece_model import NORMAL, USER_DEFINED, ScoredPiece
from irrun.ops._declared.tokenizers.patterns import compiled


def test_read_only_arrays_are_remembered() -> None:
    calls = []

    @kept.kept
    def total(array: np.ndarray, factor: int) -> int:
        calls.append(factor)
        return int(array.sum()) * factor

    constant = np.array([1, 2])
    constant.flags.writeable = False
    assert [total(constant, 2), total(constant, 2), total(constant, 3)] == [6, 6, 9]
    assert calls == [2, 3]
    variable = np.array([1, 2])
    assert total(variable, 2) == 6
    variable[0] = 5
    assert total(variable, 2) == 14


def test_no_token_crosses_a_cut() -> None:
    cuts = Cuts([b"a", b"b c", b"d\xe2\x96\x81", b"e\xe2"])
    assert cuts.parts(b"a b c a c") == [b"a", b" b c", b" a", b" c"]
    assert cuts.parts("a▁d▁e▁▁a".encode()) == [b"a", "▁d▁e▁▁a".encode()]
    assert cuts.parts(b"") == [b""]


@pytest.mark.parametrize("size", [1, 4, 40])
def test_parts_of_a_word_are_encoded_as_the_whole_word(size: int) -> None:
    tokens = {text: id for id, text in enumerate([b"a", b"b", b" ", b"ab", b" ab", b"b ", b"aa"])}
    merges = [(b"a", b"b"), (b" ", b"ab"), (b"a", b"a")]
    encoder = bpe.BytePairEncoder(tokens, merges)
    for letters in itertools.product(b"ab ", repeat=4):
        text = bytes(letters) * size
        assert encoder.ids.of_one[text] == tuple(encoder._merged(encoder._symbols(text)))


def test_parts_of_a_text_have_the_tokens_of_exact_sums() -> None:
    tokens = [b"a", b"b", b" ", b"ab", b" a", b"aa", b"ba"]
    scores = np.array([-1, -1.5, -2, -2.5, -3, -2, -2.5], np.float32)
    model = unigram.of_openvino(tokens, scores, 9)
    for letters in itertools.product(b"ab z", repeat=6):
        text = bytes(letters)
        assert model.encode(text) == model._exact(text)


def test_texts_are_forgotten_when_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "MOST", 2)
    pairs = bpe.BytePairEncoder({b"a": 0, b"aa": 1}, [(b"a", b"a")])
    pieces = wordpiece.WordPieces([b"a", b"##a"], b"##", 7, 3)
    sums = unigram.of_openvino([b"a", b"aa"], np.array([-2, -3], np.float32), 7)
    for count in (1, 2, 3, 4, 1, 2, 3, 4):
        word = b"a" * count
        assert pairs.ids.of_one[word] == (1,) * (count // 2) + (0,) * (count % 2)
        assert pieces.ids.of_one[word] == ((0,) + (1,) * (count - 1) if count < 4 else (7,))
        assert sorted(sums.encode(word)) == [0] * (count % 2) + [1] * (count // 2)
    assert len(pairs.ids.of_one) <= 2


@pytest.mark.parametrize(
    ("text", "form", "expected"),
    [
        ("plain", "nfkc", "plain"),
        ("e\u0301xé ﬁ", "nfc", "éxé ﬁ"),
        ("xe\u0301ye", "nfkc", "xéye"),
        ("①e\u0301A\u030a", "nfkc", "1éÅ"),
        ("\u1100\u1161\u11a8", "nfc", "각"),
    ],
)
def test_runs_and_pieces_are_the_same(text: str, form: str, expected: str) -> None:
    found = map_of(form, case_fold=False)  # type: ignore[arg-type]
    assert found.replaced(text) == "".join(found.pieces(text)) == expected


def test_a_long_text_is_not_remembered() -> None:
    sizes = kept.Remembered(len)
    assert [sizes[b"a" * size] for size in (3, 300)] == [3, 300]
    assert list(sizes) == [b"aaa"]


@pytest.mark.parametrize("repeats", [1, 3])
def test_equal_ranks_are_merged_in_order(repeats: int) -> None:
    """A merge makes a pair with what follows it, of a rank that comes later."""
    letters = [b"a", b"b", b"c", b"ab", b"abc", b"cab"]
    encoder = bpe.BytePairEncoder(
        {text: id for id, text in enumerate(letters)}, [(b"a", b"b"), (b"ab", b"c"), (b"c", b"ab")]
    )
    assert encoder.ids.of_one[b"abc" * repeats + b"ab"] == (4,) * repeats + (3,)


def test_the_fingerprints_of_short_texts() -> None:
    """That of "a" is the one that FarmHash publishes."""
    assert fingerprint64(b"a") == 12917804110809363939
    assert len({fingerprint64(text) for text in (b"", b"a", b"ab", b"ba", b"abc", b"acb")}) == 6


@pytest.mark.parametrize(
    ("replacement", "expected"),
    [
        ("<$1>", "x<a>y"),
        ("<$+>", "x<b>y"),
        ("<$&>", "x<ab>y"),
        ("<$`>", "x<x>y"),
        ("<$'>", "x<y>y"),
        ("<$_>", "x<xaby>y"),
        ("<$$>", "x<$>y"),
    ],
)
def test_places_of_a_match(replacement: str, expected: str) -> None:
    search = compiled(b"(a)(b)")
    parts = substitution.template(replacement, lambda _: None)
    assert search is not None
    assert parts is not None
    assert (
        substitution.substituted("xaby", search.find, parts, every=True, bytes_of_template=len(replacement)) == expected
    )


def test_pieces_of_users_are_characters() -> None:
    pieces = [ScoredPiece(text, 0.0, NORMAL) for text in (b"a", b"b")] + [ScoredPiece(b"<u>", 0.0, USER_DEFINED)]
    pairs = ScoredPairs(pieces, {piece.text: id for id, piece in enumerate(pieces)}, 9, ["<u>", "<u"])
    assert pairs.characters("a<u>b<ub<") == ["a", "<u>", "b", "<u", "b", "<"]
    assert pairs.characters("ab") == ["a", "b"]
    assert pairs.encode(b"a<u>b") == [0, 2, 1]
