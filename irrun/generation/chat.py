"""The chat template of a folder, and the special tokens that it may name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from irrun.generation.folder import Folder

_TOKENS: Final = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")


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
