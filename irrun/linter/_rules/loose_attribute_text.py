from __future__ import annotations

from collections.abc import Iterator

from irrun.diagnostics import Anchor, Diagnostic, Fix, OpError, Severity
from irrun.linter.context import Context
from irrun.linter.rule import Rule
from irrun.linter.scopes import by_type
from irrun.ops.attributes import AttrSpec


class LooseAttributeText(Rule):
    """The text of an attribute can be read only by a lenient reader.

    ## What it does
    Reports numbers with a suffix or with blanks around them, fractions for integers, `1` and `True` for booleans, words
    in another case, and commas at the end of lists.

    ## Why is this bad
    OpenVINO and irrun accept these texts. Other readers may not.

    ## Example
    `<data min="0f" max="6.0f"/>` in a Clamp.

    ## Use instead
    `<data min="0" max="6"/>`
    """

    code = "IR316"
    name = "loose-attribute-text"
    opt_in = True
    severity = Severity.INFO

    def check(self, context: Context) -> Iterator[Diagnostic]:
        editor = context.editor
        for nodes in by_type(context).values():
            for item in nodes:
                node, layer = item.node, item.layer
                if node.op is None or layer.data_element is None:
                    continue
                for spec in node.op.spec.attributes:
                    plain = _plain(spec, layer.data.get(spec.name))
                    if plain is None:
                        continue
                    edits = editor.value(layer.data_element, spec.name, plain)
                    yield self.report(
                        item,
                        f'{spec.name}="{layer.data[spec.name]}" is read as {plain}',
                        at=Anchor(layer.data_element, "value", spec.name),
                        fix=Fix(f"write {plain}", edits) if edits else None,
                    )


def _plain(spec: AttrSpec, text: str | None) -> str | None:
    """Return the strict spelling of a text; None where it is strict already or unreadable."""
    if text is None or spec.is_plain(text):
        return None
    try:
        return spec.text(spec.parse(text))
    except OpError:
        return None
