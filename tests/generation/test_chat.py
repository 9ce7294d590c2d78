"""Conversations and their templates."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from irrun.generation import (
    ChatHistory,
    DecodedResults,
    GenerationError,
    GenerationFinishReason,
    StreamingStatus,
    TextPipeline,
    Tokenizer,
)
from irrun.generation.language_model import Decoding
from tests.generation.conftest import STORIES, Copy

pytestmark = pytest.mark.bails_out("the program does not fit the shapes of the results of")
"""Lengths of texts are known only in the middle of a run of a tokenizer."""

TEMPLATE = """
{%- for message in messages %}
{{- message.content + ' ' }}
{%- endfor %}
{%- if add_generation_prompt %}{{ 'Once' }}{% endif %}"""
USER = [{"role": "user", "content": "Hello."}]


def test_a_template_of_a_file(copied: Copy) -> None:
    tokenizer = Tokenizer(copied(texts={"chat_template.jinja": TEMPLATE}))
    assert tokenizer.apply_chat_template(USER) == "Hello. Once"
    assert tokenizer.apply_chat_template(USER, add_generation_prompt=False) == "Hello. "
    assert tokenizer.apply_chat_template(USER, chat_template="{{ messages | length }}{{ eos_token }}") == "1<|end|>"
    assert tokenizer.apply_chat_template(USER, chat_template="{{ date }}", extra_context={"date": "today"}) == "today"


@pytest.mark.parametrize(
    "files",
    [
        {"tokenizer_config.json": {"chat_template": TEMPLATE}},
        {"chat_template.json": {"chat_template": TEMPLATE}},
        {
            "tokenizer_config.json": {
                "chat_template": [{"name": "tools", "template": "x"}, {"name": "default", "template": TEMPLATE}]
            }
        },
    ],
)
def test_a_template_of_settings(copied: Copy, files: dict[str, Any]) -> None:
    assert Tokenizer(copied(files)).apply_chat_template(USER) == "Hello. Once"


def test_a_template_of_the_tokenizer(copied: Copy) -> None:
    folder = copied()
    path = folder / "openvino_tokenizer.xml"
    path.write_text(path.read_text().replace("<rt_info>", '<rt_info><chat_template value="{{ messages[0].role }}"/>'))
    assert Tokenizer(folder).apply_chat_template(USER) == "user"


def test_a_prompt_becomes_a_question(copied: Copy) -> None:
    pipeline = TextPipeline(copied(texts={"chat_template.jinja": TEMPLATE}))
    plain = {"max_new_tokens": 8, "apply_chat_template": False}
    expected = pipeline.generate("Hello. Once", **plain)
    assert pipeline.generate("Hello.", max_new_tokens=8) == expected
    assert pipeline.generate(USER, max_new_tokens=8).texts == [expected]
    assert pipeline.generate(ChatHistory(USER), max_new_tokens=8).texts == [expected]


def test_a_conversation_remembers(copied: Copy, monkeypatch: pytest.MonkeyPatch) -> None:
    pipeline = TextPipeline(copied(texts={"chat_template.jinja": TEMPLATE}))
    sizes: list[int] = []
    run = Decoding.run

    def counted(self: Decoding, ids: Any, *rest: Any, **named: Any) -> Any:
        sizes.append(ids.shape[1])
        return run(self, ids, *rest, **named)

    monkeypatch.setattr(Decoding, "run", counted)
    pipeline.start_chat("Stories:")
    first = pipeline.generate("Hello.", max_new_tokens=5)
    second = pipeline.generate("And then?", max_new_tokens=5)
    pipeline.finish_chat()
    whole = f"Stories: Hello. {first} And then? Once"
    assert second == pipeline.generate(whole, max_new_tokens=5, apply_chat_template=False)
    count = pipeline.get_tokenizer().encode(whole).input_ids.shape[1]
    assert sizes[-5] == count
    assert pipeline.generate("Hello.", max_new_tokens=5) != ""


def test_the_cache_of_a_conversation_is_continued(copied: Copy, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the new ids begin with those that the cache knows, only the others are computed."""
    template = "{% for message in messages %}{{ message.content }}{% endfor %}"
    pipeline = TextPipeline(copied(texts={"chat_template.jinja": template}))
    given: list[int] = []
    run = Decoding.run

    def counted(self: Decoding, ids: Any, *rest: Any, **named: Any) -> Any:
        given.append(ids.shape[1])
        return run(self, ids, *rest, **named)

    monkeypatch.setattr(Decoding, "run", counted)
    pipeline.start_chat()
    first = pipeline.generate("Once upon a time", max_new_tokens=4)
    before = len(given)
    second = pipeline.generate(" named Otto.", max_new_tokens=4)
    pipeline.finish_chat()
    new = pipeline.get_tokenizer().encode(" named Otto.").input_ids.shape[1]
    assert given[before] == new + 1
    whole = f"Once upon a time{first} named Otto."
    assert second == pipeline.generate(whole, max_new_tokens=4, apply_chat_template=False)


