"""Parts of texts as streamers get them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from irrun.generation import GenerationConfig, StreamingStatus, TextPipeline, TextStreamer
from irrun.generation.streaming import Window
from tests.generation.conftest import Copy

pytestmark = pytest.mark.bails_out("the program does not fit the shapes of the results of")
"""Lengths of texts are known only in the middle of a run of a tokenizer."""

BEGIN = " there was a clever mole named Mila."
STOPS = [(), (" named",), ("mole", "Mila"), ("a c", "le"), ("\ufffd", "qq")]


@settings(max_examples=15, deadline=None, derandomize=True)
@given(
    stop=st.sampled_from(STOPS),
    keeps=st.booleans(),
    echo=st.booleans(),
    most=st.integers(0, 24),
    seed=st.integers(0, 3),
    sample=st.booleans(),
    ends=st.integers(1, 12),
)
def test_parts_join_to_the_text(
    stories: TextPipeline, stop: tuple[str, ...], keeps: bool, echo: bool, most: int, seed: int, sample: bool, ends: int
) -> None:
    """For every option; the text is that without a streamer, and of what was generated as a whole."""
    config = GenerationConfig(max_new_tokens=most, stop_strings=set(stop), include_stop_str_in_output=keeps, echo=echo)
    config = config.updated(do_sample=sample, temperature=2.0, rng_seed=seed)
    parts: list[str] = []
    text = stories.generate("Once upon a", config, parts.append)
    assert "".join(parts) == text == stories.generate("Once upon a", config)
    cut: list[str] = []

    def take(part: str) -> StreamingStatus:
        cut.append(part)
        return StreamingStatus.STOP if len(cut) >= ends else StreamingStatus.RUNNING

    assert stories.generate("Once upon a", config, take) == "".join(cut)


def test_a_streamer_of_genai(stories: TextPipeline) -> None:
    parts: list[str] = []
    streamer = TextStreamer(stories.get_tokenizer(), parts.append)  # type: ignore[arg-type]
    assert stories.generate("Once upon a time", max_new_tokens=11, streamer=streamer) == "".join(parts) == BEGIN


def test_a_stop_string_that_is_kept(stories: TextPipeline) -> None:
    parts: list[str] = []
    given = {"stop_strings": {"mole"}, "include_stop_str_in_output": True, "streamer": parts.append}
    assert stories.generate("Once upon a time", **given) == "".join(parts) == " there was a clever mole"


def test_the_prompt_and_the_text_are_decoded_as_one(copied: Copy) -> None:
    """A detokenizer that drops the first space of a text, as that of Llama 2."""
    pipeline = TextPipeline(copied())
    tokenizer = pipeline.get_tokenizer()
    plain = tokenizer.text

    def dropping(ids: list[int], skip_special_tokens: bool = True) -> str:
        return plain(ids, skip_special_tokens).removeprefix(" ")

    tokenizer.text = dropping  # type: ignore[method-assign, assignment]
    tokenizer.source = lambda: Window(dropping)  # type: ignore[method-assign]
    parts: list[str] = []
    assert pipeline.generate("Once upon a time", max_new_tokens=11) == BEGIN.removeprefix(" ")
    assert pipeline.generate("Once upon a time", max_new_tokens=11, echo=True) == "Once upon a time" + BEGIN
    pipeline.generate("Once upon a time", max_new_tokens=11, echo=True, streamer=parts.append)
    assert "".join(parts) == "Once upon a time" + BEGIN
