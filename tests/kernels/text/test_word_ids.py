"""The ids of many words at once are those of each word."""

from __future__ import annotations

import random

import numpy as np
import pytest

from irrun.kernels.text import word_ids
from irrun.kernels.text.strings import packed
from irrun.kernels.text.word_ids import WordIds


def _encode(word: bytes) -> tuple[int, ...]:
    """Return as many ids as a word has vowels, which depend on the whole word."""
    return tuple(sum(word) * 1000 + 10 * len(word) + at for at in range(sum(word.count(c) for c in b"aeiou")))


def _words(seed: int, count: int) -> list[bytes]:
    draw = random.Random(seed)
    return [bytes(draw.choices(b"\0aeb\xff", k=draw.choice((0, 1, 2, 7, 8, 9, 15, 16, 17, 40)))) for _ in range(count)]


@pytest.mark.parametrize(("places", "most"), [(14, 1 << 18), (3, 1 << 18), (6, 200)])
def test_ids_of_many_words_are_those_of_each(monkeypatch: pytest.MonkeyPatch, places: int, most: int) -> None:
    """Also where words have the place of others, and where the table is emptied."""
    monkeypatch.setattr(word_ids, "_PLACES", places)
    monkeypatch.setattr(word_ids, "_MOST", most)
    ids = WordIds(_encode)
    for seed, count in ((1, 3), (2, 300), (2, 300), (3, 100), (2, 300), (4, 65)):
        words = _words(seed, count)
        begins, ends, chars = packed(words)
        order = np.random.default_rng(seed).permutation(count)
        counts, found = ids.of_each(begins[order], ends[order], chars)
        assert counts.tolist() == [len(_encode(words[at])) for at in order]
        assert found.dtype == np.int32
        assert found.tolist() == [id for at in order for id in _encode(words[at])]


def test_a_word_is_encoded_once() -> None:
    seen: list[bytes] = []

    def encode(word: bytes) -> tuple[int, ...]:
        seen.append(word)
        return (len(word),)

    ids = WordIds(encode)
    words = [b"%d" % (number % 90) for number in range(400)]
    for _ in range(3):
        counts, found = ids.of_each(*packed(words))
        assert (counts.tolist(), found.tolist()) == ([1] * 400, [len(word) for word in words])
    assert sorted(seen) == sorted(set(words))


def test_words_at_the_end_of_the_bytes() -> None:
    """The bytes behind a word are not a part of it, and none are read behind the last one."""
    begins = np.array([3, 0, 4, 4] * 20, np.int32)
    ends = np.array([4, 4, 4, 3 + 1] * 20, np.int32)
    counts, found = WordIds(lambda word: (*word,)).of_each(begins, ends, np.array([9, 8, 7, 6], np.uint8))
    assert counts.tolist() == [1, 4, 0, 0] * 20
    assert found.tolist() == [6, 9, 8, 7, 6] * 20
