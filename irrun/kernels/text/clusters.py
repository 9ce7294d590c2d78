r"""Extended grapheme clusters, as ``\X`` of PCRE2 finds them, written for the ``regex`` package.

They are those of Unicode's rules GB3 to GB13 (UAX 29) with these exceptions: conjuncts of Indic scripts are not joined
(rule GB9c), nothing extends a regional indicator, and no prepended character joins a pictograph.
"""

from __future__ import annotations

from typing import Final

_MARK: Final = r"\p{GCB=Extend}"
_JOINER: Final = r"\p{GCB=ZWJ}"
_AFTER: Final = rf"[{_MARK}{_JOINER}\p{{GCB=SpacingMark}}]*+"
_FLAG: Final = r"\p{GCB=Regional_Indicator}"
_PICTURE: Final = r"\p{Extended_Pictographic}"
_SYLLABLE: Final = r"(?:\p{GCB=L}*(?:\p{GCB=LV}\p{GCB=V}*|\p{GCB=LVT}|\p{GCB=V}+)\p{GCB=T}*|\p{GCB=L}+|\p{GCB=T}+)"
_ALONE: Final = r"\p{GCB=Control}\r\n"

_BEFORE: Final = r"\p{GCB=Prepend}"

CLUSTER: Final = (
    rf"(?>\r\n|[{_ALONE}]|{_PICTURE}(?:{_MARK}*+{_JOINER}{_PICTURE})*{_AFTER}"
    rf"|{_BEFORE}*+(?:{_FLAG}{{1,2}}+|{_SYLLABLE}{_AFTER}|[^{_ALONE}{_BEFORE}{_PICTURE}]{_AFTER})|{_BEFORE}++)"
)
"""A cluster; the first of several regional indicators is the first of a pair."""
