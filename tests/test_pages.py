"""The commands of the README and the guides run as they are printed, and say what the pages say."""

from __future__ import annotations

import importlib.util
import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import click.testing
import numpy as np
import pytest

import irrun
from irrun.cli.app import app
from irrun.model import load
from irrun.surgery import convert
from irrun.surgery import save as save_model
from tests.cases import f32
from tests.nets import Net

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "examples"
GUIDES = (
    *("accuracy", "agents", "compilers", "editing", "inspecting", "linting", "many-inputs", "robustness"),
    *("running", "text", "tutorial"),
)
PAGES = ("README.md", *(f"docs/{name}.md" for name in GUIDES))
ELSEWHERE = ("tcp://HOST:8786", "openvino_tokenizer.xml", "irrun embed ", "model.onnx")
"""Commands about other machines, and files that are not in the repository."""

DIFFERENT = re.compile(r"irrun (debug blame|compare (old.xml new.xml|generated.xml)|run new.xml .*--stop-at)")
"""Commands that find something, which they say by their exit status."""

CHECK = """import sys
if '"Log"' in open(sys.argv[1]).read():
    sys.exit("unsupported operation")
"""

LAYER = """<layer id="0" name="tile" type="Tile" version="opset1">
    <input><port id="0"><dim>1</dim><dim>2</dim><dim>3</dim></port><port id="1"><dim>3</dim></port></input>
    <output><port id="2" precision="FP32"><dim>1</dim><dim>4</dim><dim>9</dim></port></output>
</layer>
"""


def blocks(page: str) -> list[str]:
    return re.findall(r"^```\w*\n(.*?)^```$", (ROOT / page).read_text(encoding="utf-8"), re.M | re.S)


def commands() -> list[tuple[str, str]]:
    """Return the commands of each page, without comments and redirection."""
    lines = [(page, line) for page in PAGES for block in blocks(page) for line in block.splitlines()]
    found = [(page, re.sub(r"\s+[#>] .*", "", line)) for page, line in lines if line.startswith("irrun ")]
    return [(page, line) for page, line in found if not any(word in line for word in ELSEWHERE)]


def needs(command: str) -> list[str]:
    """Return the packages that a command needs and this environment lacks."""
    wanted = {"openvino": "--openvino" in command or "--compare-openvino" in command, "PIL": "photos" in command}
    return [name for name, is_needed in wanted.items() if is_needed and importlib.util.find_spec(name) is None]


def save(path: Path, *shape: int) -> None:
    path.parent.mkdir(exist_ok=True)
    np.save(path, np.linspace(-1, 1, int(np.prod(shape)), dtype=np.float32).reshape(shape))


def logarithm(path: Path, factor: float, floor: float) -> None:
    """Write log(relu(image * factor) + floor)."""
    net = Net()
    image = net.parameter("image", "1,3,8,8")
    scaled = net.layer("Multiply", [image, net.constant(f32([factor]), name="factor")], name="scale")
    above = net.layer("Add", [net.layer("Relu", [scaled], name="relu"), net.constant(f32([floor]))])
    net.result(net.layer("Log", [above], name="log", tensor="level"))
    net.save(path)


def detector(path: Path) -> None:
    """Write a convolution whose maps are boxes and scores, and the selection of some; its input has a layout."""
    net = Net("detector", notes={"model_info": {"labels": "cat dog"}})
    image = net.parameter("image", "1,3,16,16")
    weights = np.random.default_rng(0).standard_normal((6, 3, 3, 3), dtype=np.float32)
    window = {"strides": "1, 1", "dilations": "1, 1", "pads_begin": "1, 1", "pads_end": "1, 1"}
    kernel = net.constant(weights, name="kernel")
    maps = net.layer("Convolution", [image, kernel], name="conv", auto_pad="explicit", **window)
    features = net.layer("ReLU", [maps], name="relu", tensor="features")
    flat = net.layer("Reshape", [features, net.constant(np.array([0, 6, -1]))], name="flat", special_zero=True)
    parts = [flat, net.constant(np.array(1)), net.constant(np.array([4, 2]))]
    halves = net.layers("VariadicSplit", parts, 2, name="split")
    boxes = net.layer("Transpose", [halves[0], net.constant(np.array([0, 2, 1]))], name="boxes", tensor="boxes")
    scores = net.layer("Sigmoid", [halves[1]], name="scores", tensor="scores")
    limits = [net.constant(np.array(3)), net.constant(f32(0.5), name="iou_threshold"), net.constant(f32(0.1))]
    chosen = net.layers("NonMaxSuppression", [boxes, scores, *limits], 3, 9, name="nms", tensor="selected")
    net.result(features, chosen[0])
    net.save(path)
    layout = '<rt_info><attribute name="layout" version="0" layout="[N,C,H,W]" /></rt_info>'
    path.write_text(path.read_text().replace("<dim>16</dim>\n\t\t\t\t</port>", f"<dim>16</dim>{layout}</port>", 1))


