"""Programs that import openvino, with irrun in its place."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.engines import need
from tests.processes import ROOT, environment, python

PROGRAM = Path(__file__).with_name("programs") / "built.py"
PRINTED = """__main__ ['a', '-b'] True True
['Add', 'Result']
[[0.0, 4.0, 0.0], [0.5, 1.5, 2.5]] LATENCY True
"""


def irrun(*words: object, **options: Any) -> subprocess.CompletedProcess[str]:
    return python("-m", "irrun.openvino", *words, **options)


def with_path(folder: Path) -> dict[str, str]:
    return environment(PYTHONPATH=os.pathsep.join([str(ROOT), str(folder)]))


def lines_after_standing_in(code: str) -> list[str]:
    done = python("-c", f"import irrun.openvino as ours\nours.stand_in()\n{code}")
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_a_program_runs() -> None:
    done = irrun(PROGRAM, "a", "-b")
    assert (done.stdout, done.stderr, done.returncode) == (PRINTED, "", 1)


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="openvino starts a process that runs the program once more")
def test_openvino_prints_the_same() -> None:
    need("openvino")
    done = python(PROGRAM, "a", "-b")
    assert (done.stdout, done.stderr, done.returncode) == (PRINTED, "", 1)


@pytest.mark.sample(3)
@pytest.mark.parametrize("form", ["-c", "-m", "-"])
def test_other_forms(form: str, tmp_path: Path) -> None:
    code = "import sys, openvino\nprint(__name__, sys.argv[1:], openvino.__name__)\nsys.exit(5)\n"
    (tmp_path / "mine.py").write_text(code, encoding="utf-8")
    arguments = {"-c": ["-c", code], "-m": ["-m", "mine"], "-": ["-"]}[form]
    done = irrun(*arguments, "x", "-m", cwd=tmp_path, given=code if form == "-" else "")
    assert (done.stdout, done.returncode) == ("__main__ ['x', '-m'] irrun.openvino\n", 5)


def test_a_traceback_is_that_of_python(tmp_path: Path) -> None:
    (tmp_path / "fails.py").write_text("def fail():\n    raise ValueError(1)\n\n\nfail()\n", encoding="utf-8")
    with_irrun, alone = irrun("fails.py", cwd=tmp_path), python("fails.py", cwd=tmp_path)
    assert "ValueError: 1" in alone.stderr
    assert (with_irrun.stderr, with_irrun.returncode) == (alone.stderr, alone.returncode) == (alone.stderr, 1)


@pytest.mark.rest
def test_no_such_program(tmp_path: Path) -> None:
    done = irrun("none.py", cwd=tmp_path)
    assert done.returncode == 2
    assert "can't open file" in done.stderr


@pytest.mark.rest
def test_irrun_in_the_current_folder_only(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("import openvino\nprint(openvino.Type.f32)\n", encoding="utf-8")
    bare = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = python("-m", "irrun.openvino", tmp_path / "mine.py", cwd=ROOT, env=bare)
    assert (done.stdout, done.stderr) == ("<Type: 'float32'>\n", "")


@pytest.mark.rest
def test_an_installed_openvino_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "openvino.py").write_text("", encoding="utf-8")
    env = with_path(tmp_path)
    code = "import irrun.openvino, openvino\nprint(openvino.__file__)\n"
    assert python("-c", code, env=env).stdout == f"{tmp_path / 'openvino.py'}\n"
    assert python("-m", "irrun.openvino", "-c", "import openvino\nprint(openvino.__name__)", env=env).stdout == (
        "irrun.openvino\n"
    )
    late = python("-c", f"{code}irrun.openvino.stand_in()", env=env)
    message = f"openvino is already imported, from {tmp_path / 'openvino.py'}; expected stand_in() before its first"
    assert message in late.stderr


def test_both_names_stand_for_one_module() -> None:
    found = lines_after_standing_in("""
ours.stand_in()
import openvino, openvino.op.util, openvino.properties.hint as hint
from openvino import opset13, passes
from openvino.preprocess import PrePostProcessor
print(openvino is ours, openvino.Model is ours.Model, hint is ours.properties.hint, passes is ours.passes)
print(opset13 is ours.opset13, PrePostProcessor is ours.preprocess.PrePostProcessor)
print(openvino.__spec__.name, hint.__spec__.name, passes.__name__)
import openvino.layout_helpers, openvino.opset8
print(isinstance(openvino.opset8.parameter([1]), ours.op.Parameter))
""")
    assert found == [
        "True True True True",
        "True True",
        "irrun.openvino irrun.openvino.properties.hint irrun.openvino.passes",
        "True",
    ]


def test_what_irrun_does_not_have() -> None:
    reasons = {
        "import openvino.frontend.onnx": "irrun has no openvino.frontend.onnx: only IR files are read; "
        "OpenVINO converts models of other frameworks to IR",
        "import openvino.torch": "irrun has no openvino.torch: only IR files are read; "
        "OpenVINO converts models of other frameworks to IR",
        "import irrun.openvino.runtime": "irrun has no openvino.runtime: "
        "the names of openvino.runtime are those of irrun.openvino itself",
        "import openvino.nodes": "irrun has no openvino.nodes",
        "import openvino.opset18": "irrun has no openvino.opset18",
    }
    code = "".join(f"try: {line}\nexcept ImportError as error: print(error)\n" for line in reasons)
    assert lines_after_standing_in(code) == list(reasons.values())


@pytest.mark.rest
def test_the_name_of_the_main_module_until_2025() -> None:
    found = lines_after_standing_in("""
