"""Corrections of ports: those that are right, unknown, or without another end get no edit."""

from __future__ import annotations

import dataclasses

import pytest

from irrun.diagnostics import Anchor, Diagnostic, Edit, Suggestion
from irrun.document import read
from irrun.document.writer import Writer
from irrun.graph import Graph, bind
from irrun.inference import Facts, infer
from irrun.linter._rules.missing_precision import MissingPrecision
from irrun.linter._rules.unreadable_dim import UnreadableDim
from irrun.linter._rules.unreadable_precision import UnreadablePrecision
from irrun.linter._rules.wrong_input_dims import WrongInputDims
from irrun.linter._rules.wrong_output_dims import WrongOutputDims
from irrun.linter._rules.wrong_precision import WrongPrecision
from irrun.linter.check import lint
from irrun.linter.context import Context
from irrun.linter.corrections import corrected_dims, corrected_precision, declared_at, sizes
from irrun.linter.rule import Rule
from irrun.tensor import Dim, Fact, Shape
from irrun.tensor.element_type import F32, I64
from tests.linter.growing import chain, joined
from tests.linter.models import ITERATOR, NET


def context(text: str) -> Context:
    document = read(text.encode())
    bound = bind(document)
    return Context(document, bound, infer(bound.graph, document.weights), {})


def contents(edits: tuple[Edit, ...]) -> list[str]:
    return [edit.content for edit in edits]


def test_an_unknown_precision_has_no_correction() -> None:
    net = context(NET)
    assert corrected_precision(net.outputs[0]._replace(fact=Fact.unknown()), net) is None


def test_a_precision_is_corrected_in_every_port_downstream() -> None:
    net = context(NET.replace('"f32"', '"f16"'))
    fix = corrected_precision(net.outputs[0], net)
    assert fix is not None
    assert fix.message == "write FP16, and fix 3 more ports"
    assert contents(fix.edits) == ["FP16"] * 4


def test_a_precision_is_written_in_the_spelling_of_the_port() -> None:
    net = context(NET.replace('"f32"', '"f16"').replace('precision="FP32"', 'precision="f32"', 2))
    fix = corrected_precision(net.outputs[0], net)
    assert fix is not None
    assert contents(fix.edits) == ["f16", "f16", "FP16", "FP16"]


def test_a_correction_inside_a_body_reaches_the_layers_behind_it() -> None:
    net = context(ITERATOR.replace('"f32"', '"f16"'))
    places = {item.layer.name: item for item in net.outputs}
    messages = {name: fix.message for name, item in places.items() if (fix := corrected_precision(item, net))}
    assert messages == {
        "x": "write FP16, and fix 9 more ports",
        "steps": "write FP16, and fix 7 more ports",
        "row": "write FP16, and fix 5 more ports",
        "sum": "write FP16, and fix 5 more ports",
        "add": "write FP16, and fix 3 more ports",
    }


@pytest.mark.parametrize(("right", "more"), [(0, "3 more ports"), (1, "2 more ports"), (2, "1 more port")])
def test_the_number_of_dependent_ports(right: int, more: str) -> None:
    ports = NET.split('precision="FP32"')
    text = 'precision="FP32"'.join(ports[: 5 - right])
    text = 'precision="FP16"'.join([text, *ports[5 - right :]])
    net = context(text.replace('"f32"', '"f16"'))
    fix = corrected_precision(net.outputs[0], net)
    assert fix is not None
    assert fix.message == f"write FP16, and fix {more}"


def test_a_layer_that_many_paths_lead_to_is_corrected_once() -> None:
    ir = Writer("net")
    x = ir.parameter("x", F32, Shape([2]))
    for _ in range(100):
        (x,) = ir.layer("Add", "opset1", [x, x], [Fact(F32, Shape([2]))])
    ir.result(x)
    net = context(ir.text.replace('element_type="f32"', 'element_type="f16"'))
    fix = corrected_precision(net.outputs[0], net)
    assert fix is not None
    assert fix.message == "write FP16, and fix 301 more ports"
    assert len(fix.edits) == 302


def test_ports_are_found_by_their_elements() -> None:
    net = context(NET)
    for item in (*net.outputs, *net.inputs):
        for element in (item.port.element, *item.port.dim_elements):
            assert declared_at(Diagnostic("IR401", "wrong", Anchor(element)), net) is item
    assert declared_at(Diagnostic("IR401", "wrong", Anchor(0)), net) is None
    assert declared_at(Diagnostic("IR401", "wrong", Anchor(offset=3)), net) is None


