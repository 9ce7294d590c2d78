"""Built models without a file, settings that are no numbers, and what a system leaves."""

from __future__ import annotations

from pathlib import Path

import pytest

import irrun as ov
from irrun.document.faults import MissingPrecision
from irrun.document.places import at_layer
from irrun.jobs.processes import _ending
from irrun.model import build, load
from irrun.model.config import ConfigError
from irrun.runtime.budget import _of_groups, _of_system, available_memory
from irrun.settings.project import _own_table
from tests.nets import Net


def test_a_built_model_has_no_file() -> None:
    x = ov.opset13.parameter([2], ov.Type.f32)
    model = ov.Model([ov.opset13.relu(x)], [x])
    with pytest.raises(ValueError, match=r"^a built model has no file$"):
        model.value.document  # noqa: B018


def test_a_group_size_that_is_no_number(tmp_path: Path) -> None:
    net = Net()
    net.result(net.layer("Relu", [net.parameter("x", "2")]))
    model = load(net.save(tmp_path / "net.xml"))
    for value in ("many", True, -1):
        with pytest.raises(ConfigError, match=f"^DYNAMIC_QUANTIZATION_GROUP_SIZE is {value!r}, expected an integer"):
            build(model, {"DYNAMIC_QUANTIZATION_GROUP_SIZE": value})


def test_a_fault_of_a_layer_in_no_file() -> None:
    fault = MissingPrecision(what="there is no precision")
    assert at_layer(fault, None).layer is None
    assert at_layer(fault, None, ("a note",)).notes == ("a note",)


def test_the_end_of_a_process() -> None:
    assert _ending(3) == "the process ended with status 3"
    assert _ending(-9) == "the process was ended by SIGKILL"
    assert _ending(None) == "the process ended with status None"


def test_the_memory_that_a_system_leaves(tmp_path: Path) -> None:
    """The system is asked for its pages where ``/proc`` does not tell; a group without a limit leaves all."""
    (found,) = _of_system(tmp_path)
    assert found > 1 << 20
    (tmp_path / "meminfo").write_text("MemAvailable:    2048 kB\n")
    assert list(_of_system(tmp_path)) == [2 << 20]
    group = tmp_path / "sys/fs/cgroup/a/b"
    group.mkdir(parents=True)
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "proc/self/cgroup").write_text("0::/a/b\n")
    assert list(_of_groups(tmp_path)) == []
    (group.parent / "memory.max").write_text("1000\n")
    (group.parent / "memory.current").write_text("300\n")
    assert list(_of_groups(tmp_path)) == [700]
    assert available_memory(tmp_path) is not None


def test_a_table_of_tools_that_is_none(tmp_path: Path) -> None:
    assert _own_table({"tool": 3}, tmp_path) is None
    assert _own_table({"tool": {"irrun": {"a": 1}}}, tmp_path) == {"a": 1}
