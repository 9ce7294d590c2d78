"""The inputs that are generated for tokenizers, and how they are compared."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from tests.generation.conftest import STORIES
from tests.lab.tokenizers import comparing as tool

TOKENIZER, DETOKENIZER = STORIES / "openvino_tokenizer.xml", STORIES / "openvino_detokenizer.xml"


def test_texts_are_of_all_kinds() -> None:
    found = tool.texts(1000, 7)
    assert found == tool.texts(1000, 7)
    assert found != tool.texts(1000, 8)
    assert "" in found
    assert max(map(len, found)) > 1000
    letters = set("".join(found))
    assert {blank[0] for blank in tool.BLANKS} <= letters
    assert all(any(low <= ord(letter) <= high for letter in letters) for low, high in tool.SCRIPTS)


def test_lists_of_ids_are_of_one_length_in_a_batch() -> None:
    found = tool.id_lists(120, 1, 640)
    assert [len({len(ids) for ids in batch}) for batch in tool.batches(found)] == [1, 1, 1]
    assert len(found) == 120
    assert max(max(ids, default=0) for ids in found) < 640


@pytest.mark.bails_out("the program does not fit the shapes of the results of")
def test_a_byte_level_tokenizer_loses_nothing() -> None:
    """The texts of a batch have the ids that each has alone, and these the text."""
    encode, decode = tool.ours(TOKENIZER), tool.ours(DETOKENIZER)
    given = [words for words in tool.texts(100, 3) if words]
    ids, mask = encode([given])
    for place, words in enumerate(given):
        row = ids[place][mask[place] == 1]
        assert encode([[words]])[0][0].tolist() == row.tolist()
        assert decode([row[np.newaxis]])[0][0] == words.encode().rstrip(b"\0")


def test_differences_are_those_of_single_inputs() -> None:
    def other(inputs: Sequence[Any]) -> list[Any]:
        return [np.array([[len(words) + ("x" in words)] for words in inputs[0]])]

    def mine(inputs: Sequence[Any]) -> list[Any]:
        return [np.array([[len(words)] for words in inputs[0]])]

    given = [*("a" * size for size in range(60)), "box", "b"]
    assert tool.differences(given, mine, other, lambda batch: [list(batch)]) == ["box"]
    assert tool.differences(given, mine, mine, lambda batch: [list(batch)]) == []


def test_the_vocabulary_of_a_detokenizer() -> None:
    from irrun.model import load

    assert tool.vocabulary(load(DETOKENIZER)) == 645
    assert tool.fault(load(TOKENIZER), [[1]]) == ""
    assert "earlier inference" in tool.fault(load(TOKENIZER), [[], []])


def test_a_text_is_made_of_its_chances() -> None:
    assert tool.text(random.Random(1)) == tool.text(random.Random(1))