def test_an_interrupted_question_is_forgotten(copied: Copy) -> None:
    pipeline = TextPipeline(copied(texts={"chat_template.jinja": TEMPLATE}))

    def interrupt(_: str) -> None:
        raise KeyboardInterrupt

    pipeline.start_chat()
    with pytest.raises(KeyboardInterrupt):
        pipeline.generate("First.", streamer=interrupt)
    second = pipeline.generate("Hello.", max_new_tokens=5)
    pipeline.finish_chat()
    assert second == pipeline.generate("Hello. Once", max_new_tokens=5, apply_chat_template=False)


def test_conversations_have_one_question_at_a_time(copied: Copy) -> None:
    pipeline = TextPipeline(copied(texts={"chat_template.jinja": TEMPLATE}))
    pipeline.start_chat()
    with pytest.raises(GenerationError, match="2 prompts with 1 answers each are given in a conversation"):
        pipeline.generate(["a", "b"])
    with pytest.raises(GenerationError, match="the inputs are ndarray, expected the text of a question"):
        pipeline.generate(np.ones((1, 2), np.int64))


@pytest.mark.parametrize(("status", "count"), [(StreamingStatus.CANCEL, 0), (StreamingStatus.STOP, 2)])
def test_cancelled_questions_are_forgotten_and_stopped_ones_kept(
    copied: Copy, status: StreamingStatus, count: int
) -> None:
    pipeline = TextPipeline(copied(texts={"chat_template.jinja": TEMPLATE}))
    pipeline.start_chat()
    found = pipeline.generate(["First."], streamer=lambda _: status, max_new_tokens=9)
    assert found.finish_reasons == [GenerationFinishReason.NONE if count == 0 else GenerationFinishReason.STOP]
    assert pipeline._history is not None
    assert len(pipeline._history) == count
    before = "" if count == 0 else f"First. {found.texts[0]} "
    second = pipeline.generate("Hello.", max_new_tokens=5)
    assert second == pipeline_alone(pipeline, f"{before}Hello. Once")


def pipeline_alone(pipeline: TextPipeline, text: str) -> str:
    pipeline.finish_chat()
    return str(pipeline.generate(text, max_new_tokens=5, apply_chat_template=False))


TURNS = "{% for m in messages %}{{ '[' + m.role + '] ' + m.content "
TEMPLATES = {
    "as it is": TURNS + "}}{% endfor %}",
    "trimmed answers": TURNS + "| trim + '\\n' }}{% endfor %}{% if add_generation_prompt %}[assistant]{% endif %}",
    "ended turns": TURNS + "+ eos_token }}{% endfor %}{% if add_generation_prompt %}[assistant] {% endif %}",
    "without thoughts": TURNS + ".split('was')[-1] }}{% endfor %}",
    "last message first": "{{ messages[-1].content }}\n" + TURNS + "}}{% endfor %}",
}


@pytest.fixture(scope="module")
def talker() -> TextPipeline:
    return TextPipeline(STORIES)


