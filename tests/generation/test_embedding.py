"""Vectors of texts, and scores of pairs."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import irrun as ov
from irrun.generation import (
    GenerationError,
    GenerationWarning,
    TextEmbeddingPipeline,
    TextRerankPipeline,
    Tokenizer,
    embedding,
)
from irrun.generation.embedding import pooled
from irrun.generation.pairs import joined, template
from irrun.tensor import Array
from tests.generation.conftest import STORIES, Copy

OPS = ov.opset13
ROBERTA = {"max_position_embeddings": 7, "model_type": "roberta", "pad_token_id": 1}
PAIR = {"ids": [7, -1, 8, -2, 8], "type_ids": [0, 0, 0, 1, 1]}
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
    for batch in (1, 2, 8, None):
        found = TextEmbeddingPipeline(folder, pooling_type=pooling, normalize=False, batch_size=batch)
        np.testing.assert_allclose(found.embed_documents(TEXTS), expected, rtol=1e-5, atol=1e-6)
    units = TextEmbeddingPipeline(folder, pooling_type=pooling).embed_documents(TEXTS)
    np.testing.assert_allclose(units, expected / np.linalg.norm(expected, axis=1, keepdims=True), rtol=1e-5)


def test_the_tokenizer_reads_many_texts_at_once(copied: Copy, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [text[: 3 * number] for number, text in enumerate(("Once upon a time there was", *TEXTS, "", "Otto") * 2)]
    found = TextEmbeddingPipeline(encoder(copied()), pooling_type="mean", batch_size=3)
    expected = np.stack([found.embed_query(text) for text in texts])
    sizes = []
    run = Tokenizer.run
    monkeypatch.setattr(embedding, "_AT_ONCE", 7)
    monkeypatch.setattr(Tokenizer, "run", lambda self, given: sizes.append(len(given)) or run(self, given))
    np.testing.assert_allclose(found.embed_documents(texts), expected, rtol=1e-5, atol=1e-6)
    assert sizes == [7] * (len(texts) // 7) + [len(texts) % 7]


def test_texts_of_a_batch_have_few_tokens(copied: Copy, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["Otto", "Once upon a time there was a king", "Otto slept", "the sea", "Otto slept well and dreamed of it"]
    pipe = TextEmbeddingPipeline(encoder(copied()), pooling_type="mean")
    counts = sorted(map(len, Tokenizer(pipe._encoder.folder).rows(texts)))
    monkeypatch.setattr(embedding, "_TOKENS", 2 * counts[1])
    batches = [mask.shape for _, _, mask in pipe._encoder.in_batches(texts, None)]
    assert batches[0] == (2, counts[1])
    assert sum(rows for rows, _ in batches) == len(texts)
    assert all(rows == 1 or rows * columns <= 2 * counts[1] for rows, columns in batches)
    expected = np.stack([pipe.embed_query(text) for text in texts])
    np.testing.assert_allclose(pipe.embed_documents(texts), expected, rtol=1e-5, atol=1e-6)


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
    np.testing.assert_allclose(short.embed_query("Otto"), table()[first[0]], rtol=1e-6)


@pytest.mark.parametrize("count", [1, 2])
def test_scores_of_texts(copied: Copy, count: int) -> None:
    """The tokenizer of the example has one input, and a template of pairs that joins them."""
    folder = encoder(copied(), scores=count)
    rows = [np.concatenate(Tokenizer(folder).rows(["Who? ", text])) for text in TEXTS]
    sums = np.stack([table()[row].sum(axis=0) for row in rows])
    outputs = sums[:, 0] if count == 1 else sums[:, 1] - sums[:, 0]
    expected = 1 / (1 + np.exp(-outputs))
    reranker = TextRerankPipeline(folder, top_n=2)
    np.testing.assert_allclose(reranker.scores("Who? ", TEXTS), expected, rtol=1e-4)
    assert set(Tokenizer(folder).run_pairs(["a"], ["b"], None)) == {"input_ids", "attention_mask"}
    best = reranker.rerank("Who? ", TEXTS)
    assert [place for place, _ in best] == np.argsort(-expected)[:2].tolist()


def test_pairs_by_a_template() -> None:
    """Special tokens stand where the template has them; the longer text is cut first."""
    found = template({"processed_post_processor_template": json.dumps({"pair": PAIR})})
    assert found == ([7, -1, 8, -2, 8], [0, 0, 0, 1, 1])
    pairs = joined([np.arange(10, 14), np.array([1])], [np.arange(20, 22), np.array([2])], found, 7, 5)
    assert pairs["input_ids"].tolist() == [[7, 10, 11, 8, 20, 21, 8], [7, 1, 8, 2, 8, 5, 5]]
    assert pairs["attention_mask"].tolist() == [[1] * 7, [1] * 5 + [0] * 2]
    assert pairs["token_type_ids"].tolist() == [[0, 0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 0, 0]]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"pair": {"ids": [-1]}}', '{"pair": {"ids": [-1, -1]}}'])
def test_templates_that_are_none(text: str) -> None:
    assert template({"processed_post_processor_template": text}) is None
    assert template({}) is None


def test_texts_beyond_the_positions_are_cut(copied: Copy) -> None:
    folder = encoder(copied({"config.json": {"max_position_embeddings": 5}}))
    row = Tokenizer(folder).rows([TEXTS[2]])[0]
    assert len(row) > 5
    embedder = TextEmbeddingPipeline(folder, pooling_type="mean", normalize=False)
    with pytest.warns(GenerationWarning, match="1 of 3 texts has more than 5 tokens, the most of the model"):
        found = embedder.embed_documents(TEXTS)
    np.testing.assert_allclose(found[2], table()[row[:5]].mean(axis=0), rtol=1e-5)
    np.testing.assert_allclose(found[1], table()[Tokenizer(folder).rows(["Otto"])[0]].mean(axis=0), rtol=1e-5)


def test_positions_of_roberta_begin_behind_padding(copied: Copy) -> None:
    folder = encoder(copied({"config.json": ROBERTA}))
    row = Tokenizer(folder).rows([TEXTS[2]])[0]
    with pytest.warns(GenerationWarning, match="1 of 1 text has more than 5 tokens"):
        found = TextEmbeddingPipeline(folder, pooling_type="last_token", normalize=False).embed_query(TEXTS[2])
    np.testing.assert_allclose(found, table()[row[4]], rtol=1e-5)


def test_other_devices_are_refused(copied: Copy) -> None:
    folder = encoder(copied())
    for kind in (TextEmbeddingPipeline, TextRerankPipeline):
        with pytest.raises(GenerationError, match='there is no device "GPU", expected CPU'):
            kind(folder, "GPU")


def test_what_cannot_be_embedded(copied: Copy) -> None:
    with pytest.raises(GenerationError, match="has variables, as a model that generates text does"):
        TextEmbeddingPipeline(STORIES)
    folder = encoder(copied())
    with pytest.raises(GenerationError, match='pooling_type is "max", expected cls, mean or last_token'):
        TextEmbeddingPipeline(folder, pooling_type="max")
    with pytest.raises(GenerationError, match="there are no texts, expected one or more"):
        TextEmbeddingPipeline(folder).embed_documents([])
