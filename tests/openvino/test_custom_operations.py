"""Operations in OpenVINO's style in models that are read: attributes, nodes, type infos, every way in."""

from __future__ import annotations

from collections.abc import Callable
from importlib import metadata
from io import BytesIO
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import irrun as ov
from irrun.linter import rule
from irrun.openvino import opset13 as ops
from irrun.ops import available, extending
from tests.openvino import own_classes
from tests.openvino.own_classes import DEFAULTS, GIVEN, Halved, Named, Total

X = np.array([1, 2], np.float32)


def written(path: Path, *nodes: Callable[[Any], Any]) -> Path:
    """Write x -> nodes -> Result."""
    x = ops.parameter([2], np.float32, name="x")
    node = x
    for made in nodes:
        node = made(node)
    ov.serialize(ov.Model([node.output(0)], [x], "m"), path, path.with_suffix(".bin"))
    return path


@pytest.fixture
def total(tmp_path: Path) -> Path:
    return written(tmp_path / "m.xml", lambda x: Total([x], **GIVEN), lambda x: Halved(x))


def same(value: Any, other: Any) -> bool:
    if isinstance(other, ov.Dimension):
        return str(value) == str(other)
    return type(value) is type(other) and bool(np.all(value == other))


def opened(model: ov.Model, type: str = "Total") -> Any:
    return next(node for node in model.get_ops() if node.get_type_name() == type)


def read(path: Path) -> ov.Model:
    return ov.read_model(path, extensions=[Total, Halved])


def test_attributes_of_every_kind(total: Path) -> None:
    node = opened(read(total))
    assert isinstance(node, Total)
    assert node.get_attributes().keys() == GIVEN.keys()
    for name, value in GIVEN.items():
        assert same(node.values[name], value), name
    written(total, lambda x: Total([x]))
    assert all(same(opened(read(total)).values[name], value) for name, value in DEFAULTS.items())


def test_what_it_computes(total: Path) -> None:
    for loaded in (read(total), read(total).clone()):
        assert ov.compile_model(loaded)(X)[0].tolist() == [6.5, 7]
    model = read(total)
    assert [isinstance(opened(model), Total), isinstance(opened(model, "Half"), Halved)] == [True, True]
    assert ov.compile_model(model)(X)[0].tolist() == [6.5, 7]
    model.reshape([3])
    assert ov.compile_model(model)(np.ones(3, np.float32))[0].tolist() == [6.5] * 3


def test_written_again(total: Path) -> None:
    text = total.read_text().replace('axes="5, 7"', 'axes="5,7" unknown="kept"')
    total.write_text(text)
    for changed in (False, True):
        model = read(total)
        _ = opened(model)
        if changed:
            opened(model).set_attribute("axes", [1, 2])
        xml = BytesIO()
        ov.serialize(model, xml, BytesIO())
        assert xml.getvalue().decode() == text.replace('"5,7"', '"1, 2"' if changed else '"5,7"')
        assert ov.compile_model(model)(X)[0].tolist() == ([2, 2.5] if changed else [6.5, 7])
    with pytest.raises(RuntimeError, match="Total has no attribute 'axis'"):
        opened(model).set_attribute("axis", 1)


def test_nodes_keep_what_is_set(total: Path) -> None:
    model = read(total)
    opened(model).values["axes"] = [10]
    opened(model).friendly_name = "mine"
    assert opened(model).friendly_name == "mine"
    assert ov.compile_model(model)(X)[0].tolist() == [5.5, 6]
    copied = model.clone()
    opened(copied).values["axes"] = [20]
    assert opened(model).values["axes"] == [10]
    assert ov.compile_model(copied)(X)[0].tolist() == [10.5, 11]


def test_lint_reads_the_attributes(total: Path) -> None:
    assert list(ov.lint(total, extensions=[Total, Halved])) == []
    total.write_text(total.read_text().replace('axes="5, 7"', 'axes="5, x"').replace('count="9"', 'cuont="9"'))
    assert sorted(item.message for item in ov.lint(total, extensions=[Total, Halved])) == [
        "Total has no attribute cuont; did you mean count?",
        'axes="5, x" is not a list of integers',
    ]


def test_the_type_info_that_counts(tmp_path: Path) -> None:
    path = written(tmp_path / "m.xml", lambda x: Halved(x), lambda x: Named(x), lambda x: Total([x]))
    text = path.read_text()
    assert [f'type="{type}" version="{domain}"' in text for type, domain in (("Half", "my.domain"),)] == [True]
    assert 'type="Named" version="extension"' in text
    assert 'type="Total" version="extension"' in text
    model = ov.read_model(path, extensions=[Halved, Named, Total])
    assert [type(node) for node in model.get_ordered_ops()[1:4]] == [Halved, Named, Total]


