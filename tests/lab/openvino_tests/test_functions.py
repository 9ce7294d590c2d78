"""OpenVINO's own tests on both."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engines import need
from tests.lab.openvino_tests import functions as openvino_tests
from tests.lab.openvino_tests.reasons import reason

need("openvino")

_TESTS = """
import openvino as ov
import pytest


@pytest.mark.parametrize("name", ["f32", "i64"])
def test_types(name):
    assert getattr(ov.Type, name).get_type_name() == name


def test_of_one_only():
    assert "site-packages" in ov.__file__


def test_of_neither():
    assert ov is None
"""


@pytest.mark.rest
def test_functions_are_compared(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_some.py").write_text(_TESTS)
    known, own = (openvino_tests.run(tmp_path, "", side, 0) for side in openvino_tests.SIDES)
    functions = {item.name: item for item in openvino_tests.compare(known, own)}
    assert sorted(functions) == ["test_some.py::test_of_one_only", "test_some.py::test_types"]
    assert functions["test_some.py::test_types"][1:] == (2, [])
    (message,) = functions["test_some.py::test_of_one_only"].failures
    assert message.startswith("test_of_one_only: ")
    record = openvino_tests.summary(list(functions.values()))
    assert (record["functions"], record["cases"], record["functions that pass"]) == (2, 3, 1)
    assert record["fail"] == {"test_some.py::test_of_one_only": ""}


def test_a_function_that_does_not_run_fails() -> None:
    (function,) = openvino_tests.compare({"test_some.py::test_one": [None, None]}, {})
    assert function.failures == ["it did not run"] * 2


def test_reasons() -> None:
    found = reason("test_runtime/test_input_node.py::test_const_output_docs")
    assert found is not None
    assert not found.applies
    assert reason("test_graph/test_new.py::test_new") is None
