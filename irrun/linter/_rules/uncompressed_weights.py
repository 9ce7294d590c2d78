from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from irrun.diagnostics import Diagnostic, Severity
from irrun.linter.context import Context
from irrun.linter.rule import Rule
from irrun.linter.scopes import by_type

_NAMED: Final = re.compile(
    r"(?<![a-z0-9])(?:(?P<four>w4a16|w4a8|int4|u4|i4|nf4|fp4|mxfp4|nvfp4|q4|4bit|4-bit|gptq|awq)"
    r"|(?P<eight>w8a16|w8a8|int8|u8|i8|fp8|f8|q8|8bit|8-bit))(?![0-9a-z])"
)
_LARGE: Final = 4096
"""The least number of elements of a tensor that is compressed."""


class UncompressedWeights(Rule):
    """The name of the model says that its weights have few bits, but most of them have 16 or more.

    ## What it does
    With `--for genai`, looks for words such as `int8`, `int4`, `nf4` and `awq` in the name of the model, of its file
    and of its folder, and counts the elements of large constants by type. Weights of 8 bits are accepted for each of
    the words, since embeddings have them in models of 4 bits.

    ## Why is this bad
    The model takes two to eight times the memory that its name promises, and a token takes as long as reading it.
    Exporters do not compress weights where a layer is ignored, where the calibration failed, or where a type is not
    supported.

    ## Example
    `tiny-llama-int4-ov/openvino_model.xml` with weights in f16.

    ## Use instead
    An export with `--weight-format int4`, or `nncf.compress_weights`.
    """

    code = "IR707"
    name = "uncompressed-weights"
    severity = Severity.WARNING
    needs_sound = "file"

    def check(self, context: Context) -> Iterator[Diagnostic]:
        word = _word(context) if "genai" in context.settings.purposes else None
        if word is None:
            return
        counts = _counts(context)
        whole = sum(counts.values())
        wide = {name: count for (name, bits), count in counts.items() if bits >= 16}
        if whole and 2 * sum(wide.values()) > whole:
            name, most = max(wide.items(), key=lambda item: item[1])
            share = f"{most / whole:.0%} of the elements of large constants are {name}"
            yield self.report(context.document.net, f'{share}, expected 8 bits or fewer of a model called "{word}"')


def _word(context: Context) -> str | None:
    """Return the name that promises few bits: of the model, of its file, or of its folder."""
    path = context.document.path
    names = [context.document.net.name]
    if path is not None:
        names += [Path(path).stem, Path(path).absolute().parent.name]
    return next((name for name in names if _NAMED.search(name.lower().replace("_", "-"))), None)


def _counts(context: Context) -> Mapping[tuple[str, int], int]:
    """Return the number of elements of large constants by the name and the bits of their type."""
    found: dict[tuple[str, int], int] = {}
    for item in by_type(context).get("Const", ()):
        type, shape = getattr(item.node.op, "element_type", None), getattr(item.node.op, "shape", None)
        if type is None or shape is None or not shape.is_static or not (type.is_float or type.bits <= 8):
            continue
        count = shape.size.lo
        if count >= _LARGE and len(shape) > 1:
            found[type.name, type.bits] = found.get((type.name, type.bits), 0) + count
    return found