def test_sizes_that_are_not_known_are_those_of_the_other_end() -> None:
    net = context(NET.replace("<dim>2</dim><dim>3</dim>", "<dim>3</dim>", 1))
    assert contents(sizes(net.outputs[0], Shape([Dim(), 3]), net)) == ["<dim>2</dim>"]
    net = context(NET.replace("<dim>2</dim>", "", 2))
    assert contents(sizes(net.outputs[0], Shape([Dim(), 3]), net)) == ["<dim>-1</dim>"]


@pytest.mark.parametrize("shape", [Shape([2, 3]), Shape.unknown()])
def test_dims_that_are_right_have_no_correction(shape: Shape) -> None:
    net = context(NET)
    assert corrected_dims(net.outputs[0], shape, net) is None


def in_graph(facts: Facts, graph: Graph) -> Facts:
    """Return the same facts about another graph."""
    return Facts(graph, facts.of, facts.bodies, facts.diagnostics)


def test_the_input_of_a_node_that_is_in_no_file() -> None:
    net = context(NET)
    item = net.inputs[0]
    graph = item.facts.graph
    bare = graph.with_nodes([node._replace(layer=None) for node in graph.ordered()])
    alone = item._replace(facts=in_graph(item.facts, bare))
    assert contents(sizes(alone, Shape([5, 3]), net)) == ["5"]


def test_a_node_that_is_in_no_file_between_two_ports() -> None:
    net = context(NET.replace('shape="2,3"', 'shape="5,3"'))
    graph = net.facts.graph
    bare = graph.with_nodes([graph.node(1)._replace(layer=None)])
    net = dataclasses.replace(net, facts=in_graph(net.facts, bare))
    fix = corrected_dims(net.outputs[0], Shape([5, 3]), net)
    assert fix is not None
    assert contents(fix.edits) == ["5"]


def test_a_body_that_was_not_inferred() -> None:
    found = context(ITERATOR.replace('shape="4,3"', 'shape="5,3"', 1))
    facts = found.facts
    bare = dataclasses.replace(found, facts=Facts(facts.graph, facts.of, {}, ()))
    (item,) = [item for item in bare.outputs if item.layer.name == "x"]
    fix = corrected_dims(item, item.fact.shape, bare)
    assert fix is not None
    assert fix.message == "write [5,3], and fix 3 more ports"


def test_an_output_without_dims_that_may_be_of_any_rank_is_left_alone() -> None:
    ir = Writer("net")
    x, target = ir.parameter("x", F32, Shape([2, 3])), ir.parameter("target", I64, Shape([Dim()]))
    attributes = {"special_zero": "false"}
    (out,) = ir.layer("Reshape", "opset1", [x, target], [Fact(F32, Shape([]))], attributes)
    ir.result(out)
    net = context(ir.text.replace('shape="2,3"', 'shape="5,3"').replace('shape="2, 3"', 'shape="5,3"'))
    fix = corrected_dims(net.outputs[0], Shape([5, 3]), net)
    assert fix is not None
    assert fix.message == "write [5,3], and fix 1 more port"
    assert contents(fix.edits) == ["5", "5"]


RULES = [MissingPrecision, UnreadableDim, UnreadablePrecision, WrongInputDims, WrongOutputDims, WrongPrecision]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("anchor", [Anchor(), Anchor(1)], ids=["no place", "no port"])
def test_a_finding_that_is_at_no_port_has_no_fix(rule: type[Rule], anchor: Anchor) -> None:
    assert rule().fix(Diagnostic(rule.code, "wrong", anchor), context(NET)) is None


def test_an_unreadable_dim_of_unknown_size_has_a_fix_where_one_was_meant() -> None:
    net = context(NET.replace('shape="2,3"', 'shape="?,3"').replace("<dim>2</dim>", "<dim>-</dim>", 1))
    anchor = Anchor(net.outputs[0].port.dim_elements[0], "text")
    found = Diagnostic("IR107", "wrong", anchor)
    assert UnreadableDim().fix(found, net) is None
    fix = UnreadableDim().fix(found._replace(suggestion=Suggestion(anchor, "-1")), net)
    assert fix is not None
    assert (fix.message, contents(fix.edits)) == ("write -1", ["-1"])


def messages(text: str) -> list[str]:
    found = [finding.diagnostic for finding in lint("net.xml", data=text.encode()).findings()]
    return [item.fix.message for item in found if item.fix is not None]


def test_what_follows_from_a_port_with_a_finding_of_its_own_belongs_to_that() -> None:
    assert messages(chain(6, lambda index: 5 + index // 3)) == ["write [4], and fix 5 more ports"] * 2


def test_what_follows_from_two_findings_belongs_to_the_first() -> None:
    assert messages(joined(2)) == ["write [4], and fix 6 more ports", "write [4], and fix 1 more port"]
