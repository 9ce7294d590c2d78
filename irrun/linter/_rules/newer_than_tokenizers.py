from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from irrun.diagnostics import Anchor, Diagnostic, Severity
from irrun.document.rt_info import rt_info
from irrun.linter.context import Context
from irrun.linter.rule import Rule
from irrun.linter.scopes import by_type
from irrun.ops.releases import release

_FIRST: Final = {
    "ByteFallback": "2024.3",
    "UTF8Validate": "2024.4",
    "CharsMapNormalization": "2024.5",
    "SpecialTokensSplit": "2024.5",
    "UnigramTokenizer": "2025.1",
    "Truncate": "2025.2",
    "NumericToString": "2026.2",
    "ContribStringJoin": "2026.3",
    "ContribStringSplit": "2026.3",
}
"""The first release of openvino_tokenizers that has an operation; 2024.2 has the others."""

_VERSIONS: Final = frozenset({"extension", "openvino_tokenizers"})


class NewerThanTokenizers(Rule):
    """A tokenizer needs a newer openvino_tokenizers than the release that the file or the user names.

    ## What it does
    With `--for genai`, compares `openvino_tokenizers_version` of `<rt_info>`, and the release of `--target-version`,
    with the first release of openvino_tokenizers that has each operation. Each operation is reported once.

    ## Why is this bad
    The library of that release does not know the operation: `Cannot create … layer … from unsupported opset`. A file
    that was edited, or assembled from others, names a release that cannot read it.

    ## Example
    A UnigramTokenizer, and `<openvino_tokenizers_version value="2024.5.0.0"/>`.

    ## Use instead
    A tokenizer that the target release has converted, or a newer release.
    """

    code = "IR706"
    name = "newer-than-tokenizers"
    severity = Severity.WARNING

    def check(self, context: Context) -> Iterator[Diagnostic]:
        named = _named(context) if "genai" in context.settings.purposes else None
        if named is None:
            return
        version, origin = named
        for type, first in _FIRST.items():
            found = [item for item in by_type(context).get(type, ()) if item.node.version in _VERSIONS]
            if found and release(first) > release(version):
                what = f"{type} is in openvino_tokenizers from {first} on, {origin} {version}"
                yield self.report(found[0], what, at=Anchor(found[0].layer.element, "value", "type"))


def _named(context: Context) -> tuple[str, str] | None:
    """Return the oldest release that is named, and who names it."""
    found = []
    written = re.match(r"(20\d\d)\.([0-9])(?!\d)", rt_info(context.document).get("openvino_tokenizers_version", ""))
    if written is not None:
        found.append((written[0], "<rt_info> names"))
    if context.settings.target_version is not None:
        found.append((context.settings.target_version, "the target is"))
    return min(found, key=lambda item: release(item[0]), default=None)
