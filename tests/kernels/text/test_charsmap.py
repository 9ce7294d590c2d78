"""Spaces in texts that SentencePiece normalizes."""

from __future__ import annotations

import pytest

from irrun.kernels.text.charsmap import CharsMap, Normalizer, compiled_map
from irrun.kernels.text.normal_forms import map_of


@pytest.mark.parametrize(
    ("kept", "text", "normal"),
    [
        ([], "a   b", "a b"),
        (["  "], "a   b", "a  b"),
        (["  "], "a    b c     d", "a  b c  d"),
        (["  "], "  a  ", "a"),
        (["a  b"], "a  b  c", "a  b c"),
        (["<u>"], "a  <u>  b", "a <u> b"),
        (["  "], "    ", ""),
    ],
)
def test_kept_strings_keep_their_spaces(kept: list[str], text: str, normal: str) -> None:
    """As SentencePiece 0.2.3 and openvino_tokenizers 2026.4.1 do: only spaces behind a space are left out."""
    assert Normalizer(compiled_map(b"", kept), remove_extra_whitespaces=True).normalized(text) == normal


def test_what_is_kept_may_begin_inside_of_a_key() -> None:
    """Then each place of a text is looked at."""
    normalizer = CharsMap(map_of("nfc", case_fold=False).keys, ["\u0301x"])
    assert normalizer.replaced("e\u0301x e\u0301") == "éx é"
    assert normalizer.replaced("\u0301x") == "\u0301x"
