from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from irrun.diagnostics import Anchor, Diagnostic, Severity
from irrun.document.rt_info import rt_info
from irrun.linter.context import Context
from irrun.linter.rule import Rule
from irrun.linter.scopes import Placed, by_type
from irrun.ops.extension import Origin, origin


class OperationOfALibrary(Rule):
    """The operation is not part of OpenVINO, but of a library.

    ## What it does
    Reports each operation whose version is not a numbered opset, once. For a well-known library, such as
    openvino_tokenizers, it names the library and its version from `<rt_info>`. Operations of openvino_tokenizers are
    checked like those of the opsets. The declared outputs of others are trusted; the rest of the file is checked as
    usual.

    ## Why is this bad
    OpenVINO reads the file only after `Core.add_extension` has loaded the library. irrun runs only the operations of
    openvino_tokenizers.

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
            found, library = use.origin, use.origin.library
            if found.internal_to is None:
                version = None if library is None else rt_info(context.document).get(f"{library}_version")
                unnamed = ", which the file does not name" if library is None else ""
                written = () if version is None else (f"the file was written with {library} {version}",)
                what = f"{found.statement}{unnamed}"
                yield self.report(use.first, what, at=use.anchor, notes=(*written, *use.others))


class Use(NamedTuple):
    """An operation that no opset has, with its first layer and a note about the others."""

    origin: Origin
    first: Placed
    others: tuple[str, ...]

    @property
    def anchor(self) -> Anchor:
        return Anchor(self.first.layer.element, "attribute", "type")


def uses(context: Context) -> Iterator[Use]:
    """Yield each operation of a file that no opset has once."""
    for nodes in by_type(context).values():
        same: dict[Origin, list[Placed]] = {}
        for item in nodes:
            found = origin(item.node.op)
            if found is not None:
                same.setdefault(found, []).append(item)
        for found, (first, *others) in same.items():
            more = f"{len(others)} more layer{'s are' if len(others) > 1 else ' is'} of this operation"
            yield Use(found, first, (more,) if others else ())
