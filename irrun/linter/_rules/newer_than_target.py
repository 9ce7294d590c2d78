from __future__ import annotations

from collections.abc import Iterator

from irrun.diagnostics import Anchor, Diagnostic, Severity
from irrun.linter.context import Context
from irrun.linter.rule import Rule
from irrun.linter.scopes import Placed, by_type
from irrun.model.needs import need_of_node
from irrun.ops.releases import IR_11, Need, release


class NewerThanTarget(Rule):
    """The file needs a newer OpenVINO than the target version.

    ## What it does
    With `--target-version`, compares that release with the first release that has the operation of each layer, and
    for IR version 11 with 2022.1, the first release that reads it. Some uses came later than their operation: an
    attention mask that is broadcast to the scores, a sink of attention, which older releases ignore, and an Einsum that
    broadcasts an axis. Each operation is reported once. Without a target version there are no findings.

    ## Why is this bad
    OpenVINO refuses the file with `Cannot create … layer … from unsupported opset`, and a server may exit without a
    message.

    ## Example
    A Gelu of opset7, and `--target-version 2021.1`.

    ## Use instead
    A file written by the target release, or a newer release.
    """

    code = "IR701"
    name = "newer-than-target"
    severity = Severity.ERROR

    def check(self, context: Context) -> Iterator[Diagnostic]:
        if context.settings.target_version is not None:
            yield from self._newer(context, release(context.settings.target_version))

    def _newer(self, context: Context, target: tuple[int, int]) -> Iterator[Diagnostic]:
        """Yield the findings about operations and formats that a release does not support."""
        named = ".".join(map(str, target))
        net = context.document.net
        if net.version == "11" and target < release(IR_11):
            what = f"IR version 11 can be read from OpenVINO {IR_11} on, the target is {named}"
            yield self.report(net, what, at=Anchor(net.element, "value", "version"))
        layers: dict[Need, list[Placed]] = {}
        for nodes in by_type(context).values():
            for item in nodes:
                need = None if item.node.op is None else need_of_node(item.node, item.scope.facts)
                if need is not None and release(need.release) > target:
                    layers.setdefault(need, []).append(item)
        for need, found in layers.items():
            more = len(found) - 1
            others = (f"{more} more layer{'s are' if more > 1 else ' is'} of this operation",) if more else ()
            yield self.report(
                found[0],
                f"{need.reason} is in OpenVINO from {need.release} on, the target is {named}",
                at=Anchor(found[0].layer.element, "value", "version"),
                notes=others,
            )
