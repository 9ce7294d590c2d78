"""Encoders with other inputs and outputs, and tokenizers of two texts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import irrun as ov
from irrun.document.writer import Handle
from irrun.generation import GenerationError, TextEmbeddingPipeline, TextPipeline, TextRerankPipeline, Tokenizer
from irrun.generation.pairs import Template, joined, limit
from irrun.model import load
from tests.generation.conftest import Copy
from tests.generation.test_embedding import encoder, table
from tests.nets import Net

OPS = ov.opset13


def reading(folder: Path, *inputs: str, form: str = "vectors") -> Path:
    """Put an encoder in place of the model of a folder: rows of a table plus its further inputs, by position."""
    names = ("input_ids", "attention_mask", *inputs)
    parameters = [OPS.parameter([-1, -1], ov.Type.i64, name=name) for name in names]
    for node in parameters:
        node.output(0).set_names({node.friendly_name})
    made = OPS.gather(OPS.constant(table()), parameters[0], OPS.constant(0, ov.Type.i64))
    for node in parameters[2:]:
        made = OPS.add(made, OPS.unsqueeze(OPS.convert(node, "f32"), OPS.constant([2], ov.Type.i64)))
    if form != "vectors":
        made = OPS.reduce_sum(made, OPS.constant([1] if form in ("pooled", "whole") else [1, 2], ov.Type.i64))
    made.output(0).set_names({"embeddings" if form == "whole" else "last_hidden_state"})
    ov.save_model(ov.Model([OPS.result(made)], parameters), folder / "openvino_model.xml", compress_to_fp16=False)
    return folder


def test_positions_and_types_are_made(copied: Copy) -> None:
    """Positions count the tokens of a text, and types are zeros."""
    folder = reading(copied(), "position_ids", "token_type_ids")
    (row,) = Tokenizer(folder).rows(["Once upon a time"])
    expected = (table()[row] + np.arange(len(row), dtype=np.float32)[:, np.newaxis]).mean(axis=0)
    found = TextEmbeddingPipeline(folder, pooling_type="mean", normalize=False)
    np.testing.assert_allclose(found.embed_query("Once upon a time"), expected, rtol=1e-5)


@pytest.mark.parametrize("form", ["pooled", "whole"])
def test_a_vector_for_each_text_is_not_pooled(copied: Copy, form: str) -> None:
    folder = reading(copied(), form=form)
    (row,) = Tokenizer(folder).rows(["Otto"])
    found = TextEmbeddingPipeline(folder, normalize=False).embed_documents(["Otto"])
    np.testing.assert_allclose(found, table()[row].sum(axis=0)[np.newaxis], rtol=1e-5)


def test_a_score_without_an_axis(copied: Copy) -> None:
    folder = reading(copied(), form="scores")
    rows = np.concatenate(Tokenizer(folder).rows(["Who? ", "Otto"]))
    expected = 1 / (1 + np.exp(-table()[rows].sum()))
    np.testing.assert_allclose(TextRerankPipeline(folder).scores("Who? ", ["Otto"]), [expected], rtol=1e-4)
    with pytest.raises(GenerationError, match=r"has the shape \[1\], expected \[texts,tokens,size\]$"):
        TextEmbeddingPipeline(folder).embed_query("Otto")


def test_an_input_that_no_tokenizer_provides(copied: Copy) -> None:
    folder = reading(copied(), "pixels")
    with pytest.raises(GenerationError, match=r"the model has the input pixels, which no tokenizer provides$"):
        TextEmbeddingPipeline(folder).embed_query("Otto")


@pytest.mark.parametrize(
    ("kind", "given", "message"),
    [
        (TextEmbeddingPipeline, {"max_length": 0}, "max_length is 0, expected 1 token or more"),
        (TextEmbeddingPipeline, {"batch_size": 0}, "batch_size is 0, expected 1 text or more"),
        (TextRerankPipeline, {"top_n": 0}, "top_n is 0 and batch_size is 32, expected 1 or more"),
    ],
)
def test_settings_that_do_not_fit(copied: Copy, kind: Any, given: dict[str, int], message: str) -> None:
    with pytest.raises(GenerationError, match=f"^{message}$"):
        kind(encoder(copied()), **given)


def test_no_texts_have_no_scores(copied: Copy) -> None:
    with pytest.raises(GenerationError, match=r"^there are no texts, expected one or more$"):
        TextRerankPipeline(encoder(copied(), scores=1)).scores("Who?", [])


def of_bytes(folder: Path, output: str = "input_ids") -> Path:
    """Put a tokenizer in place of that of a folder: the bytes of two texts in a row; all texts have one length."""
    net = Net()
    parts: list[Handle] = []
    count: Handle | None = None
    for name in ("first", "second"):
        begins, _, chars = net.layers("StringTensorUnpack", [net.parameter(name, "?", "string")], opset=15)
        count = count or net.layer("ShapeOf", [begins], opset=3)
        sizes = net.layer("Concat", [count, net.constant([-1])], axis=0)
        codes = net.layer("Convert", [chars], destination_type="i64")
        parts.append(net.layer("Reshape", [codes, sizes], special_zero=False))
    net.result(net.layer("Concat", parts, axis=1, tensor=output))
    net.save(folder / "openvino_tokenizer.xml")
    return folder


def test_a_tokenizer_of_two_texts(copied: Copy) -> None:
    folder = of_bytes(encoder(copied(), scores=1))
    tokenizer = Tokenizer(folder)
    assert tokenizer.supports_paired_input()
    assert tokenizer.limit is None
    assert tokenizer.run(["ab", "cd"])["input_ids"].tolist() == [[97, 98], [99, 100]]
    assert tokenizer.run_pairs(["ab"], ["xyz"], None)["input_ids"].tolist() == [[97, 98, 120, 121, 122]]
    assert tokenizer.run_pairs(["ab"], ["xyz"], 5)["input_ids"].tolist() == [[97, 98, 120, 121, 122]]
    with pytest.raises(GenerationError, match=r"^a pair of texts has 5 tokens, expected at most 4$"):
        tokenizer.run_pairs(["ab"], ["xyz"], 4)
    expected = 1 / (1 + np.exp(-table()[[97, 98, 99]].sum(axis=0)[0]))
    np.testing.assert_allclose(TextRerankPipeline(folder).scores("ab", ["c"]), [expected], rtol=1e-4)


def test_a_tokenizer_that_names_no_special_tokens(copied: Copy) -> None:
    folder = of_bytes(copied())
    for path in ("tokenizer_config.json", "config.json", "generation_config.json", "special_tokens_map.json"):
        (folder / path).unlink(missing_ok=True)
    tokenizer = Tokenizer(folder)
    assert (tokenizer.get_bos_token_id(), tokenizer.get_pad_token_id(), tokenizer.eos_token_id) == (-1, -1, None)
    assert (tokenizer.get_bos_token(), tokenizer.get_pad_token()) == ("", "")


def test_a_tokenizer_without_ids(copied: Copy) -> None:
    folder = of_bytes(copied(), "ids")
    with pytest.raises(GenerationError, match=r'openvino_tokenizer.xml has no output "input_ids"$'):
        Tokenizer(folder)


def test_arguments_of_another_kind(copied: Copy) -> None:
    folder = copied()
    with pytest.raises(GenerationError, match=r"^config is 3, expected "):
        TextPipeline(folder, config=3)
    assert TextPipeline(folder, None, "CPU").generate("Once", max_new_tokens=1) is not None


def test_prompts_that_are_none(copied: Copy) -> None:
    pipeline = TextPipeline(copied())
    for prompts in ([], np.zeros((0, 3), int), [[1], [2, 3]]):
        with pytest.raises(GenerationError, match=r"expected (one or more|a text, a list of texts, .* or ids)"):
            pipeline.generate(prompts)


def test_the_end_token_of_the_tokenizer(copied: Copy) -> None:
    """It ends texts where the settings of the folder name none."""
    folder = copied()
    for name in ("config.json", "generation_config.json"):
        (folder / name).unlink(missing_ok=True)
    assert TextPipeline(folder).get_generation_config().eos_token_id == Tokenizer(folder).eos_token_id == 0


def truncating(path: Path, most: int, *, is_chosen: bool = False, is_known: bool = True) -> Path:
    """A model that cuts texts to a number of tokens, chosen by a switch or not."""
    net = Net()
    rows = [net.parameter(name, "?", "i32") for name in ("begins", "ends", "ids")]
    limit = net.constant(np.array(most), "i32") if is_known else net.parameter("most", "", "i32")
    if is_chosen:
        limit = net.layer(
            "Select", [net.parameter("cut", "", "boolean"), limit, net.constant(np.array(1 << 30), "i32")]
        )
    texts = [net.constant(np.frombuffer(text, np.uint8), "u8") for text in (b"right", b"longest_first")]
    net.result(*net.layers("Truncate", [*rows, limit, *texts], opset="extension"))
    return net.save(path)


@pytest.mark.parametrize(
    ("most", "given", "expected"),
    [(7, {}, 7), (7, {"is_chosen": True}, 7), (2**31 - 1, {}, None), (7, {"is_known": False}, None)],
)
def test_the_limit_of_a_tokenizer(tmp_path: Path, most: int, given: dict[str, bool], expected: int | None) -> None:
    assert limit(load(truncating(tmp_path / "net.xml", most, **given))) == expected


def test_pairs_of_any_length() -> None:
    found = joined([np.arange(3)], [np.arange(2)], Template([7, -1, -2], [0, 0, 1]), None, 5)
    assert found["input_ids"].tolist() == [[7, 0, 1, 2, 0, 1]]


def test_a_tokenizer_without_a_mask(copied: Copy) -> None:
    """Rows are of whole texts, one by one, and those of one text have no padding."""
    tokenizer = Tokenizer(of_bytes(copied()))
    assert [row.tolist() for row in tokenizer.rows(["ab"])] == [[97, 98]]
    assert [row.tolist() for row in tokenizer.rows(["ab", "cd"])] == [[97, 98], [99, 100]]
    assert tokenizer.rows([]) == []
