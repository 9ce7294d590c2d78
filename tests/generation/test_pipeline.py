"""Text in, text out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import irrun
from irrun.generation import (
    GenerationConfig,
    GenerationError,
    GenerationFinishReason,
    PerfMetrics,
    StreamerBase,
    StreamingStatus,
    TextPipeline,
    TokenizedInputs,
)
from irrun.model import build, load
from tests.generation.conftest import STORIES, Copy

pytestmark = pytest.mark.bails_out("the program does not fit the shapes of the results of")
"""Lengths of texts are known only in the middle of a run of a tokenizer."""

BEGIN = " there was a clever mole named Mila."


def test_a_sentence(stories: TextPipeline) -> None:
    assert stories.generate("Once upon a time", max_new_tokens=11) == BEGIN
    assert stories("Once upon a time", {"max_new_tokens": 11}) == BEGIN
    assert stories.generate("Once upon a time", GenerationConfig(max_new_tokens=11)) == BEGIN


def test_a_whole_story_ends_by_itself(stories: TextPipeline) -> None:
    found = stories.generate(["Once upon a time"])
    assert found.finish_reasons == [GenerationFinishReason.STOP]
    assert found.texts[0].startswith(BEGIN)
    assert found.texts[0].endswith(".")
    assert str(found) == found.texts[0]


def test_tokens_are_those_of_inferences_of_the_whole_text(stories: TextPipeline) -> None:
    """The cache, the slice of the last position and the mask change nothing."""
    ids = stories.get_tokenizer().encode("There once was").input_ids
    compiled = build(load(STORIES / "openvino_model.xml"))
    expected: list[int] = []
    for _ in range(24):
        whole = np.concatenate([ids[0], expected]).astype(np.int64)[np.newaxis]
        size = whole.shape[1]
        given = {"input_ids": whole, "attention_mask": np.ones_like(whole), "position_ids": np.arange(size)[np.newaxis]}
        scores = compiled({**given, "beam_idx": np.zeros(1, np.int32)})["logits"]
        expected.append(int(scores[0, -1].argmax()))
    found = stories.generate(ids, max_new_tokens=24)
    assert found.tokens == [expected]


def test_ids_give_tokens(stories: TextPipeline) -> None:
    tokenizer = stories.get_tokenizer()
    given = tokenizer.encode(["Once upon a time", "Otto"])
    assert isinstance(given, TokenizedInputs)
    found = stories.generate(given, max_new_tokens=11)
    assert tokenizer.decode(found.tokens[0]) == BEGIN
    assert [len(row) for row in found.tokens] == [11, 11]
    alone = stories.generate(np.array(tokenizer.encode("Otto").input_ids[0]), max_new_tokens=11)
    assert alone.tokens == found.tokens[1:]


def test_several_prompts_give_the_texts_of_each_alone(stories: TextPipeline) -> None:
    prompts = ["Once upon a time", "There once was a brave", "Otto", "One cold day, far away from home, Ida"]
    found = stories.generate(prompts, max_new_tokens=50)
    assert found.texts == [stories.generate(prompt, max_new_tokens=50) for prompt in prompts]
    assert found.finish_reasons == [GenerationFinishReason.LENGTH] * 4


def test_texts_that_end_earlier_than_others(stories: TextPipeline) -> None:
    prompts = ["Once upon a time", "And whenever Leo saw the blue egg, he", "Otto slept well and dreamed of the"]
    found = stories.generate(prompts, max_new_tokens=110)
    assert [reason.name for reason in found.finish_reasons] == ["LENGTH", "STOP", "STOP"]
    assert found.texts == [stories.generate(prompt, max_new_tokens=110) for prompt in prompts]


def test_several_texts_of_each_prompt(stories: TextPipeline) -> None:
    given = {"do_sample": True, "rng_seed": 5, "max_new_tokens": 20}
    found = stories.generate(["Once upon a time", "Otto was"], num_return_sequences=3, **given)
    assert len(found.texts) == 6
    assert len(set(found.texts)) > 3
    again = stories.generate(["Once upon a time", "Otto was"], num_return_sequences=3, **given)
    assert found.texts == again.texts
    alone = stories.generate(["Once upon a time"], num_return_sequences=3, **given)
    assert alone.texts == found.texts[:3]


def test_beams_find_likelier_texts(stories: TextPipeline) -> None:
    greedy = stories.generate(["Once upon a time"], max_new_tokens=11, logprobs=1)
    found = stories.generate(["Once upon a time", "Otto"], max_new_tokens=11, num_beams=4, num_return_sequences=2)
    assert len(set(found.texts)) == 4
    assert found.scores[0] >= found.scores[1]
    assert 11 * found.scores[0] > greedy.scores[0]
    one = stories.generate(["Once upon a time"], max_new_tokens=11, num_beams=4)
    assert one.texts == found.texts[:1]


def test_the_score_of_beams_is_that_of_their_tokens(stories: TextPipeline) -> None:
    found = stories.generate(stories.get_tokenizer().encode("Otto").input_ids, max_new_tokens=8, num_beams=3)
    compiled = build(load(STORIES / "openvino_model.xml"))
    prompt = stories.get_tokenizer().encode("Otto").input_ids[0]
    whole = np.concatenate([prompt, found.tokens[0]]).astype(np.int64)[np.newaxis]
    given = {"input_ids": whole, "attention_mask": np.ones_like(whole)}
    positions = np.arange(whole.shape[1])[np.newaxis]
    scores = compiled({**given, "position_ids": positions, "beam_idx": np.zeros(1, np.int32)})["logits"][0]
    logs = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
    tokens = found.tokens[0]
    total = sum(logs[len(prompt) - 1 + place, token] for place, token in enumerate(tokens))
    assert found.scores[0] == pytest.approx(total / 8, abs=1e-4)


def test_stop_strings(stories: TextPipeline) -> None:
    assert stories.generate("Once upon a time", stop_strings={"mole"}) == " there was a clever "
    whole = stories.generate("Once upon a time", stop_strings={"mole"}, include_stop_str_in_output=True)
    assert whole == " there was a clever mole"
    parts: list[str] = []
    found = stories.generate(["Once upon a time"], streamer=parts.append, stop_strings={"Mila."}, max_new_tokens=50)
    assert "".join(parts) == found.texts[0] == " there was a clever mole named "
    assert found.finish_reasons == [GenerationFinishReason.STOP]


def test_limits_of_tokens(stories: TextPipeline) -> None:
    assert stories.generate("Once upon a time", max_new_tokens=0) == ""
    ids = stories.get_tokenizer().encode("Once upon a time").input_ids
    assert len(stories.generate(ids, max_length=ids.shape[1] + 3).tokens[0]) == 3
    found = stories.generate(ids, ignore_eos=True, max_new_tokens=170)
    assert len(found.tokens[0]) == 170


def test_the_last_position_ends_the_text(copied: Copy) -> None:
    pipeline = TextPipeline(copied({"config.json": {"max_position_embeddings": 20}}))
    ids = pipeline.get_tokenizer().encode("Once upon a time").input_ids
    found = pipeline.generate(ids)
    assert len(found.tokens[0]) == 20 - ids.shape[1]
    assert found.finish_reasons == [GenerationFinishReason.LENGTH]


def test_the_settings_of_the_folder(copied: Copy) -> None:
    pipeline = TextPipeline(copied({"generation_config.json": {"max_new_tokens": 11, "repetition_penalty": 1.0}}))
    assert pipeline.generate("Once upon a time") == BEGIN
    pipeline.set_generation_config(pipeline.get_generation_config().updated(max_new_tokens=3))
    assert pipeline.generate("Once upon a time") == " there was a"


def test_a_stream_is_the_text(stories: TextPipeline) -> None:
    parts: list[str] = []
    assert stories.generate("Once upon a time", streamer=parts.append, max_new_tokens=100) == "".join(parts)
    assert len(parts) > 80


def test_a_streamer_ends_the_text(stories: TextPipeline) -> None:
    parts: list[str] = []

    def take(part: str) -> StreamingStatus:
        parts.append(part)
        return StreamingStatus.STOP if len(parts) == 3 else StreamingStatus.RUNNING

    assert stories.generate("Once upon a time", streamer=take) == "".join(parts) == " there was a"
    assert stories.generate("Once upon a time", streamer=lambda _: True) == " there"


def test_a_streamer_of_tokens(stories: TextPipeline) -> None:
    class Streamer(StreamerBase):
        def __init__(self) -> None:
            self.tokens: list[int] = []
            self.has_ended = False

        def write(self, token: int) -> bool:
            self.tokens.append(token)
            return len(self.tokens) == 5

        def end(self) -> None:
            self.has_ended = True

    streamer = Streamer()
    found = stories.generate(stories.get_tokenizer().encode("Otto").input_ids, streamer=streamer)
    assert found.tokens == [streamer.tokens]
    assert (len(streamer.tokens), streamer.has_ended) == (5, True)


def test_echo_begins_with_the_prompt(stories: TextPipeline) -> None:
    parts: list[str] = []
    found = stories.generate("Once upon a time", echo=True, max_new_tokens=11, streamer=parts.append)
    assert found == "".join(parts) == "Once upon a time" + BEGIN


def test_measurements(copied: Copy) -> None:
    pipeline = TextPipeline(copied())
    count = pipeline.get_tokenizer().encode("Once upon a time").input_ids.size
    found = pipeline.generate(["Once upon a time"], max_new_tokens=11)
    metrics = found.perf_metrics
    assert (metrics.get_num_input_tokens(), metrics.get_num_cached_tokens()) == (count, 0)
    assert metrics.get_num_generated_tokens() == 11
    assert (len(metrics.steps), len(metrics.inferences), len(metrics.sampling)) == (10, 11, 11)
    assert 0 < metrics.get_inference_duration().mean < metrics.get_generate_duration().mean
    assert metrics.get_tokenization_duration().mean < metrics.get_ttft().mean < metrics.get_generate_duration().mean
    assert metrics.get_throughput().mean == pytest.approx(1000 / metrics.get_tpot().mean)
    assert metrics.get_chat_template_duration() == (-1.0, -1.0)
    assert metrics.get_load_time() > 0
    again = pipeline.generate(["Once upon a time"], max_new_tokens=11)
    assert again.texts == found.texts
    assert again.perf_metrics.get_num_input_tokens() == 1
    assert again.perf_metrics.get_num_cached_tokens() == count - 1


def test_figures_are_those_of_genai() -> None:
    """Steps of 115, 5 and 5 ms make 24 tokens per second; a step of two texts counts twice, with half of its time."""
    metrics = PerfMetrics(steps=[(0.115, 1), (0.005, 1), (0.005, 1)])
    assert metrics.get_tpot() == pytest.approx((125 / 3, 51.8545), rel=1e-4)
    assert metrics.get_throughput() == pytest.approx((24.0, 51.8545 * 1000 / (125 / 3) ** 2), rel=1e-4)
    two = PerfMetrics(steps=[(0.010, 2), (0.004, 1)], first=[0.2])
    assert two.get_tpot().mean == pytest.approx((5 + 5 + 4) / 3)
    assert (metrics + two).get_tpot().mean == pytest.approx((125 + 14) / 6)
    assert (metrics + two).get_ttft().mean == pytest.approx(200)
    assert PerfMetrics().get_throughput() == (-1.0, -1.0)


@pytest.mark.parametrize(
    ("inputs", "given", "message"),
    [
        ("", {}, "prompt 0 has no tokens, expected one or more"),
        (["Otto", ""], {}, "prompt 1 has no tokens, expected one or more"),
        ([], {}, "the inputs are list, expected a text, a list of texts, a conversation, or ids [texts,tokens]"),
        (7.5, {}, "the inputs are float, expected a text, a list of texts, a conversation, or ids [texts,tokens]"),
        (
            "Otto",
            {"generation_config": 3},
            "generation_config is 3, expected a GenerationConfig or a table of settings",
        ),
        ("a\ud800", {}, "text 0 has half of a surrogate pair, U+D800 at 1"),
        ("Otto", {"streamer": 3}, "the streamer is 3, expected a function of texts, or a StreamerBase"),
        (["a", "b"], {"streamer": print}, "a streamer gets one text, and there are 2 texts or several beams"),
        ([{"role": "user", "content": "hi"}], {}, f"{STORIES} has no chat template"),
    ],
)
def test_what_cannot_be_continued(
    stories: TextPipeline, inputs: object, given: dict[str, object], message: str
) -> None:
    with pytest.raises(GenerationError) as raised:
        stories.generate(inputs, **given)  # type: ignore[arg-type]
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("removed", "message"),
    [
        ("openvino_model.xml", "has no openvino_model.xml"),
        ("openvino_tokenizer.xml", "has no openvino_tokenizer.xml"),
    ],
)
def test_folders_without_a_file(copied: Copy, removed: str, message: str) -> None:
    folder = copied()
    (folder / removed).unlink()
    with pytest.raises(GenerationError) as raised:
        TextPipeline(folder)
    assert str(raised.value) == f"{folder} {message}"


def test_folders_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(GenerationError, match="there is no such folder"):
        TextPipeline(tmp_path / "none")
    with pytest.raises(GenerationError, match=r"is a file, expected the folder of openvino_model\.xml"):
        TextPipeline(STORIES / "openvino_model.xml")
    (tmp_path / "openvino_encoder_model.xml").write_text("<net/>")
    with pytest.raises(GenerationError, match=r"has openvino_encoder_model\.xml and no openvino_model\.xml"):
        TextPipeline(tmp_path)


def test_settings_that_are_no_table(copied: Copy) -> None:
    folder = copied(texts={"generation_config.json": "[1]"})
    with pytest.raises(GenerationError, match=r"generation_config\.json is not a JSON object"):
        TextPipeline(folder)
    (folder / "generation_config.json").write_text("{")
    with pytest.raises(GenerationError, match=r"generation_config\.json: not JSON"):
        TextPipeline(folder)


def test_a_model_of_other_inputs(copied: Copy) -> None:
    folder = copied()
    for suffix in ("xml", "bin"):
        (folder / f"openvino_model.{suffix}").write_bytes((folder / f"openvino_detokenizer.{suffix}").read_bytes())
    with pytest.raises(GenerationError, match=r"expected input_ids, attention_mask, position_ids, beam_idx or"):
        TextPipeline(folder)


def test_the_names_of_the_package() -> None:
    assert irrun.TextPipeline is TextPipeline
    assert irrun.GenerationConfig is GenerationConfig
    assert irrun.generation.TextPipeline is TextPipeline
