"""Features that a release of OpenVINO does not have, and operations that its CPU plugin does not run."""

from __future__ import annotations

from pathlib import Path

import pytest

from irrun.diagnostics import Diagnostic
from irrun.document.reader import read
from irrun.graph import bind
from irrun.inference import infer
from irrun.linter._rules.execution_graph import ExecutionGraph
from irrun.linter._rules.newer_than_target import NewerThanTarget
from irrun.linter.context import Context
from irrun.linter.settings import LinterSettings
from irrun.ops.releases import release
from tests.linter.models import NET
from tests.linter.rules.support import findings, layer, net, port
from tests.linter.snippets import examples

X = layer(0, "x", "Parameter", 1, 'shape="2,3" element_type="f32"', outputs=port(0, "FP32", 2, 3))
Y = layer(9, "y", "Result", 1, inputs=port(0, "FP32", 2, 3))


def gelus(opset: int) -> str:
    ports = {"inputs": port(0, "FP32", 2, 3), "outputs": port(1, "FP32", 2, 3)}
    layers = [layer(id, f"g{id}", "Gelu", opset, 'approximation_mode="ERF"', **ports) for id in (1, 2)]
    return net(X, *layers, Y, edges="0.0>1.0 1.1>2.0 2.1>9.0")


def newer(text: str, target: str) -> list[Diagnostic]:
    return list(NewerThanTarget().check(context(text, target)))


def context(text: str, target: str | None = None) -> Context:
    document = read(text.encode())
    bound = bind(document)
    return Context(document, bound, infer(bound.graph, document.weights), {}, LinterSettings(target_version=target))


@pytest.mark.parametrize(("target", "found"), [("2022.1", []), ("2023.3", []), ("2021.4.2", ["IR version 11"])])
def test_ir_version(target: str, found: list[str]) -> None:
    messages = [item.message for item in newer(NET, target)]
    assert [message[:13] for message in messages] == found


def test_one_finding_for_all_layers_of_an_operation() -> None:
    (found,) = newer(gelus(13), "2023.1")
    assert found.message == "Gelu of opset13 is in OpenVINO from 2023.2 on, the target is 2023.1"
    assert found.notes == ("1 more layer is of this operation",)
    assert newer(gelus(13), "2023.2") == []


@pytest.mark.parametrize("text", ["", "latest", "2023", "23.1", "2023.9.9", "2023.4", "2019.3", "2025.5"])
def test_no_release(text: str) -> None:
    with pytest.raises(ValueError, match="is not a release of OpenVINO"):
        release(text)


def test_an_execution_graph_has_marks_on_most_layers() -> None:
    dump = next(item for item in examples("execution_graph") if item.output).data.decode()
    (found,) = ExecutionGraph().check(context(dump))
    assert found.message.startswith("an execution graph of a compiled model, expected a model: 2 of 2 layers have")
    assert list(ExecutionGraph().check(context(NET))) == []


def test_a_rank_that_is_lost_is_one_finding(tmp_path: Path) -> None:
    open_rank = '<port id="{}" precision="FP32"/>'
    text = net(
        X,
        layer(
            1,
            "s",
            "Parameter",
            1,
            'shape="?" element_type="i64"',
            outputs='<port id="0" precision="I64"><dim>-1</dim></port>',
        ),
        layer(
            2,
            "r",
            "Reshape",
            1,
            'special_zero="false"',
            port(0, "FP32", 2, 3) + '<port id="1" precision="I64"><dim>-1</dim></port>',
            open_rank.format(2),
        ),
        layer(3, "act", "ReLU", 1, inputs=open_rank.format(0), outputs=open_rank.format(1)),
        layer(9, "y", "Result", 1, inputs=open_rank.format(0)),
        edges="0.0>2.0 1.0>2.1 2.2>3.0 3.1>9.0",
    )
    (found,) = findings(tmp_path, text)
    assert found.layer is not None
    assert (found.code, found.layer.name) == ("IR702", "r")
    assert found.message == "OpenVINO's CPU plugin refuses tensors of dynamic rank, as output 0 is"