def decoder(path: Path, *, is_stateful: bool) -> None:
    """Write the sum of a sequence and of what came before, as an input and output or as a variable."""
    net = Net(path.stem)
    x, one = net.parameter("x", "1,?"), net.constant(np.array([1]))
    data = {"variable_id": "past", "variable_type": "f32", "variable_shape": "1,?"}
    past = net.layer("ReadValue", [], "1,?", 6, name="read", **data) if is_stateful else net.parameter("past", "1,?")
    present = net.layer("Concat", [past, x], name="cat", tensor="present", axis=1)
    net.result(net.layer("ReduceSum", [present, one], name="sum", tensor="y", keep_dims=True))
    if is_stateful:
        net.layer("Assign", [present], "1,?", 6, name="assign", variable_id="past")
    else:
        net.result(present)
    net.save(path)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that the pages name."""
    folder = tmp_path_factory.mktemp("pages")
    shutil.copytree(EXAMPLES, folder / "examples")
    shutil.copytree(EXAMPLES / "digits", folder / "models")
    shutil.copytree(EXAMPLES / "stories", folder / "model")
    (folder / "model" / "chat_template.jinja").write_text("{{ messages[-1].content }}")
    shutil.copy(EXAMPLES / "extension" / "my_ops.py", folder)
    net = Net()
    image = net.parameter("image", "?,3,?,?")
    axes = net.constant(np.array([2, 3]))
    mean = net.layer("ReduceMean", [image, axes], name="mean", tensor="scores", keep_dims=False)
    net.result(mean)
    for name in ("model", "other", "old/model", "new/model"):
        (folder / name).parent.mkdir(exist_ok=True)
        net.save(folder / f"{name}.xml")
    save(folder / "cat.npy", 1, 3, 224, 224)
    save(folder / "x.npy", 4, 4)
    np.savez(folder / "inputs.npz", image=np.ones((1, 3, 8, 8), np.float32))
    np.savez(folder / "expected.npz", scores=f32([[1, 1, 1]]))
    detector(folder / "detector.xml")
    decoder(folder / "decoder.xml", is_stateful=False)
    decoder(folder / "counter.xml", is_stateful=True)
    np.save(folder / "kernel.npy", np.zeros((6, 3, 3, 3), np.float32))
    for index in range(3):
        save(folder / "inputs" / f"{index}.npy", 1, 3, 8, 8)
        save(folder / "steps" / f"{index}.npy", 1, 3, 8, 8)
    for name in ("labels.npy", "y.npy"):
        np.save(folder / name, np.array([0, 1, 2]))
    (folder / "tile.xml").write_text(LAYER)
    (folder / "check.py").write_text(CHECK)
    save(folder / "frame.npy", 1, 3, 8, 8)
    save_model(convert(load(EXAMPLES / "digits" / "model.xml"), "f16"), folder / "half.xml")
    for name, factor, floor in (("old", 2, 1), ("new", 3, 0), ("generated", 2, 1), ("reference", 3, 1)):
        logarithm(folder / f"{name}.xml", factor, floor)
    if importlib.util.find_spec("PIL") is not None:
        from PIL import Image

        (folder / "photos").mkdir()
        for index in range(3):
            Image.fromarray(np.full((8, 8, 3), 40 * index, np.uint8)).save(folder / "photos" / f"{index}.png")
    return folder


@pytest.fixture
def here(files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(files, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(command: str) -> click.testing.Result:
    arguments = shlex.split(command)[1:]
    return click.testing.CliRunner().invoke(app, arguments, prog_name="irrun")


@pytest.mark.sample(8)
@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("command", [command for _, command in commands()])
def test_a_command_runs(command: str) -> None:
    if needs(command):
        pytest.skip(f"not installed: {', '.join(needs(command))}")
    quick = " --niter 1" if command.startswith(("irrun bench", "irrun profile")) else ""
    if "new-stopped" in command:
        run("irrun run new.xml -i image=frame.npy --stop-at nan,inf")
    result = run(command + quick)
    assert result.exit_code == int(DIFFERENT.match(command) is not None), result.stderr


def test_the_pages_have_commands() -> None:
    assert len(commands()) > 30


def test_the_program_of_the_guide_to_accuracy(here: Path) -> None:
    program = next(block for block in blocks("docs/accuracy.md") if block.startswith("from irrun import debugging"))
    names: dict[str, Any] = {"image": np.load(here / "frame.npy")}
    exec(program, names)
    assert names["stopped"].layer == "log"
    assert names["blamed"].layer == "scale"
    assert [item.as_dict()["layer"] for item in names["compared"].layers.layers] == ["scale", "relu", "Add_5", "log"]
    assert {item.layer for item in names["statistics"]} == {"log"}


@pytest.mark.usefixtures("here")
def test_the_program_of_the_readme() -> None:
    names: dict[str, Any] = {"image": np.full((1, 3, 4, 4), 2, np.float32)}
    exec(next(block for block in blocks("README.md") if block.startswith("import irrun as ov")), names)
    assert names["scores"].tolist() == [[2, 2, 2]]


def test_the_program_of_the_guide_to_running(here: Path) -> None:
    program = next(block for block in blocks("docs/running.md") if block.startswith("import irrun as ov"))
    exec(program, {"image": np.ones((4, 3, 224, 224), np.float32)})
    assert (here / "small.xml").exists()


def test_the_programs_of_the_guide_for_compilers(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for block in blocks("docs/compilers.md"):
        if "import irrun" in block:
            exec(block, {})
    assert "IR301 no operation Tlie in opset1; did you mean Tile?" in capsys.readouterr().out
    assert not irrun.lint(here / "generated.xml")


def test_the_edits_of_the_guide_to_inspecting(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    exec(next(block for block in blocks("docs/inspecting.md") if "irrun.surgery" in block), {})
    assert (here / "piece.xml").exists()
    assert capsys.readouterr().out.endswith("{}\n")


@pytest.mark.parametrize("made", ["batch8.xml", "softmax.xml"])
def test_the_programs_of_the_guide_to_editing(here: Path, made: str) -> None:
    exec(next(block for block in blocks("docs/editing.md") if f'"{made}"' in block), {})
    model, before = load(here / made), load(here / "detector.xml")
    assert model.notes == before.notes
    assert [port.names for port in model.outputs] == [port.names for port in before.outputs]
    assert str(model.inputs[0].partial_shape) == ("[8,3,16,16]" if made == "batch8.xml" else "[1,3,16,16]")


@pytest.mark.usefixtures("here")
def test_the_digit_of_the_readme() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    command = re.search(r"&& \.venv/bin/(irrun run .*)", text)
    answer = re.search(r"the answer: `(top: .*)`", text)
    assert command is not None
    assert answer is not None
    assert run(command[1]).stdout.splitlines()[-1] == answer[1]


@pytest.mark.parametrize(
    ("page", "begin"),
    [
        ("docs/performance.md", "from irrun.evaluation import benchmark"),
        ("docs/many-inputs.md", "from irrun.evaluation import evaluate"),
        ("docs/many-inputs.md", "from irrun.evaluation import run_batch"),
    ],
)
@pytest.mark.usefixtures("here")
def test_a_program_of_a_guide(page: str, begin: str, capsys: pytest.CaptureFixture[str]) -> None:
    program = next(block for block in blocks(page) if block.startswith(begin)).replace("niter=100", "niter=2")
    images = np.linspace(-1, 1, 3 * 3 * 8 * 8, dtype=np.float32).reshape(3, 3, 8, 8)
    exec(program, {"image": images[:1], "images": images, "labels": np.array([2, 2, 2])})
    assert capsys.readouterr().out.splitlines()[-1] in ("mean", "1.0 3", "0 3")


def test_the_page_of_measurements_has_the_text_of_its_program() -> None:
    text = (ROOT / "benchmarks" / "own_model.md").read_text(encoding="utf-8")
    assert text in (ROOT / "docs/performance.md").read_text(encoding="utf-8")
