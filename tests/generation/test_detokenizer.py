"""Ids to text by detokenizers of other forms than that of the example."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from irrun.generation.detokenizer import Detokenizer
from irrun.generation.streaming import Bytes, Window
from irrun.model import load
from tests.nets import Net

TOKENS = [b"<s>", b"a", b" b", b"\xc3", b"n't"]
ENDS = np.cumsum([len(token) for token in TOKENS])
BEGINS = ENDS - [len(token) for token in TOKENS]
EXTENSION = "extension"


def detokenizer(
    path: Path, *skipped: Any, is_held: bool = True, cleans: bool = False, **attributes: Any
) -> Detokenizer:
    """Write a detokenizer; ``skipped`` are the ids of its last input, or a name of an input of the model."""
    net = Net()
    ids = net.layer("Convert", [net.parameter("ids", "?,?", "i64")], destination_type="i32")
    chars = np.frombuffer(b"".join(TOKENS), np.uint8)
    tokens = [net.constant(BEGINS, "i32"), net.constant(ENDS, "i32"), net.constant(chars, "u8")]
    if not is_held:
        tokens[0] = net.parameter("begins", "5", "i32")
    rest = [net.parameter(item, "?", "i32") if isinstance(item, str) else net.constant(item, "i32") for item in skipped]
    rows = net.layers("VocabDecoder", [ids, *tokens, *rest], opset=EXTENSION, **attributes)
    begins, ends = net.layers("FuzeRagged", rows[:4], opset=EXTENSION)
    text = [begins, ends, rows[4]]
    if cleans:
        pattern = net.constant(np.frombuffer(b" (n't)", np.uint8), "u8")
        text = net.layers(
            "RegexNormalization", [*text, pattern, net.constant(np.frombuffer(b"$1", np.uint8), "u8")], opset=EXTENSION
        )
    net.result(*net.layers("StringTensorPack", text, opset=15))
    return Detokenizer(load(net.save(path)))


def test_skipped_ids_of_an_attribute(tmp_path: Path) -> None:
    """They cannot be kept, as those of an input can."""
    found = detokenizer(tmp_path / "net.xml", skip_tokens=[0, 99])
    assert found.text([0, 1, 2]) == found.text([0, 1, 2], skips=False) == "a b"
    source = found.source()
    assert isinstance(source, Bytes)
    assert found._pieces == [b"", *TOKENS[1:]]


def test_skipped_ids_of_an_input(tmp_path: Path) -> None:
    found = detokenizer(tmp_path / "net.xml", np.array([0, -1, 7]))
    assert (found.text([0, 1, 2]), found.text([0, 1, 2], skips=False)) == ("a b", "<s>a b")
    assert found._pieces == [b"", *TOKENS[1:]]


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    assert detokenizer(tmp_path / "net.xml").text([1, 3, 1]) == "a\ufffda"


@pytest.mark.parametrize(
    ("given", "vocabulary"), [({"is_held": False}, []), ({"skipped": "skipped"}, TOKENS)], ids=["tokens", "skipped ids"]
)
def test_what_only_a_run_tells(tmp_path: Path, given: dict[str, Any], vocabulary: list[bytes]) -> None:
    """Then tokens are decoded in context."""
    skipped = [given.pop("skipped")] if "skipped" in given else []
    found = detokenizer(tmp_path / "net.xml", *skipped, **given)
    assert found.vocabulary == vocabulary
    assert isinstance(found.source(), Window)


def test_a_detokenizer_that_removes_spaces(tmp_path: Path) -> None:
    found = detokenizer(tmp_path / "net.xml", cleans=True)
    assert found._cleans
    assert isinstance(found.source(), Window)
    assert detokenizer(tmp_path / "plain.xml", skip_tokens=[4])._pieces != list(TOKENS)


def test_a_model_without_a_vocabulary(tmp_path: Path) -> None:
    net = Net()
    ids = net.parameter("ids", "?,?", "i64")
    net.result(net.layer("Convert", [ids], destination_type="i32"))
    found = Detokenizer(load(net.save(tmp_path / "net.xml")))
    assert found.vocabulary == []
    assert found._whole is found._skipping
    assert isinstance(found.source(), Window)
