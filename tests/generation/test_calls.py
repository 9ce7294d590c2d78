"""Arguments of pipelines, prompts that do not fit the model, and what is kept between calls."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from irrun.generation import GenerationError, GenerationWarning, TextPipeline, Tokenizer
from tests.generation.conftest import STORIES, Copy

pytestmark = pytest.mark.bails_out("the program does not fit the shapes of the results of")
"""Lengths of texts are known only in the middle of a run of a tokenizer."""


def test_the_arguments_of_genai(copied: Copy) -> None:
    folder = copied()
    tokenizer = Tokenizer(folder)
    for arguments in ((tokenizer, "CPU"), (tokenizer,), ("CPU",), ("CPU", {"INFERENCE_NUM_THREADS": 1}), ()):
        pipeline = TextPipeline(folder, *arguments, ATTENTION_BACKEND="SDPA")
        assert (pipeline.get_tokenizer() is tokenizer) == (tokenizer in arguments)
    for wrong, message in (
        (("GPU",), 'there is no device "GPU", expected CPU'),
        ((5,), "an argument is 5, expected a Tokenizer or the name of a device or a table of settings"),
        (("CPU", tokenizer), "expected a table of settings"),
    ):
        with pytest.raises(GenerationError, match=message):
            TextPipeline(folder, *wrong)  # type: ignore[arg-type]
    with pytest.raises(GenerationError, match="ATTENTION_BACKEND is 'X', expected PA or SDPA"):
        TextPipeline(folder, ATTENTION_BACKEND="X")
    with pytest.raises(GenerationError, match="the name of a device is given twice"):
        TextPipeline(folder, "CPU", device="CPU")


def test_prompts_that_do_not_fit_the_model(copied: Copy) -> None:
    pipeline = TextPipeline(copied({"config.json": {"max_position_embeddings": 20}}))
    with pytest.raises(GenerationError, match="prompt 0 has 20 tokens, expected fewer than 20, the positions"):
        pipeline.generate(np.ones((1, 20), np.int64), max_new_tokens=3)
    assert len(pipeline.generate(np.ones((1, 15), np.int64), max_new_tokens=50, ignore_eos=True).tokens[0]) == 5
    for token in (640, -1):
        with pytest.raises(GenerationError, match=f"prompt 0 has the token {token}, expected 0 to 639, those of the"):
            pipeline.generate(np.array([[1, token]]))


def test_a_vocabulary_larger_than_the_embedding(copied: Copy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Tokenizer, "vocabulary_size", 700)
    with pytest.warns(GenerationWarning, match="the tokenizer has 700 tokens, and the model knows 640"):
        TextPipeline(copied())


def test_a_vocabulary_smaller_than_the_embedding(copied: Copy, monkeypatch: pytest.MonkeyPatch) -> None:
    pipeline = TextPipeline(copied())
    ids = pipeline.get_tokenizer().encode("Once upon a time", add_special_tokens=False).input_ids
    (tokens,) = pipeline.generate(ids, max_new_tokens=8, ignore_eos=True).tokens
    monkeypatch.setattr(pipeline.get_tokenizer(), "vocabulary_size", max(tokens))
    with pytest.warns(GenerationWarning, match=f"does not have, such as {max(tokens)}; the text is without them"):
        pipeline.generate("Once upon a time", max_new_tokens=8, ignore_eos=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pipeline.generate("Once upon a time", max_new_tokens=8, ignore_eos=True)


def test_a_common_begin_is_read_once(copied: Copy) -> None:
    """The next call reads what follows the begin that it has in common with a text of the last call."""
    pipeline, fresh = TextPipeline(copied()), TextPipeline(STORIES)
    prompts = ["Once upon a time there", "Once upon a hill", "Once", "Otto was a brave", "Once upon a time there was"]
    for number, prompt in enumerate(prompts * 2):
        given: dict[str, object] = {"max_new_tokens": 6}
        if number % 3 == 1:
            given |= {"num_beams": 3}
        if number % 3 == 2:
            given |= {"do_sample": True, "num_return_sequences": 3, "rng_seed": number}
        found = pipeline.generate([prompt], **given)
        fresh.finish_chat()
        alone = fresh.generate([prompt], **given)
        assert alone.perf_metrics.get_num_cached_tokens() == 0
        assert found.texts == alone.texts
    again = pipeline.generate([prompts[-1]], max_new_tokens=6).perf_metrics
    assert again.get_num_input_tokens() == 1
    both = pipeline.generate([prompts[0], prompts[3]], max_new_tokens=2).perf_metrics
    assert both.get_num_cached_tokens() == 0
