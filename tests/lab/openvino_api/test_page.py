"""The names of OpenVINO's API on the page are those of the installed release."""

from __future__ import annotations

import json

from tests.engines import need
from tests.lab.openvino_api.page import NAMES, openvino_names, page


def test_names_are_those_of_openvino() -> None:
    need("openvino")
    assert json.loads(NAMES.read_text(encoding="utf-8")) == openvino_names()


def test_a_missing_name_is_listed() -> None:
    names = json.loads(NAMES.read_text(encoding="utf-8"))
    names["Core"].append("no_such_name")
    assert "| `Core` | 16 | `no_such_name` |" in page(names)
    assert "* `no_such_name`: not built" in page(names)
