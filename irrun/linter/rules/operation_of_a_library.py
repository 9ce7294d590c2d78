from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from irrun.diagnostics import Anchor, Diagnostic, LayerRef, Severity
from irrun.document.places import layer_ref, path_notes
from irrun.document.rt_info import rt_info
from irrun.linter.context import Context
from irrun.linter.examples import NET
from irrun.linter.rule import Rule
from irrun.linter.scopes import by_type
from irrun.ops.extension import Extension

SHARPEN: Final = NET.replace('type="Clamp" version="opset1"', 'type="Sharpen" version="extension"')


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
    stage = "graph"
    good = (NET,)
    bad = (SHARPEN,)

    def check(self, context: Context) -> Iterator[Diagnostic]:
        for use in uses(context):
            if use.op.internal_to is not None:
                continue
            version = None if use.op.library is None else rt_info(context.document).get(f"{use.op.library}_version")
            unnamed = ", which the file does not name" if use.op.library is None else ""
            written = () if version is None else (f"the file was written with {use.op.library} {version}",)
            yield Diagnostic(
                self.code,
                f"{use.op.statement}{unnamed}",
                use.anchor,
                self.severity,
                use.layer,
                notes=(*written, *use.notes),
            )


class Use(NamedTuple):
    """An extension operation, with its first layer and a note about the others."""

    op: Extension
    anchor: Anchor
    layer: LayerRef
    notes: tuple[str, ...]


def uses(context: Context) -> Iterator[Use]:
    """Yield each extension operation of a file once."""
    for nodes in by_type(context).values():
        same: dict[str, list[Use]] = {}
        for node, scope in nodes:
            if isinstance(node.op, Extension) and node.layer is not None:
                anchor = Anchor(node.layer.element, "attribute", "type")
                use = Use(node.op, anchor, layer_ref(node.layer), path_notes(scope.path))
                same.setdefault(node.op.domain, []).append(use)
        for first, *others in same.values():
            more = f"{len(others)} more layer{'s are' if len(others) > 1 else ' is'} of this operation"
            yield first._replace(notes=(more, *first.notes) if others else first.notes)
