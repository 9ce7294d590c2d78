from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from irrun.diagnostics import Anchor, Diagnostic, Severity
from irrun.document.rt_info import rt_info
from irrun.linter.context import Context
from irrun.linter.rule import Rule
from irrun.linter.scopes import Placed, by_type
from irrun.ops.extension import Extension


class OperationOfALibrary(Rule):
    """The operation is not part of OpenVINO, but of a library.

    ## What it does
    Reports each operation whose version is not a numbered opset, once. For a well-known library, such as
    openvino_tokenizers, it names the library and its version from `<rt_info>`. The declared outputs of these layers are
    trusted; the rest of the file is checked as usual.

    ## Why is this bad
    OpenVINO reads the file only after `Core.add_extension` has loaded the library, and irrun cannot run it.

    ## Example
    `type="RegexSplit" version="extension"`

    ## Use instead
    Keep the operation where the library is available. Operations of the opsets run everywhere.
    """

    code = "IR314"
    name = "operation-of-a-library"
    opt_in = True
    severity = Severity.INFO

    def check(self, context: Context) -> Iterator[Diagnostic]:
        for use in uses(context):
            op = use.op
            if op.internal_to is None:
                version = None if op.library is None else rt_info(context.document).get(f"{op.library}_version")
                unnamed = ", which the file does not name" if op.library is None else ""
                written = () if version is None else (f"the file was written with {op.library} {version}",)
                yield self.report(use.first, f"{op.statement}{unnamed}", at=use.anchor, notes=(*written, *use.others))


class Use(NamedTuple):
    """An extension operation, with its first layer and a note about the others."""

    op: Extension
    first: Placed
    others: tuple[str, ...]

    @property
    def anchor(self) -> Anchor:
        return Anchor(self.first.layer.element, "attribute", "type")


def uses(context: Context) -> Iterator[Use]:
    """Yield each extension operation of a file once."""
    for nodes in by_type(context).values():
        same: dict[str, list[tuple[Extension, Placed]]] = {}
        for item in nodes:
            if isinstance(item.node.op, Extension):
                same.setdefault(item.node.op.domain, []).append((item.node.op, item))
        for (op, first), *others in same.values():
            more = f"{len(others)} more layer{'s are' if len(others) > 1 else ' is'} of this operation"
            yield Use(op, first, (more,) if others else ())