def test_dependent_on_openvino(tmp_path: Path) -> None:
    openvino = pytest.importorskip("openvino", reason="openvino is not installed")

    class Named(openvino.Op):  # type: ignore[misc]
        class_type_info = openvino.DiscreteTypeInfo("Another", "elsewhere")

        def __init__(self, inputs: Any = None) -> None:
            super().__init__(self, inputs)

        def validate_and_infer_types(self) -> None:
            self.set_output_type(0, self.get_input_element_type(0), self.get_input_partial_shape(0))

        def clone_with_new_inputs(self, new_inputs: Any) -> Any:
            return Named(new_inputs)

    x = openvino.opset13.parameter([2], np.float32, name="x")
    openvino.serialize(openvino.Model([Named([x.output(0)]).output(0)], [x], "m"), tmp_path / "m.xml")
    assert 'type="Named" version="extension"' in (tmp_path / "m.xml").read_text()
    assert type(opened(ov.read_model(tmp_path / "m.xml", extensions=[own_classes.Named]), "Named")).__name__ == "Named"
    with pytest.raises(extending.ExtensionError, match=r"Named derives from openvino\.Op, expected irrun\.Op"):
        extending.additions_of(Named)


# -- every way in


def _core(path: Path, sources: list[Any]) -> Any:
    core = ov.Core()
    core.add_extension(sources)
    return core.compile_model(path, "CPU")(X)[0]


def _extended(path: Path, sources: list[Any]) -> Any:
    ov.extend(*sources)
    try:
        assert list(ov.lint(path)) == []
        return ov.compile_model(path)(X)[0]
    finally:
        ov.unextend(*sources)


def _read(path: Path, sources: list[Any]) -> Any:
    assert list(ov.lint(path, extensions=sources)) == []
    return ov.compile_model(ov.read_model(path, extensions=sources))(X)[0]


def _converted(path: Path, sources: list[Any]) -> Any:
    return ov.compile_model(ov.openvino.convert_model(path, extension=sources))(X)[0]


SOURCES: dict[str, list[Any]] = {
    "classes": [Total, Halved],
    "OpExtension": [ov.OpExtension(Total), ov.OpExtension(Halved)],
    "module": [own_classes],
    "name": [own_classes.__name__],
    "file": [Path(str(own_classes.__file__))],
    "text": [str(own_classes.__file__)],
    "declarations": [*Total.declared_operations(), *Halved.declared_operations()],
}


@pytest.mark.sample(8)
@pytest.mark.parametrize("way", [_core, _extended, _read, _converted])
@pytest.mark.parametrize("sources", SOURCES.values(), ids=SOURCES)
def test_every_source_by_every_way(total: Path, sources: list[Any], way: Callable[..., Any]) -> None:
    assert way(total, sources).tolist() == [6.5, 7]


@pytest.mark.parametrize("value", [f"{own_classes.__name__}:Total", own_classes.__name__])
def test_entry_points(total: Path, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    point = metadata.EntryPoint("mine", value, available.GROUP)
    monkeypatch.setattr(metadata, "entry_points", lambda group: [point] if group == available.GROUP else [])
    rule.forget()
    try:
        assert isinstance(opened(ov.read_model(total)), Total)
    finally:
        monkeypatch.undo()
        rule.forget()


# -- what cannot be used


class _NeedsInputs(ov.Op):
    def __init__(self, inputs: Any) -> None:
        super().__init__(self, inputs)

    def validate_and_infer_types(self) -> None: ...


class _BadInfo(Total):
    def get_type_info(self) -> Any:
        return "BadInfo"


class _InfersNothing(ov.Op):
    def get_type_info(self) -> Any:
        return ov.DiscreteTypeInfo("Nothing", "extension")


REFUSED = [
    (_InfersNothing, "_InfersNothing has no validate_and_infer_types"),
    (_NeedsInputs, r"__init__\(\) missing 1 required positional argument: 'inputs'"),
    (_BadInfo, "operation type_info must be an instance of DiscreteTypeInfo, but <class 'str'> is passed"),
    (bool, "bool declares no operation, rule or pass, expected a class that derives from Op, Rule or Pass"),
    (ov.Op, "Op declares no operation"),
    (ModuleType("nothing"), "nothing declares no operation, rule or pass"),
    ({}, r"{} is of type dict, expected a Python file, a module, a class or an OpExtension"),
    (7, "7 is of type int, expected a Python file, a module, a class or an OpExtension"),
    ("no_such_module", "there is no module no_such_module, expected one, or a file such as my_ops.py"),
    ("no_such_file.py", r"no_such_file\.py cannot be read: No such file or directory"),
    ("lib.so", r"lib\.so is a library that was written for OpenVINO, expected a Python file"),
    (Path(__file__).parent, "openvino is a folder, expected a Python file, or the name of a module"),
]


@pytest.mark.parametrize(("source", "message"), REFUSED, ids=lambda item: str(getattr(item, "__name__", item))[:20])
def test_refused(source: Any, message: str) -> None:
    with pytest.raises(extending.ExtensionError, match=message):
        ov.extend(source)
    with pytest.raises(RuntimeError, match="'<class 'bool'>' is passed as an argument" if source is bool else message):
        ov.read_model("m.xml", extensions=[source])


def test_an_extension_of_no_operation() -> None:
    with pytest.raises(RuntimeError, match="Unsupported data type : '<class 'bool'>' is passed as an argument"):
        ov.OpExtension(bool)
    ov.Core().add_extension(ov.openvino.Extension())
