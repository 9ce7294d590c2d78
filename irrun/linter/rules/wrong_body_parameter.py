from __future__ import annotations

from collections.abc import Iterator

from irrun.diagnostics import Anchor, Diagnostic
from irrun.graph.bind import layer_ref, path_notes
from irrun.linter.context import Context
from irrun.linter.declared import DeclaredPort, agrees, offending
from irrun.linter.examples import ITERATOR
from irrun.linter.rule import Rule
from irrun.ops.infrastructure.parameter import Parameter
from irrun.tensor import Fact


class WrongBodyParameter(Rule):
    """A Parameter of a body says that it takes something else than the layer gives it.

    ## What it does
    Compares `shape` and `element_type` of each Parameter in the body of a TensorIterator, a Loop or an If with what the
    port map gives it: the whole input, or a slice of it. A wrong `<dim>` or precision of its port is IR401 or IR403.

    ## Why is this bad
    OpenVINO ignores what the Parameter says and computes with what arrives. Most often the axis or the part size of
    the port map is not what its author thought, or the entry feeds another Parameter than meant.

    ## Example
    `<data shape="2,3" element_type="f32"/>` in a body that gets slices of f32[1,3].

    ## Use instead
    `shape="1,3"`, or `part_size="2" stride="2"` in the port map.
    """

    code = "IR407"
    name = "wrong-body-parameter"
    stage = "facts"
    good = (ITERATOR, ITERATOR.replace('shape="1,3"', 'shape="?,1..4"'))
    bad = (
        ITERATOR.replace('shape="1,3"', 'shape="2,3"'),
        ITERATOR.replace('shape="1,3"', 'shape="3"'),
        ITERATOR.replace('shape="1,3" element_type="f32"', 'shape="1,3" element_type="f16"'),
        ITERATOR.replace('shape="1,3" element_type="f32"', 'shape="1,4" element_type="i32"'),
    )

    def check(self, context: Context) -> Iterator[Diagnostic]:
        for item in context.outputs:
            op = item.facts.graph[item.outlet.node].op
            if not item.path or not isinstance(op, Parameter) or context.doubtful(layer_ref(item.layer)):
                continue
            local = context.made(item)
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
        return Diagnostic(
            self.code,
            f"{attribute} is {declared}, but {arrives} arrives by the port map",
            Anchor(item.layer.data_element, "value", attribute),
            self.severity,
            layer_ref(item.layer),
            declared=declared,
            inferred=arrives,
            notes=(f"the port map gives {item.fact}", *path_notes(item.path)),
        )


def _has_other_shape(op: Parameter, fact: Fact) -> bool:
    return not op.shape.compatible(fact.shape)


def _is_of_other_type(op: Parameter, fact: Fact) -> bool:
    return op.element_type.is_known and fact.type.is_known and op.element_type is not fact.type


def _is_said(item: DeclaredPort, attribute: str) -> bool:
    """Whether the port repeats the contradiction, which is then reported there."""
    if attribute == "shape":
        return offending(item.port, item.fact.shape) != ()
    return not agrees(item.port, item.fact.type)
