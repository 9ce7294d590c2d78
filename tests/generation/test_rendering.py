"""Rendering of chat templates."""

from __future__ import annotations

import builtins
import sys
from typing import Any

import pytest

from irrun.generation import GenerationError, rendering
from irrun.generation.rendering import rendered

USER = [{"role": "user", "content": "Hello."}]


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
        ("\n{{ 1 / 0 }}", "the chat template cannot be used in line 2: ZeroDivisionError: division by zero"),
        ("\n\n{% break %}", "the chat template cannot be used in line 3: SyntaxError: 'break' outside loop"),
        (
            "\n" + "{% for a in [1] %}" * 25 + "{% endfor %}" * 25,
            "the chat template cannot be used in line 2: SyntaxError: too many statically nested blocks",
        ),
        (
            "{% if 1 %}" * 120 + "{% endif %}" * 120,
            "the chat template cannot be used in line 1: IndentationError: too many levels of indentation",
        ),
        ("{{ cycler() }}", "the chat template cannot be used in line 1: RuntimeError: at least one item"),
        ("{{ 'abc' | truncate(-1) }}", "the chat template cannot be used in line 1: AssertionError: expected length"),
        ("{{ " + "(" * 5000 + " }}", "the chat template cannot be used in line 1: RecursionError: "),
        ("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "the chat template cannot be used in line 1: Recursion"),
        (
            "{{ 10 ** 100000000 }}",
            "the chat template cannot be used in line 1: OverflowError: an integer has",
        ),
        ("{{ cycler.__init__.__globals__ }}", "the chat template cannot be used in line 1: SecurityError: "),
        ("{% include 'x' %}", "the chat template cannot be used in line 1: TypeError: no loader"),
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
    with pytest.raises(GenerationError, match=r"chat templates need Jinja: pip install 'irrun\[text\]'"):
        rendered("x", USER, {})


@pytest.mark.parametrize(
    "template",
    [
        "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
        "{{ [1] | slice(1000000000) | list }}",
        "{{ lipsum(1000000) }}",
    ],
)
def test_the_time_of_rendering_is_bounded(template: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rendering, "_SECONDS", 0.1)
    before = sys.gettrace()
    with pytest.raises(GenerationError, match=r"cannot be used in line 1: rendering takes more than 0\.1 seconds"):
        rendered(template, USER, {})
    assert sys.gettrace() is before


@pytest.mark.skipif(sys.platform != "linux", reason="memory is bounded on Linux only")
@pytest.mark.parametrize(
    "template",
    [
        "{{ 'x' * 10 ** 12 }}",
        "{{ 'x'.rjust(100000000000) }}",
        "{{ '%1000000000000d' % 1 }}",
        "{{ {'a': 1} | tojson(indent=100000000000) }}",
    ],
)
def test_the_memory_of_rendering_is_bounded(template: str) -> None:
    import resource

    before = resource.getrlimit(resource.RLIMIT_AS)
    with pytest.raises(GenerationError, match="cannot be used in line 1: rendering takes more than 512 MiB"):
        rendered(template, USER, {})
    assert resource.getrlimit(resource.RLIMIT_AS) == before


def test_answers_that_are_marked_for_training() -> None:
    assert rendered("{% generation %}{{ messages[0].content }}{% endgeneration %}!", USER, {}) == "Hello.!"
