"""Operations of extensions: distinguished from misspelt operations, with the outputs that their ports declare."""

from __future__ import annotations

import pytest

from irrun.document.reader import read
from irrun.graph import Graph, Outlet, bind
from irrun.inference import infer
from irrun.ops.extension import Extension
from tests.linter.rules.support import net, port

X = f'<layer id="0" name="x" type="Parameter" version="opset1"><data shape="2,3" element_type="f32"/>\
<output>{port(0, "FP32", 2, 3)}</output></layer>'


def layer(id: int, type: str, version: str, data: str = "", outputs: str = "", body: str = "") -> str:
    made = outputs or port(1, "FP32", 2, 3)
    return f'<layer id="{id}" name="l{id}" type="{type}" version="{version}"><data {data}/>\
<input>{port(0, "FP32", 2, 3)}</input><output>{made}</output>{body}</layer>'


def graph(*layers: str) -> Graph:
    """Return the graph of x followed by a chain of layers."""
    edges = " ".join(f"{id}.{min(id, 1)}>{id + 1}.0" for id in range(len(layers)))
    return bind(read(net(X, *layers, edges=edges).encode())).graph


def extension(*layers: str) -> Extension | None:
    op = graph(*layers).node(1).op
    return op if isinstance(op, Extension) else None


@pytest.mark.parametrize(
    ("type", "version", "data"),
    [
        ("Sharpen", "extension", 'strength="0.5"'),
        ("Sharpen", "acme", ""),
        ("Sharpen", "unknown", ""),
        ("SparseConv", "extension", ""),
        ("Identity", "extension", ""),
        ("ReLU", "type_relaxed_opset", ""),
        ("Gelu", "extension", 'strength="0.5"'),
        ("Clamp", "extension", 'min="0"'),
        ("Add", "extension", ""),
    ],
)
def test_an_operation_of_an_extension(type: str, version: str, data: str) -> None:
    op = extension(layer(1, type, version, data))
    assert op is not None
    assert (op.layer_type, op.domain) == (type, version)


@pytest.mark.parametrize(
    ("type", "version"),
    [
        *[("Sharpen", version) for version in ("opset1", "opset99", "opste1", "")],
        *[("ReLU", version) for version in ("extension", "acme", "opste1", "")],
        *[("relu", version) for version in ("opset1", "extension")],
        *[("RegexSplit", version) for version in ("extension", "exttension")],
    ],
)
def test_no_operation_of_an_extension(type: str, version: str) -> None:
    assert extension(layer(1, type, version)) is None


def test_a_domain_with_an_operation_of_its_own_has_others_of_any_name() -> None:
    op = extension(layer(1, "ReLU", "acme"), layer(2, "Sharpen", "acme"))
    assert op is not None
    assert extension(layer(1, "ReLU", "acme"), layer(2, "Sharpen", "extension")) is None


def test_nothing_takes_it_for_the_operation_of_the_same_name() -> None:
    bound = graph(layer(1, "Result", "acme"), layer(2, "Sharpen", "acme"))
    assert [node.type for node in bound.ordered()] == ["Parameter", "acme::Result", "Sharpen"]
    assert bound.results == ()


@pytest.mark.parametrize(
    ("ports", "facts"),
    [
        (port(1, "FP16", 2, 3), ["f16[2,3]"]),
        (port(1, "I64", -1, 4) + port(2, "STRING", -1), ["i64[?,4]", "string[?]"]),
        ('<port id="1" precision="BOOL"/>', ["boolean[...]"]),
        ('<port id="1" precision="dynamic"/>', ["dynamic[...]"]),
    ],
)
def test_its_outputs_are_as_declared(ports: str, facts: list[str]) -> None:
    bound = graph(layer(1, "Sharpen", "extension", outputs=ports))
    found = infer(bound, read(b"<net/>").weights)
    assert [str(found[Outlet(1, number)]) for number in range(len(facts))] == facts
    assert found.diagnostics == ()


BODY = f'<body><layers><layer id="0" name="part" type="Parameter" version="opset1">\
<data shape="?,3" element_type="f32"/><output>{port(0, "FP32", -1, 3)}</output></layer>\
<layer id="1" name="whole" type="Result" version="opset1"><input>{port(0, "FP32", -1, 3)}</input></layer>\
</layers><edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/></edges></body>'


@pytest.mark.parametrize(
    "body",
    [
        BODY,
        '<port_map><input external_port_id="0" internal_layer_id="0"/>'
        f'<output external_port_id="1" internal_layer_id="1"/></port_map>{BODY}',
    ],
)
def test_its_bodies_are_understood(body: str) -> None:
    bound = graph(layer(1, "ParallelFor", "extension", body=body))
    found = infer(bound, read(b"<net/>").weights)
    assert [str(fact) for fact in found.bodies[1, "body"].results()] == ["f32[?,3]"]
    assert str(found[Outlet(1, 0)]) == "f32[2,3]"


@pytest.mark.parametrize(
    ("type", "domain", "statement"),
    [
        ("RegexSplit", "extension", "RegexSplit is an operation of openvino_tokenizers"),
        ("RegexSplit", "acme", "RegexSplit of acme is an operation of a library"),
        ("SparseConv", "extension", "SparseConv is an operation of openvino_contrib"),
        (
            "PagedAttentionExtension",
            "extension",
            "PagedAttentionExtension of extension lives only inside a pipeline that serves a language model",
        ),
        ("RoPE", "ie_internal_opset", "RoPE of ie_internal_opset lives only inside a model that is being compiled"),
        (
            "Subgraph",
            "SnippetsOpset",
            "Subgraph of SnippetsOpset lives only inside the code generator of the CPU plugin",
        ),
    ],
)
def test_statement(type: str, domain: str, statement: str) -> None:
    assert Extension(type, domain, []).origin.statement == statement


@pytest.mark.parametrize(
    ("type", "version", "is_extension"),
    [
        ("UTF8Vaildate", "extension", False),
        ("MyValidate", "extension", True),
        ("UTF8Vaildate", "my_domain", True),
    ],
)
def test_a_misspelt_operation_of_a_tokenizer(type: str, version: str, is_extension: bool) -> None:
    strings = [("begins", "i32"), ("ends", "i32"), ("chars", "u8")]
    parameters = [
        f'<layer id="{id}" name="{name}" type="Parameter" version="opset1"><data shape="4" element_type="{kind}"/>'
        f"<output>{port(0, kind.upper(), 4)}</output></layer>"
        for id, (name, kind) in enumerate(strings)
    ]
    ports = "".join(port(id, kind.upper(), 4) for id, (_, kind) in enumerate(strings))
    outputs = "".join(port(3 + id, kind.upper(), 4) for id, (_, kind) in enumerate(strings))
    validate = (
        f'<layer id="3" name="valid" type="{type}" version="{version}"><data replace_mode="true"/>'
        f"<input>{ports}</input><output>{outputs}</output></layer>"
    )
    bound = bind(read(net(*parameters, validate, edges="0.0>3.0 1.0>3.1 2.0>3.2").encode()))
    assert isinstance(bound.graph.node(3).op, Extension) == is_extension
    found = [item.message for item in bound.diagnostics]
    assert found == ([] if is_extension else [f"no operation {type} in extension; did you mean UTF8Validate?"])
