"""Conversations and their templates."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np
import pytest

from irrun.generation import ChatHistory, GenerationError, TextPipeline, Tokenizer
from irrun.generation.language_model import Decoding
from irrun.generation.rendering import rendered
from tests.generation.conftest import Copy

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


def test_templates_have_the_functions_of_the_originals() -> None:
    assert rendered("{{ messages | tojson }}", USER, {}) == '[{"role": "user", "content": "Hello."}]'
    assert len(rendered("{{ strftime_now('%Y') }}", USER, {})) == 4
    assert rendered("{% for m in [1, 2, 3] %}{% if m == 2 %}{% break %}{% endif %}{{ m }}{% endfor %}", USER, {}) == "1"


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("{{ raise_exception('no system') }}", "the chat template refuses the conversation: no system"),
        ("{% if %}", "the chat template cannot be used in line 1: TemplateSyntaxError: "),
        ("{{ messages[0].content + 1 }}", "the chat template cannot be used in line 1: TypeError: "),
        ("{{ ''.__class__.__mro__ }}", "the chat template cannot be used in line 1: SecurityError: "),
        ("{{ messages.append(1) }}", "the chat template cannot be used in line 1: SecurityError: "),
        ("{% for i in range(10000000) %}x{% endfor %}", "the chat template cannot be used in line 1: OverflowError: "),
        ("x" * (1 << 21), "the chat template has 2,097,152 characters, expected at most 1,048,576"),
    ],
)
def test_templates_that_fail(template: str, message: str) -> None:
    with pytest.raises(GenerationError) as raised:
        rendered(template, USER, {})
    assert str(raised.value).startswith(message)


def test_without_jinja(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def refuse(name: str, *arguments: Any) -> Any:
        if name.startswith("jinja2"):
            raise ImportError(name)
        return real(name, *arguments)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(GenerationError, match=r"chat templates need Jinja: pip install '\.\[text\]'"):
        rendered("x", USER, {})


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