@pytest.mark.parametrize(
    ("name", "is_history"),
    [
        ("as it is", False),
        ("trimmed answers", True),
        *[pytest.param(name, True, marks=pytest.mark.rest) for name in TEMPLATES if name != "trimmed answers"],
    ],
)
def test_conversations_of_ten_turns_read_what_is_new(
    talker: TextPipeline, stories: TextPipeline, name: str, is_history: bool
) -> None:
    """Each turn reads the ids behind the begin that it has in common with those before; answers are the same."""
    pipeline, fresh = talker, stories
    pipeline.finish_chat()
    tokenizer = pipeline.get_tokenizer()
    tokenizer.set_chat_template(TEMPLATES[name])
    history, known = ChatHistory(), np.zeros(0, np.int64)
    if not is_history:
        pipeline.start_chat()
    for turn in range(10):
        asked = f" Hi {turn} "
        history.append({"role": "user", "content": asked})
        ids = tokenizer.rows([tokenizer.apply_chat_template(history)], False)[0]
        found = pipeline.generate(history if is_history else [asked], max_new_tokens=3)
        size = min(len(known), len(ids))
        common = int(np.cumprod(known[:size] == ids[:size]).sum())
        expected = len(ids) - min(common, len(ids) - 1)
        assert found.perf_metrics.get_num_input_tokens() == expected
        assert found.perf_metrics.get_num_cached_tokens() == len(ids) - expected
        fresh.finish_chat()
        tokens = fresh.generate(ids, max_new_tokens=3).tokens[0]
        assert found.texts == [tokenizer.decode(tokens)]
        known = np.concatenate([ids, tokens[:-1]])
        history.append({"role": "assistant", "content": found.texts[0]})


def test_histories_have_tools_and_variables(copied: Copy) -> None:
    template = "{{ messages | length }}{{ tools | tojson }}{{ thinking }}{{ add_generation_prompt }}"
    tokenizer = Tokenizer(copied(texts={"chat_template.jinja": template}))
    history = ChatHistory(USER)
    assert tokenizer.apply_chat_template(history) == "1nullTrue"
    history.set_tools([{"name": "clock"}])
    history.set_extra_context({"thinking": "no"})
    assert tokenizer.apply_chat_template(history, False) == '1[{"name": "clock"}]noFalse'
    assert tokenizer.apply_chat_template(history, tools=[], extra_context={}) == "1[]True"
    assert (history.get_tools(), history.get_extra_context()) == ([{"name": "clock"}], {"thinking": "no"})


def test_a_history_is_a_list_of_messages() -> None:
    history = ChatHistory(USER)
    history.append({"role": "assistant", "content": "Hi."})
    assert (len(history), history[1]["content"], bool(history)) == (2, "Hi.", True)
    assert [message["role"] for message in history] == ["user", "assistant"]
    history[0]["content"] = "changed"
    history.get_messages()[0]["content"] = "changed"
    assert history.pop() == {"role": "assistant", "content": "Hi."}
    assert history.get_messages() == USER
    history.clear()
    assert not history
    with pytest.raises(GenerationError, match="the conversation has no messages, expected one to remove"):
        history.pop()
    with pytest.raises(GenerationError, match="a message is 'hi', expected a mapping"):
        history.append("hi")  # type: ignore[arg-type]


def test_a_conversation_has_results(copied: Copy) -> None:
    pipeline = TextPipeline(copied(texts={"chat_template.jinja": TEMPLATE}))
    found = pipeline.generate(ChatHistory(USER), max_new_tokens=3)
    assert isinstance(found, DecodedResults)
    assert len(found.texts) == 1
    assert found.perf_metrics.get_chat_template_duration().mean > 0
    with pytest.raises(GenerationError, match="the conversation has no messages, expected one or more"):
        pipeline.generate(ChatHistory())
    with pytest.raises(GenerationError, match="apply_chat_template is False, expected True for a conversation"):
        pipeline.generate(ChatHistory(USER), apply_chat_template=False)


def test_a_template_that_is_set(copied: Copy) -> None:
    tokenizer = Tokenizer(copied(texts={"chat_template.jinja": TEMPLATE}))
    tokenizer.set_chat_template("{{ messages | length }}")
    assert tokenizer.apply_chat_template(USER) == "1"
    assert (tokenizer.chat_template, tokenizer.get_original_chat_template()) == ("{{ messages | length }}", TEMPLATE)
    tokenizer.chat_template = "x"
    assert tokenizer.apply_chat_template(USER) == "x"
