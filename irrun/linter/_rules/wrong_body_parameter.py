from __future__ import annotations

from collections.abc import Iterator

from irrun.diagnostics import Anchor, Diagnostic
from irrun.document.places import layer_ref
from irrun.linter.context import Context
from irrun.linter.declared import DeclaredPort, agrees, offending
from irrun.linter.rule import Rule
from irrun.ops._declared.infrastructure.parameter import Parameter
from irrun.tensor import Fact


class WrongBodyParameter(Rule):
    """A Parameter of a body declares another type or shape than its input has.

    ## What it does
    Compares `shape` and `element_type` of each Parameter in the body of a TensorIterator, a Loop or an If with its
    input by the port map: the whole input of the layer, or a slice of it. A wrong `<dim>` or precision of the port is
    IR401 or IR403.

    ## Why is this bad
    OpenVINO ignores the declaration and computes with the actual input, except for the type in a TensorIterator, to
    which it silently converts the input. Usually the axis or the part size in the port map is wrong, or the entry names
    the wrong Parameter.

    ## Example
    `<data shape="2,3" element_type="f32"/>` in a body whose input is slices of f32[1,3].

    ## Use instead
    `shape="1,3"`, or `part_size="2" stride="2"` in the port map.
    """

    code = "IR407"
    name = "wrong-body-parameter"

    def check(self, context: Context) -> Iterator[Diagnostic]:
        for item in context.outputs:
            op = item.facts.graph.node(item.outlet.node).op
            if not item.path or not isinstance(op, Parameter) or context.doubtful(layer_ref(item.layer)):
                continue
            local = context.output_by_declaration(item)
            for attribute, differs in (("shape", _has_other_shape), ("element_type", _is_of_other_type)):
                if differs(op, item.fact) and (local is None or differs(op, local)) and not _is_said(item, attribute):
                    yield self._finding(item, op, attribute)
                    break

    def _finding(self, item: DeclaredPort, op: Parameter, attribute: str) -> Diagnostic:
        declared, arrives = (
            (str(op.shape), str(item.fact.shape))
            if attribute == "shape"
            else (str(op.element_type), str(item.fact.type))
        )
        return self.report(
            item,
            f"{attribute} is {declared}, but {arrives} arrives by the port map",
            at=Anchor(item.layer.data_element, "value", attribute),
            declared=declared,
            inferred=arrives,
            notes=(f"the port map gives {item.fact}",),
        )


def _has_other_shape(op: Parameter, fact: Fact) -> bool:
    return not op.shape.compatible(fact.shape)


def _is_of_other_type(op: Parameter, fact: Fact) -> bool:
    return op.element_type.is_known and fact.type.is_known and op.element_type is not fact.type


def _is_said(item: DeclaredPort, attribute: str) -> bool:
    """Return whether the port declares the same contradiction, which is then reported there."""
    if attribute == "shape":
        return offending(item.port, item.fact.shape) != ()
    return not agrees(item.port, item.fact.type)
