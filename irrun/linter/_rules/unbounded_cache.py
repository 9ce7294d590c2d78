from __future__ import annotations

from collections.abc import Iterator

from irrun.diagnostics import Diagnostic, Severity
from irrun.linter.caches import caches
from irrun.linter.context import Context
from irrun.linter.rule import Rule

_TOKENS = 32_768


class UnboundedCache(Rule):
    """The cache of a language model grows with each token, without a limit.

    ## What it does
    With `--for genai`, adds up what all variables that grow take for a token of one text. There is one finding, an
    info, at the first of them. It is a warning where one grows along an axis whose size is otherwise fixed in the file.

    ## Why is this bad
    This is normal in language models, but the file does not show how much memory a long conversation needs: that of
    a token, times the number of tokens and of texts at once. A cache beyond the declared shape of its variable fails.

    ## Example
    64 variables of 8 heads of 128 numbers of 16 bits: 128 KiB for each token, 4 GiB for 32,768.

    ## Use instead
    A limit of tokens, such as `max_new_tokens`; a smaller type of the cache, such as `KV_CACHE_PRECISION=u8`.
    """

    code = "IR704"
    name = "unbounded-cache"
    severity = Severity.INFO
    needs_sound = "file"

    def check(self, context: Context) -> Iterator[Diagnostic]:
        found = caches(context) if "genai" in context.settings.purposes else ()
        if not found:
            return
        each = sum(cache.elements * cache.type.bits for cache in found) // 8
        variables = "1 variable grows" if len(found) == 1 else f"{len(found)} variables grow"
        whole = f"{_size(each * _TOKENS)} for {_TOKENS:,}"
        yield self.report(found[0].item, f"{variables} without a limit, by {_size(each)} for each token: {whole}")
        for cache in found:
            shape = getattr(cache.item.node.op, "variable_shape", None)
            dims = None if shape is None else shape.dims
            if dims is not None and cache.axis < len(dims) and dims[cache.axis].is_static:
                size = dims[cache.axis]
                what = f"the variable has the size {size} along axis {cache.axis}, along which it grows, expected ?"
                yield self.report(cache.item, what, severity=Severity.WARNING)


def _size(count: int) -> str:
    """Return a number of bytes in the largest unit that leaves a number of 1 or more."""
    for unit, factor in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count >= factor:
            return f"{count / factor:.3g} {unit}"
    return f"{count} bytes"
