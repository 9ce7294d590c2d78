"""Chat templates: a conversation as one text, by Jinja in a sandbox."""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, NoReturn

from irrun.diagnostics.installing import install
from irrun.generation.errors import GenerationError
from irrun.generation.folder import Folder

_TOKENS: Final = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")
_FAULTS: Final = (TypeError, ValueError, ArithmeticError, LookupError, AttributeError, RecursionError)
"""What the expressions of a template may raise."""

_LONGEST: Final = 1 << 20
"""The limit on characters of a template."""


def template(folder: Folder, settings: Mapping[str, Any], info: Mapping[str, str]) -> str:
    """Return the chat template of a folder; empty where there is none.

    It is in ``chat_template.jinja``, in ``tokenizer_config.json``, in ``chat_template.json``, or in the ``rt_info`` of
    the tokenizer, which are looked at in this order. Of several with names, the one called ``default`` is taken.
    """
    found = folder.text("chat_template.jinja")
    if found is None:
        found = _one(settings.get("chat_template"))
    if found is None:
        found = _one(folder.json("chat_template.json").get("chat_template"))
    return found if found is not None else info.get("chat_template", info.get("simplified_chat_template", ""))


def _one(given: Any) -> str | None:
    """Return a template, or the default one of a list of templates with names."""
    if isinstance(given, list):
        named = {str(item.get("name")): item.get("template") for item in given if isinstance(item, dict)}
        given = named.get("default", next(iter(named.values()), None))
    return given if isinstance(given, str) else None


def special_tokens(folder: Folder, settings: Mapping[str, Any]) -> dict[str, str]:
    """Return the special tokens that templates may name."""
    known = {**folder.json("special_tokens_map.json"), **{key: value for key, value in settings.items() if value}}
    found = {}
    for name in _TOKENS:
        token = known.get(name)
        token = token.get("content") if isinstance(token, dict) else token
        if isinstance(token, str):
            found[name] = token
    return found


def rendered(text: str, messages: Sequence[Mapping[str, Any]], words: Mapping[str, Any]) -> str:
    """Return a conversation by a template; GenerationError where the template fails or refuses it."""
    try:
        from jinja2 import TemplateError
        from jinja2.ext import loopcontrols
        from jinja2.sandbox import ImmutableSandboxedEnvironment
    except ImportError:
        raise GenerationError(f"chat templates need Jinja: {install('text')}") from None
    if len(text) > _LONGEST:
        raise GenerationError(f"the chat template has {len(text):,} characters, expected at most {_LONGEST:,}")
    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols])
    environment.filters["tojson"] = _as_json
    environment.globals["raise_exception"] = _refuse
    environment.globals["strftime_now"] = _now
    try:
        return environment.from_string(text).render(messages=list(messages), **words)
    except _Refused as error:
        raise GenerationError(f"the chat template refuses the conversation: {error}") from None
    except (TemplateError, *_FAULTS) as error:
        raise GenerationError(f"the chat template cannot be used: {type(error).__name__}: {error}") from None


class _Refused(Exception):
    """A template raised an exception of its own."""


def _refuse(message: str) -> NoReturn:
    raise _Refused(message)


def _now(format: str) -> str:
    return datetime.datetime.now().strftime(format)


def _as_json(
    value: Any,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)
