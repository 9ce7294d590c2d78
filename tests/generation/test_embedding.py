"""Vectors of texts, and scores of pairs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import irrun as ov
from irrun.generation import GenerationError, TextEmbeddingPipeline, TextRerankPipeline, Tokenizer
from irrun.generation.embedding import pooled
from irrun.tensor import Array
from tests.generation.conftest import STORIES, Copy

OPS = ov.opset13
TEXTS = ["Once upon a time", "Otto", "The grey goose said, and said again"]


def table() -> Array:
    return np.random.default_rng(5).normal(size=(640, 6)).astype(np.float32)


def encoder(folder: Path, scores: int = 0) -> Path:
    """Put a model in place of that of a folder: the vector of a token is a row of a table, or its mean is scores."""
    ids, mask = (OPS.parameter([-1, -1], ov.Type.i64, name=name) for name in ("input_ids", "attention_mask"))
    for node in (ids, mask):
        node.output(0).set_names({node.friendly_name})
    vectors = OPS.gather(OPS.constant(table()), ids, OPS.constant(0, ov.Type.i64))
    if scores:
        weights = OPS.unsqueeze(OPS.convert(mask, "f32"), OPS.constant([2], ov.Type.i64))
        summed = OPS.reduce_sum(OPS.multiply(vectors, weights), OPS.constant([1], ov.Type.i64))
        vectors = OPS.slice(summed, [0], [scores], [1], [1])
    vectors.output(0).set_names({"logits" if scores else "last_hidden_state"})
    ov.save_model(ov.Model([OPS.result(vectors)], [ids, mask]), folder / "openvino_model.xml", compress_to_fp16=False)
    return folder


def test_pooling() -> None:
    vectors = np.arange(12, dtype=np.float32).reshape(2, 3, 2)
    mask = np.array([[1, 1, 0], [0, 1, 1]])
    assert pooled(vectors, mask, "cls").tolist() == [[0, 1], [8, 9]]
    assert pooled(vectors, mask, "last_token").tolist() == [[2, 3], [10, 11]]
    assert pooled(vectors, mask, "mean").tolist() == [[1, 2], [9, 10]]


@pytest.mark.parametrize("pooling", ["mean", "cls", "last_token"])
def test_vectors(copied: Copy, pooling: str) -> None:
    folder = encoder(copied())
    rows = Tokenizer(folder).rows(TEXTS)
    chosen = {"mean": lambda part: part.mean(axis=0), "cls": lambda part: part[0], "last_token": lambda part: part[-1]}
    expected = np.stack([chosen[pooling](table()[row]) for row in rows])
    for batch in (1, 2, 8):
        found = TextEmbeddingPipeline(folder, pooling_type=pooling, normalize=False, batch_size=batch)
        np.testing.assert_allclose(found.embed_documents(TEXTS), expected, rtol=1e-5, atol=1e-6)
    units = TextEmbeddingPipeline(folder, pooling_type=pooling).embed_documents(TEXTS)
    np.testing.assert_allclose(units, expected / np.linalg.norm(expected, axis=1, keepdims=True), rtol=1e-5)


def test_the_pooling_of_the_folder(copied: Copy) -> None:
    folder = encoder(copied({"1_Pooling/config.json": {"pooling_mode_mean_tokens": True}}))
    mean = TextEmbeddingPipeline(folder, pooling_type="mean").embed_query("Once upon a time")
    assert TextEmbeddingPipeline(folder).embed_query("Once upon a time").tolist() == mean.tolist()


def test_instructions_and_limits(copied: Copy) -> None:
    folder = encoder(copied())
    plain = TextEmbeddingPipeline(folder, pooling_type="mean")
    instructed = TextEmbeddingPipeline(folder, pooling_type="mean", query_instruction="Q: ", embed_instruction="D: ")
    assert instructed.embed_query("Otto").tolist() == plain.embed_query("Q: Otto").tolist()
    assert instructed.embed_documents(["Otto"]).tolist() == plain.embed_documents(["D: Otto"]).tolist()
    short = TextEmbeddingPipeline(folder, pooling_type="cls", max_length=1, normalize=False)
    first = Tokenizer(folder).rows(["Otto"])[0]
    np.testing.assert_allclose(short.embed_query("Otto"), table()[first[-1]], rtol=1e-6)


@pytest.mark.parametrize("count", [1, 2])
def test_scores_of_texts(copied: Copy, monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    """The tokenizer of the example has one input: here pairs of texts are joined before it."""
    tokenizer = Tokenizer(STORIES)

    def joined(_: Tokenizer, texts: list[str], pairs: list[str]) -> dict[str, Array]:
        return single(tokenizer, [first + second for first, second in zip(texts, pairs, strict=True)])

    single = Tokenizer.run
    rows = tokenizer.rows([f"Who? {text}" for text in TEXTS])
    sums = np.stack([table()[row].sum(axis=0) for row in rows])
    outputs = sums[:, 0] if count == 1 else sums[:, 1] - sums[:, 0]
    expected = 1 / (1 + np.exp(-outputs))
    monkeypatch.setattr(Tokenizer, "run", joined)
    reranker = TextRerankPipeline(encoder(copied(), scores=count), top_n=2)
    np.testing.assert_allclose(reranker.scores("Who? ", TEXTS), expected, rtol=1e-4)
    best = reranker.rerank("Who? ", TEXTS)
    assert [place for place, _ in best] == np.argsort(-expected)[:2].tolist()


def test_what_cannot_be_embedded(copied: Copy) -> None:
    with pytest.raises(GenerationError, match="has variables, as a model that generates text does"):
        TextEmbeddingPipeline(STORIES)
    folder = encoder(copied())
    with pytest.raises(GenerationError, match='pooling_type is "max", expected cls, mean or last_token'):
        TextEmbeddingPipeline(folder, pooling_type="max")
    with pytest.raises(GenerationError, match="there are no texts, expected one or more"):
        TextEmbeddingPipeline(folder).embed_documents([])
    with pytest.raises(GenerationError, match="has one input, expected two for pairs of texts"):
        TextRerankPipeline(folder).scores("Who?", ["Otto"])
