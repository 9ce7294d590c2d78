"""Regular expressions, which the package ``regex`` runs."""

from __future__ import annotations

import functools
from typing import Any

from irrun.kernels.text.pcre import translated
from irrun.kernels.text.pcre_classes import InvalidPattern, UnsupportedPattern
from irrun.ops import OpError

_REWRITTEN = {
    r" ([\\.\\?\\!,])| ('[ms])| (') | ('[rv]e)| (n't)": r"(?| ([\\.\\?\\!,])| ('[ms])| (') | ('[rv]e)| (n't))",
    r"(^)(.)": r"(^)([\s\S])",
    r"(^)(.+)": r"(^)([\s\S])",
}
"""Patterns of old converters that OpenVINO replaces in normalizations."""


@functools.lru_cache(512)
def compiled(pattern: bytes) -> Any:
    """Return the compiled pattern; None where PCRE2 does not compile it, so that it matches nothing.

    OpError where ``regex`` is not installed, or where the pattern has what is not translated.
    """
    try:
        import regex
    except ImportError:
        raise OpError("regular expressions need the package regex: pip install '.[text]'") from None
    try:
        text = pattern.decode()
        return regex.compile(translated(text, _is_script))
    except UnsupportedPattern as error:
        raise OpError(f"the pattern {pattern.decode()!r} has {error}, which irrun does not support") from None
    except (InvalidPattern, UnicodeDecodeError, regex.error):
        return None


def normalizing(pattern: bytes) -> Any:
    """Return the compiled pattern of a normalization, as ``compiled``."""
    return compiled(_REWRITTEN.get(pattern.decode("utf-8", "replace"), "").encode() or pattern)


def splitting(pattern: bytes, behaviour: str) -> Any:
    """Return the compiled pattern of a split, as ``compiled``; ``contiguous`` joins matches in a row."""
    joins = behaviour == "contiguous" and not pattern.endswith(b"+")
    return compiled(b"(" + pattern + b")+" if joins else pattern)


@functools.cache
def _is_script(name: str) -> bool:
    import regex

    try:
        regex.compile(rf"\p{{Script={name}}}")
    except regex.error:
        return False
    return name.isalnum()
