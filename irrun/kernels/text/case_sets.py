"""The characters that simple case folding treats as equal."""

from __future__ import annotations

import functools
import sys
from collections.abc import Mapping

from irrun.kernels.text.normal_forms import folded

_ALIKE = {"\u1fd3": "\u0390", "\u1fe3": "\u03b0", "\ufb05": "\ufb06"}
"""Characters of which Unicode says that they fold alike, although their lower case differs."""


@functools.cache
def case_sets() -> Mapping[str, str]:
    """Return, for each character that has other cases, all of its cases."""
    alike: dict[str, list[str]] = {}
    for character in map(chr, range(sys.maxunicode + 1)):
        one = folded(character)
        if one != character:
            one = _ALIKE.get(one, one)
            alike.setdefault(one, [one]).append(character)
    for one, other in _ALIKE.items():
        alike.setdefault(other, [other]).append(one)
    return {item: "".join(found) for found in alike.values() for item in found}


def cases(character: str) -> str:
    """Return all cases of a character."""
    return case_sets().get(character, character)


def cases_between(first: str, last: str) -> str:
    """Return all cases of the characters from ``first`` to ``last`` that are outside of this range."""
    found = (text for item, text in case_sets().items() if first <= item <= last)
    return "".join(sorted({item for text in found for item in text if not first <= item <= last}))
