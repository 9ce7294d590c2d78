from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from irrun.diagnostics import Anchor, Diagnostic, Severity
from irrun.document.places import layer_ref, path_notes
from irrun.document.records import LayerElement
from irrun.linter.context import Context
from irrun.linter.examples import NET
from irrun.linter.rule import Rule
from irrun.linter.scopes import by_type
from irrun.ops.releases import FIRST, IR_11, number, release

_GELU = NET.replace('type="Clamp" version="opset1"', 'type="Gelu" version="opset7"').replace(
    '<data min="0" max="6"/>', '<data approximation_mode="ERF"/>'
)


class NewerThanTarget(Rule):
    """The file needs a newer OpenVINO than the target version.

    ## What it does
    With `--target-version`, compares that release with the first release that has each layer's opset, and for IR
    version 11 with 2022.1, the first release that reads it. Each operation is reported once. Without a target version
    there are no findings.

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
    stage = "graph"
    target_version: ClassVar[str | None] = "2021.1"
    good = (NET.replace('version="11"', 'version="10"'),)
    bad = (_GELU.replace('version="11"', 'version="10"'), NET)

    def check(self, context: Context) -> Iterator[Diagnostic]:
        if context.target_version is not None:
            yield from newer(context, release(context.target_version))


def newer(context: Context, target: tuple[int, int]) -> Iterator[Diagnostic]:
    """Yield the findings about operations and formats that a release does not support."""
    named = ".".join(map(str, target))
    net = context.document.net
    if net.version == "11" and target < release(IR_11):
        what = f"IR version 11 can be read from OpenVINO {IR_11} on, the target is {named}"
        yield Diagnostic("IR701", what, Anchor(net.element, "value", "version"))
    layers: dict[tuple[str, str], list[tuple[LayerElement, tuple[str, ...]]]] = {}
    for nodes in by_type(context).values():
        for node, scope in nodes:
            if node.layer is not None and node.op is not None:
                layers.setdefault((node.type, node.version), []).append((node.layer, scope.path))
    for (type, version), found in layers.items():
        first = FIRST.get(number(version) or 0)
        if first is None or release(first) <= target:
            continue
        layer, path = found[0]
        more = len(found) - 1
        others = (f"{more} more layer{'s are' if more > 1 else ' is'} of this operation",) if more else ()
        yield Diagnostic(
            "IR701",
            f"{type} of {version} is in OpenVINO from {first} on, the target is {named}",
            Anchor(layer.element, "value", "version"),
            layer=layer_ref(layer),
            notes=(*others, *path_notes(path)),
        )
