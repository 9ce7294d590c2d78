"""Text as its tokens come."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from irrun.generation.streaming import Bytes, StopStrings, TextStream, Window


def of_bytes(ids: Sequence[int]) -> str:
    return bytes(ids).decode(errors="replace")


def streamed(data: bytes, stop: Sequence[str] = ()) -> list[str]:
    """Return the parts of a text whose tokens are its bytes, by a window and by bytes."""
    found = []
    for source in (Window(of_bytes), Bytes([bytes([byte]) for byte in range(256)], of_bytes)):
        stream = TextStream(source, stop)
        found.append([*(stream.add(byte) for byte in data), stream.end()])
    assert "".join(found[0]) == "".join(found[1])
    return found[0]


def test_each_letter_at_once() -> None:
    assert streamed(b"abc") == ["a", "b", "c", ""]


def test_a_character_when_its_last_byte_is_there() -> None:
    assert streamed("aé€😀".encode()) == ["a", "", "é", "", "", "€", "", "", "", "😀", ""]


def test_an_unfinished_character_at_the_end() -> None:
    assert streamed("a😀".encode()[:-1]) == ["a", "", "", "", "\ufffd"]


def test_a_wrong_byte_comes_with_what_follows() -> None:
    assert streamed(b"a\xffb") == ["a", "", "\ufffdb", ""]


def test_what_may_become_a_stop_string_waits() -> None:
    assert streamed(b"one en END two", ["END"]) == [*"one en ", "", "", "", *[""] * 5]
    assert streamed(b"an EN is no end", ["END"]) == [*"an ", "", "", "EN ", *"is no end", ""]
    assert streamed(b"so EN", ["END"]) == [*"so ", "", "", "EN"]


def test_the_first_of_several_stop_strings() -> None:
    stop = StopStrings({"cd", "abcde"})
    assert stop.found("xabcde") == (1, 6)
    assert stop.found("xabd cd") == (5, 7)
    assert stop.found("xab") is None
    assert stop.undecided("xabc") == 3
    assert stop.undecided("xabq") == 0


def test_a_long_text_is_decoded_in_windows() -> None:
    sizes: list[int] = []

    def decode(ids: Sequence[int]) -> str:
        sizes.append(len(ids))
        return of_bytes(ids)

    text = "Füße, 你好 and 😀; " * 40
    stream = TextStream(Window(decode))
    parts = [stream.add(byte) for byte in text.encode()]
    assert "".join([*parts, stream.end()]) == text == stream.text
    assert max(sizes) <= 40


def test_a_detokenizer_that_drops_the_first_space() -> None:
    words = [f"▁word{number}" for number in range(100)]

    def decode(ids: Sequence[int]) -> str:
        return "".join(words[id] for id in ids).replace("▁", " ").removeprefix(" ")

    stream = TextStream(Window(decode))
    parts = [stream.add(id) for id in range(100)]
    assert parts[:3] == ["word0", " word1", " word2"]
    assert "".join([*parts, stream.end()]) == decode(range(100))


def test_a_detokenizer_that_removes_spaces_before_punctuation() -> None:
    words = ["do", " n't", " worry", " ,", " it", " 's", " fine", " ."]

    def decode(ids: Sequence[int]) -> str:
        text = "".join(words[id] for id in ids)
        for ending in ("n't", "'s", ",", "."):
            text = text.replace(f" {ending}", ending)
        return text

    stream = TextStream(Window(decode, cleans=True))
    parts = [stream.add(id) for id in range(8)]
    assert "".join([*parts, stream.end()]) == "don't worry, it's fine."


@pytest.mark.parametrize("seed", range(20))
def test_any_bytes_in_any_window(seed: int) -> None:
    chance = np.random.default_rng(seed)
    letters = np.array(list("ab é€😀\ufffd"))
    data = "".join(letters[chance.integers(0, len(letters), 200)]).encode()
    noise = bytes(chance.integers(0, 256, 50).tolist())
    whole = data[:100] + noise + data[100:]
    assert "".join(streamed(whole)) == of_bytes(whole)
