"""Language models by their caches: in variables, as inputs and outputs, or none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import irrun as ov
from irrun.generation import GenerationError
from irrun.generation.anatomy import embedding_rows, variable_axes
from irrun.generation.language_model import LanguageModel
from irrun.generation.last_position import only_last_position
from irrun.model import Loaded, build, load
from irrun.tensor import Array
from tests.generation.conftest import STORIES

VOCABULARY, SIZE = 7, 4
OPS = ov.opset13


def table(rows: int, columns: int) -> Array:
    return np.random.default_rng(3).normal(size=(rows, columns)).astype(np.float32)


def saved(path: Path, cache: bool) -> Path:
    """Write a model whose scores depend on the sum of the vectors of all tokens so far."""
    ids = OPS.parameter([-1, -1], ov.Type.i64, name="input_ids")
    vectors = OPS.gather(OPS.constant(table(VOCABULARY, SIZE)), ids, OPS.constant(0, ov.Type.i64))
    inputs, results = [ids], []
    if cache:
        past = OPS.parameter([-1, -1, SIZE], ov.Type.f32, name="past_key_values.0.key")
        past.output(0).set_names({"past_key_values.0.key"})
        vectors = OPS.concat([past, vectors], axis=1)
        present = OPS.result(vectors, name="present.0.key")
        vectors.output(0).set_names({"present.0.key"})
        inputs, results = [ids, past], [present]
    total = OPS.reduce_sum(vectors, OPS.constant([1], ov.Type.i64), keep_dims=True)
    scores = OPS.matmul(OPS.tanh(total), OPS.constant(table(SIZE, VOCABULARY)), False, False)
    scores.output(0).set_names({"logits"})
    ids.output(0).set_names({"input_ids"})
    ov.save_model(ov.Model([OPS.result(scores), *results], inputs), path, compress_to_fp16=False)
    return path


def expected(ids: Array) -> Array:
    return np.tanh(table(VOCABULARY, SIZE)[ids].sum(axis=1)) @ table(SIZE, VOCABULARY)


@pytest.mark.parametrize("cache", [False, True])
def test_a_cache_of_inputs_and_none(tmp_path: Path, cache: bool) -> None:
    model = LanguageModel(saved(tmp_path / "model.xml", cache))
    assert model.has_cache == cache
    decoding = model.start()
    first = np.array([[1, 2, 3], [4, 5, 6]])
    np.testing.assert_allclose(decoding.run(first), expected(first), rtol=1e-5)
    second = np.concatenate([first, [[0], [2]]], axis=1)
    np.testing.assert_allclose(decoding.run(second[:, 3:]), expected(second), rtol=1e-5)
    rows = np.array([1, 1, 0])
    third = np.concatenate([second[rows], [[3], [4], [5]]], axis=1)
    np.testing.assert_allclose(decoding.run(third[:, 4:], rows=rows), expected(third), rtol=1e-5)


def test_rows_of_a_cache_in_variables() -> None:
    """Continuing rows of a batch gives what their tokens give in one inference."""
    model = LanguageModel(STORIES / "openvino_model.xml")
    chance = np.random.default_rng(1)
    first = chance.integers(1, 640, (3, 6))
    mask = np.array([[1] * 6, [0, 0, 1, 1, 1, 1], [0, 1, 1, 1, 1, 1]])
    decoding = model.start()
    decoding.run(first, mask)
    rows, new = np.array([2, 0, 2, 1]), chance.integers(1, 640, (4, 2))
    found = decoding.run(new, rows=rows)
    assert decoding.length == 8
    for place, row in enumerate(rows):
        alone = np.concatenate([first[row][mask[row] == 1], new[place]])[np.newaxis]
        np.testing.assert_allclose(found[place], model.start().run(alone)[0], atol=2e-4)


def sliced(model: Loaded) -> int:
    return sum(node.name == "last position" for node in model.graph.ordered())


def test_scores_of_the_last_position_only() -> None:
    whole = load(STORIES / "openvino_model.xml")
    short = only_last_position(whole)
    assert (sliced(whole), sliced(short)) == (0, 1)
    ids = np.arange(1, 9)[np.newaxis]
    given = {
        "input_ids": ids,
        "attention_mask": np.ones_like(ids),
        "position_ids": ids - 1,
        "beam_idx": np.zeros(1, int),
    }
    every, last = build(whole)(given)["logits"], build(short)(given)["logits"]
    assert (every.shape, last.shape) == ((1, 8, 640), (1, 1, 640))
    np.testing.assert_allclose(last[0, 0], every[0, -1], atol=1e-4)


def test_models_that_stay_as_they_are(tmp_path: Path) -> None:
    several = load(saved(tmp_path / "model.xml", True))
    assert only_last_position(several) is several
    detokenizer = load(STORIES / "openvino_detokenizer.xml")
    assert only_last_position(detokenizer) is detokenizer


def test_scores_of_another_rank(tmp_path: Path) -> None:
    ids = OPS.parameter([-1], ov.Type.i64, name="input_ids")
    ids.output(0).set_names({"input_ids"})
    path, scores = tmp_path / "model.xml", OPS.convert(ids, "f32")
    ov.save_model(ov.Model([OPS.result(scores)], [ids]), path)
    with pytest.raises(GenerationError, match="expected logits of a language model"):
        LanguageModel(path)
    scores.output(0).set_names({"logits"})
    ov.save_model(ov.Model([OPS.result(scores)], [ids]), path)
    with pytest.raises(GenerationError, match=r"expected \[texts,tokens,scores\]"):
        LanguageModel(path)


def replaced(path: Path, grows: bool) -> Path:
    """Write a model with a variable: the vectors of all tokens if it ``grows``, otherwise their sum."""
    ids = OPS.parameter([-1, -1], ov.Type.i64, name="input_ids")
    vectors = OPS.gather(OPS.constant(table(VOCABULARY, SIZE)), ids, OPS.constant(0, ov.Type.i64))
    shape = [1, -1, SIZE] if grows else [1, 1, SIZE]
    start = OPS.constant(np.zeros((1, 0 if grows else 1, SIZE), np.float32))
    past = OPS.read_value(start, "past", ov.Type.f32, ov.PartialShape(shape))
    whole = OPS.concat([past, vectors], axis=1)
    total = OPS.reduce_sum(whole, OPS.constant([1], ov.Type.i64), keep_dims=True)
    assign = OPS.assign(whole if grows else total, "past")
    scores = OPS.matmul(OPS.tanh(total), OPS.constant(table(SIZE, VOCABULARY)), False, False)
    scores.output(0).set_names({"logits"})
    ids.output(0).set_names({"input_ids"})
    ov.save_model(ov.Model([OPS.result(scores)], [assign], [ids]), path, compress_to_fp16=False)
    return path


def test_the_axes_of_variables_and_the_rows_of_the_embedding(tmp_path: Path) -> None:
    whole = load(STORIES / "openvino_model.xml")
    assert set(variable_axes(whole).values()) == {2}
    assert len(variable_axes(whole)) == 6
    assert embedding_rows(whole) == 640
    for grows, axis in ((True, 1), (False, None)):
        model = load(replaced(tmp_path / "model.xml", grows))
        assert variable_axes(model) == {"past": axis}
        assert embedding_rows(model) == VOCABULARY
    assert embedding_rows(load(STORIES / "openvino_detokenizer.xml")) is None


@pytest.mark.parametrize("kind", ["variable", "sum", "inputs", "none"])
def test_a_text_is_cut_to_a_common_begin(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "model.xml"
    is_variable = kind in ("variable", "sum")
    model = LanguageModel(replaced(path, kind == "variable") if is_variable else saved(path, kind == "inputs"))
    decoding = model.start()
    assert decoding.resume(np.array([1, 2, 3])) == 0
    decoding.run(np.array([[1, 2, 3, 4]]))
    longer, other = np.array([1, 2, 3, 4, 5, 6]), np.array([1, 2, 6, 6])
    known = decoding.resume(longer)
    assert known == (0 if kind == "none" else 4)
    if known:
        np.testing.assert_allclose(decoding.run(longer[np.newaxis, known:]), expected(longer[np.newaxis]), rtol=1e-5)
    known = decoding.resume(other)
    assert known == (2 if kind in ("variable", "inputs") else 0)
    if known:
        np.testing.assert_allclose(decoding.run(other[np.newaxis, known:]), expected(other[np.newaxis]), rtol=1e-5)
        assert decoding.resume(other) == 3
        np.testing.assert_allclose(decoding.run(other[np.newaxis, 3:]), expected(other[np.newaxis]), rtol=1e-5)
        assert decoding.resume(np.array([5, 5])) == 0


def test_the_text_with_the_longest_common_begin_is_kept() -> None:
    """Rows with padding are not: their positions differ."""
    model = LanguageModel(STORIES / "openvino_model.xml")
    decoding = model.start()
    decoding.run(np.array([[0, 5, 6, 7], [5, 6, 8, 9], [5, 7, 8, 9]]), np.array([[0, 1, 1, 1], [1] * 4, [1] * 4]))
    ids = np.array([5, 6, 8, 4, 3])
    assert decoding.resume(ids) == 3
    found = decoding.run(ids[np.newaxis, 3:])
    np.testing.assert_allclose(found, model.start().run(ids[np.newaxis]), atol=2e-4)
