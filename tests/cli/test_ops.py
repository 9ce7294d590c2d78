"""irrun ops: the declarations."""

from __future__ import annotations

import json

import pytest

from irrun.ops.registry import declarations, resolve
from tests.cli.conftest import Run


def test_list_has_a_line_for_every_type(run: Run) -> None:
    lines = run("ops").stdout.splitlines()
    assert lines[0].split() == ["TYPE", "OPSETS", "CATEGORY", "SUMMARY"]
    assert [line.split()[0] for line in lines[1:]] == list(dict.fromkeys(cls.type for cls in declarations()))
    clamp = next(line for line in lines if line.startswith("Clamp "))
    assert clamp.split(maxsplit=3) == [
        "Clamp",
        "1",
        "activation",
        "Clip every element to the closed interval [min, max].",
    ]


def test_one_operation(run: Run) -> None:
    result = run("ops", "Tile")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == (
        "Tile  opset1  movement\n\n"
        "Repeat a tensor a number of times along each axis.\n\n"
        "Where data and repeats differ in length, the shorter one is extended by ones in front.\n\n"
        "Note: a negative number of repetitions is refused; in OpenVINO it counts as 0.\n\n"
        "inputs\n"
        "  0 data: T1: any type\n"
        "      the tensor to repeat\n"
        "  1 repeats: any integer type, rank 1\n"
        "      the number of repetitions of each axis\n\n"
        "outputs\n"
        "  0 output: T1: any type\n\n"
        "versions: opset1\n"
        "OpenVINO: 2020.1 or later\n"
        f"page: {resolve('Tile').spec.page}\n"
    )


def test_attributes(run: Run) -> None:
    text = run("ops", "Pad").stdout
    assert "  pad_mode: constant | edge | reflect | symmetric, required\n" in text
    assert "  3 pad_value: T: any type, rank 0, optional\n" in text
    assert "versions: opset1, opset12\n" in text


def test_departures(run: Run) -> None:
    assert (
        "\n\nOpenVINO's CPU plugin\n  refuses u1, u3 and u6\n  refuses a dynamic rank\n\n"
        in run("ops", "Parameter").stdout
    )
    (spec,) = json.loads(run("ops", "ErfInv", "--output-format", "json").stdout)
    assert spec["departures"] == {"tails": "is off by up to 2e-3 near ±1"}


def test_legacy_attributes(run: Run) -> None:
    text = run("ops", "Convolution").stdout
    assert (
        "attributes that mean nothing, left by old writers\n  output_padding: Model Optimizer, 2020.1 to 2021.2\n"
        in text
    )
    assert "old writers" not in run("ops", "Clamp").stdout
    (found,) = json.loads(run("ops", "Convolution", "--format", "json").stdout)
    assert found["legacy"][0] == {
        "names": ["output_padding"],
        "writer": "Model Optimizer",
        "since": "2020.1",
        "until": "2021.2",
    }


def test_bounds_defaults_bodies_and_repeated_inputs(run: Run) -> None:
    assert "  strides: ints >= 1, required\n" in run("ops", "Convolution").stdout
    assert "  auto_broadcast: none | numpy | pdpd, default numpy\n" in run("ops", "Add").stdout
    assert "sub-graphs: then_body, else_body\n" in run("ops", "If").stdout
    assert "  0 inputs: T: any type, one or more\n" in run("ops", "Concat").stdout


@pytest.mark.parametrize(("opset", "version"), [("opset1", "opset1"), ("11", "opset1"), ("opset12", "opset12")])
def test_version_of_an_opset(run: Run, opset: str, version: str) -> None:
    assert run("ops", "Pad", "--opset", opset).stdout.splitlines()[0] == f"Pad  {version}  movement"


def test_list_of_an_opset(run: Run) -> None:
    listed = json.loads(run("ops", "--opset", "opset8", "--format", "json").stdout)
    types = [item["type"] for item in listed]
    assert len(types) == len(set(types))
    expected = {cls.type for cls in declarations() if isinstance(cls.opset, int) and cls.opset <= 8}
    assert set(types) == expected - {"Reverse", "Xor"}
    assert next(item["version"] for item in listed if item["type"] == "Pad") == "opset1"
    assert "Atan2" not in types


def test_json_is_the_declarations(run: Run) -> None:
    assert json.loads(run("ops", "--format", "json").stdout) == [cls.spec.as_dict() for cls in declarations()]
    both = json.loads(run("ops", "Pad", "--output-format", "json").stdout)
    assert [item["version"] for item in both] == ["opset1", "opset12"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["convolutoin"], "no operation convolutoin; did you mean Convolution?"),
        (["const"], "no operation const; did you mean Const?"),
        (["Atan2", "--opset", "8"], "no operation Atan2 in opset8; it is in opset17"),
    ],
)
def test_unknown(run: Run, arguments: list[str], message: str) -> None:
    result = run("ops", *arguments)
    assert (result.exit_code, result.stderr, result.stdout) == (2, f"error: {message}\n", "")


@pytest.mark.parametrize("opset", ["opset0", "18", "x"])
def test_unknown_opset(run: Run, opset: str) -> None:
    result = run("ops", "--opset", opset)
    assert result.exit_code == 2
    assert f'there is no opset "{opset}", expected opset1 to opset17' in " ".join(result.stderr.split())