import openvino.runtime as runtime
import openvino
from openvino.runtime import Core, op, opset8
from openvino.runtime.op.util import Variable
from openvino.runtime.passes import Manager
import openvino.runtime.opset8
print(runtime is openvino, openvino.runtime.Core is Core is openvino.Core, op is openvino.op)
print(opset8 is openvino.opset8 is openvino.runtime.opset8, Manager is openvino.passes.Manager)
print(openvino.__spec__.name, openvino.op.__spec__.name, Variable is openvino.op.util.Variable)
try: import openvino.runtime.nodes
except ImportError as error: print(error)
""")
    assert found == [
        "True True True",
        "True True",
        "irrun.openvino irrun.openvino.op True",
        "irrun has no openvino.runtime.nodes: the names of openvino.runtime are those of irrun.openvino itself",
    ]


@pytest.mark.rest
def test_programs_of_an_installed_openvino(tmp_path: Path) -> None:
    folder = tmp_path / "openvino" / "tools" / "timing"
    folder.mkdir(parents=True)
    (tmp_path / "openvino" / "__init__.py").write_text("raise ImportError('not this one')\n", encoding="utf-8")
    (folder.parent / "__init__.py").write_text("", encoding="utf-8")
    (folder / "main.py").write_text("import openvino\nprint(openvino.__name__)\n", encoding="utf-8")
    env = with_path(tmp_path)
    done = python("-m", "irrun.openvino", "-m", "openvino.tools.timing.main", env=env)
    assert (done.stdout, done.stderr) == ("irrun.openvino\n", "")


@pytest.mark.rest
def test_preprocessing_of_torchvision_is_that_of_an_installed_openvino(tmp_path: Path) -> None:
    folder = tmp_path / "openvino" / "preprocess" / "torchvision"
    folder.mkdir(parents=True)
    for parent in (folder.parents[1], folder.parent):
        (parent / "__init__.py").write_text("raise ImportError('not this one')\n", encoding="utf-8")
    (folder / "__init__.py").write_text("from openvino.preprocess import PrePostProcessor\n", encoding="utf-8")
    env = with_path(tmp_path)
    code = "from openvino.preprocess.torchvision import PrePostProcessor\nprint(PrePostProcessor.__module__)"
    done = python("-m", "irrun.openvino", "-c", code, env=env)
    assert (done.stdout, done.stderr) == ("irrun.openvino.preprocess.processor\n", "")


@pytest.mark.rest
def test_no_programs_without_openvino() -> None:
    found = lines_after_standing_in("""
import sys
sys.path[:] = [entry for entry in sys.path if "site-packages" not in entry]
try: import openvino.tools.benchmark
except ImportError as error: print(error)
try: import openvino.preprocess.torchvision
except ImportError as error: print(error)
from openvino.tools.ovc import convert_model
print(convert_model is ours.convert_model)
""")
    reason = "it needs an installed OpenVINO, whose module runs on irrun with python -m irrun.openvino"
    names = ("openvino.tools.benchmark", "openvino.preprocess.torchvision")
    assert found == [*(f"irrun has no {name}: {reason}" for name in names), "True"]


def test_the_converter_is_that_of_irrun() -> None:
    found = lines_after_standing_in("""
from openvino.tools.ovc import convert_model
from openvino._pyopenvino import FrontEndManager, Place
import openvino.frontend
print(convert_model is ours.convert_model, Place is openvino.frontend.Place)
try: import openvino.tools.ovc.cli_parser
except ImportError as error: print(error)
""")
    reason = "it needs an installed OpenVINO, whose module runs on irrun with python -m irrun.openvino"
    assert found == ["True True", f"irrun has no openvino.tools.ovc.cli_parser: {reason}"]


def test_the_compiled_module() -> None:
    found = lines_after_standing_in("""
import openvino
from openvino._pyopenvino import DescriptorTensor, Model
from openvino._pyopenvino.op import Parameter
from openvino._offline_transformations import compress_quantize_weights_transformation
from openvino._ov_api import OVDict
print(Model is openvino.Model, Parameter is openvino.op.Parameter, OVDict is openvino.OVDict)
print(type(openvino.opset13.parameter([2]).output(0).tensor) is DescriptorTensor)
""")
    assert found == ["True True True", "True"]
