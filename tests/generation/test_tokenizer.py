"""Texts to ids and back."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from irrun.generation import GenerationError, Tokenizer
from irrun.generation.batch import padded
from irrun.generation.streaming import Bytes, TextStream, Window
from tests.generation.conftest import STORIES, Copy
from tests.plugins.tiers import Campaign

pytestmark = pytest.mark.bails_out("the program does not fit the shapes of the results of")
"""Lengths of texts are known only in the middle of a run of a tokenizer."""


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer(STORIES)


def test_there_and_back(tokenizer: Tokenizer) -> None:
    texts = ["Once upon a time", "", "Füße 你好 😀", " two  blanks\n\nand\tmore "]
    for text in texts:
        assert tokenizer.decode(tokenizer.encode(text).input_ids[0]) == text
    rows = tokenizer.rows(texts)
    assert tokenizer.decode(rows) == texts
    assert tokenizer.decode([]) == ""


def test_padding_on_either_side(tokenizer: Tokenizer) -> None:
    long, short = tokenizer.rows(["Once upon a time", "Otto"])
    ids, mask = tokenizer.encode(["Once upon a time", "Otto"])
    missing = len(long) - len(short)
    assert ids.tolist() == [long.tolist(), [0] * missing + short.tolist()]
    assert mask.tolist() == [[1] * len(long), [0] * missing + [1] * len(short)]
    ids, mask = tokenizer.encode(["Once upon a time", "Otto"], padding_side="right")
    assert ids[1].tolist() == short.tolist() + [0] * missing
    assert mask[1].tolist() == [1] * len(short) + [0] * missing
    with pytest.raises(GenerationError, match='padding_side is "middle", expected left or right'):
        padded([np.array([1])], 0, "middle")


def test_a_stream_of_bytes_is_that_of_the_detokenizer(tokenizer: Tokenizer, campaign: Campaign) -> None:
    """The example has a byte-level vocabulary, whose tokens need not be decoded in context."""
    for seed in campaign.draws(8, 50):
        ids = np.random.default_rng(seed).integers(0, 645, 60).tolist()
        quick = TextStream(tokenizer.source())
        careful = TextStream(Window(tokenizer.text))
        texts = ["".join([*(stream.add(id) for id in ids), stream.end()]) for stream in (quick, careful)]
        assert texts == [tokenizer.text(ids)] * 2
    assert isinstance(tokenizer.source(), Bytes)


def test_bytes_that_are_no_utf8(tokenizer: Tokenizer) -> None:
    (begin, *_) = tokenizer.rows(["é"])[0]
    assert tokenizer.text([begin, *tokenizer.rows(["a"])[0]]) == "\ufffda"


def test_special_tokens_can_be_left_out(copied: Copy) -> None:
    """A tokenizer whose CombineSegments puts the end token in front and behind."""
    tokenizer = Tokenizer(copied())
    plain = tokenizer.rows

    def framed(texts: list[str], add_special_tokens: bool = True) -> list[object]:
        del add_special_tokens
        return [np.concatenate([[0, 0], row, [0]]) for row in plain(texts)]

    tokenizer.rows = framed  # type: ignore[assignment, method-assign]
    assert tokenizer._special == (2, 1)


def test_a_tokenizer_without_a_template_takes_no_pairs(copied: Copy) -> None:
    folder = copied()
    path = folder / "openvino_tokenizer.xml"
    path.write_text(path.read_text().replace("processed_post_processor_template", "other"))
    tokenizer = Tokenizer(folder)
    assert not tokenizer.supports_paired_input()
    with pytest.raises(GenerationError, match=r"has one input and no template of pairs in its rt_info"):
        tokenizer.run_pairs(["a"], ["b"], None)


def test_the_vocabulary(tokenizer: Tokenizer) -> None:
    vocabulary = tokenizer.get_vocab()
    assert tokenizer.vocabulary_size == len(tokenizer.get_vocab_vector()) == 640
    id = tokenizer.rows([" was"])[0][0]
    assert vocabulary[b" was"] == id
    assert tokenizer.get_vocab_vector()[id] == " was"


def test_special_tokens(tokenizer: Tokenizer) -> None:
    assert (tokenizer.get_eos_token_id(), tokenizer.get_eos_token()) == (0, "<|end|>")
    assert tokenizer.get_pad_token() == "<|end|>"
    assert tokenizer.supports_paired_input()
    ids = [0, *tokenizer.rows(["Otto"])[0], 0]
    assert tokenizer.decode(ids) == "Otto"
    assert tokenizer.decode(ids, skip_special_tokens=False) == "<|end|>Otto<|end|>"
    assert tokenizer.decode([ids, ids[:1]], skip_special_tokens=False) == ["<|end|>Otto<|end|>", "<|end|>"]


def test_lengths_of_rows(tokenizer: Tokenizer) -> None:
    row = tokenizer.rows(["Once upon a time"])[0].tolist()
    cut = tokenizer.encode("Once upon a time", max_length=2, truncation=True)
    assert cut.input_ids.tolist() == [row[:2]]
    filled = tokenizer.encode("Once upon a time", max_length=6, pad_to_max_length=True, padding_side="right")
    assert filled.input_ids.tolist() == [row + [0] * (6 - len(row))]
    assert tokenizer.encode("Once upon a time", max_length=2).input_ids.tolist() == [row]
    with pytest.raises(GenerationError, match="max_length is None, expected a number of tokens to pad or to cut to"):
        tokenizer.encode("x", truncation=True)
    with pytest.raises(GenerationError, match="max_length is 0, expected 1 token or more"):
        tokenizer.encode("x", max_length=0)


def test_special_tokens_stay_when_a_row_is_cut(copied: Copy) -> None:
    tokenizer = Tokenizer(copied())
    tokenizer._special = (1, 2)  # type: ignore[misc]
    row = np.array([8, 1, 2, 3, 9, 9])
    assert tokenizer.cut(row, 4).tolist() == [8, 1, 9, 9]
    assert tokenizer.cut(row, 1).tolist() == [9]
    assert tokenizer.cut(row, 4, False).tolist() == [8, 1, 2, 3]


def test_regular_expressions_need_a_package(copied: Copy, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is missing is said before anything is generated."""
    monkeypatch.setitem(sys.modules, "regex", None)
    with pytest.raises(GenerationError, match=r"has regular expressions, which need the package regex: pip install"):
        Tokenizer(copied())
