from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from irrun.diagnostics import Anchor, Diagnostic, Severity
from irrun.document.grammar import CHILDREN
from irrun.linter.context import Context
from irrun.linter.rule import Rule

_TEXT: Final = re.compile(rb">\s*+(?P<text>(?P<word>[\w-]++)[^<>]*+(?<=/)>)")
_TAGS: Final = frozenset().union(*CHILDREN.values())


class StrayText(Rule):
    """An element lacks its `<`, so that it is text.

    ## What it does
    Reports text between elements that begins with the name of an element and ends like a tag. Where the missing element
    is itself reported, there is no second finding.

    ## Why is this bad
    The file is well-formed, so that no parser complains, but the element is missing: the operation has the defaults of
    all attributes.

    ## Example
    `data auto_broadcast="none"/>` in a `<layer>`

    ## Use instead
    `<data auto_broadcast="none"/>`
    """

    code = "IR113"
    name = "stray-text"
    severity = Severity.WARNING
    needs_sound = "file"

    def check(self, context: Context) -> Iterator[Diagnostic]:
        data = context.document.data
        if data.count(b"<") == data.count(b">"):
            return
        for found in _TEXT.finditer(data):
            word = found["word"].decode()
            if word in _TAGS:
                anchor = Anchor(offset=found.start("text"), length=len(found["word"]))
                yield self.report(context.document.net, f'"{word}" is text here; <{word} was meant', at=anchor)
