"""irrun run: inputs from files and at random, printed and written outputs, and one line for every wrong use."""

from __future__ import annotations

import json
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from irrun.cli.arrays import file_stems, member_names
from tests.cases import f32, i64
from tests.cli.conftest import Net, Run

Npy = Callable[[str, Any], str]

EXAMPLES = Path(__file__).parents[2] / "examples"
DIGITS = EXAMPLES / "digits"


def one_line(result: Any) -> str:
    """Return the single line on stderr of a run that failed and printed nothing else."""
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1
    return str(result.stderr).rstrip("\n")


def header(**fields: Any) -> bytes:
    """Return the start of an .npy file with these fields."""
    text = repr(fields).encode()
    text += b" " * (-(len(text) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text


# -- the example of the README


def test_digit(run: Run) -> None:
    result = run("run", DIGITS / "model.xml", "-i", f"image={DIGITS / 'seven.npy'}", "--top", "3")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[0].split()[:2] == ["scores", "f32[1,10]"]
    assert lines[2].startswith("top: class 7 (0.9996), class 9 (0.0002")


def test_layer_by_layer_in_one_thread(run: Run) -> None:
    result = run(
        *("run", DIGITS / "model.xml", "-i", DIGITS / "seven.npy", "--as-written", "--threads", "1", "-v", "--top", "1")
    )
    assert result.exit_code == 0
    assert result.stdout.splitlines()[2] == "top: class 7 (0.9996)"
    fused = run("run", DIGITS / "model.xml", "-i", DIGITS / "seven.npy", "-v")
    steps = [int(text.stderr.split(": ")[1].split(" steps")[0]) for text in (result, fused)]
    assert steps[0] > steps[1]


def test_in_low_memory(run: Run) -> None:
    result = run("run", DIGITS / "model.xml", "-i", DIGITS / "seven.npy", "--low-memory", "--top", "1")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines()[2] == "top: class 7 (0.9996)"


def test_accuracy(run: Run) -> None:
    images, labels = DIGITS / "heldout_images.npy", DIGITS / "heldout_labels.npy"
    result = run("run", DIGITS / "model.xml", "-i", images, "--labels", labels)
    assert result.stdout.splitlines()[-1] == "accuracy: 99.17 % (357 of 360)"
    record = json.loads(
        run("run", DIGITS / "model.xml", "-i", images, "--labels", labels, "--output-format", "json").stdout
    )
    assert record["accuracy"] == {"right": 357, "total": 360, "top1": 357 / 360}
    assert record["outputs"][0]["shape"] == [360, 10]


def test_scores_are_those_of_the_native_engine(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "out.npz"
    run("run", DIGITS / "model.xml", "-i", DIGITS / "heldout_images.npy", "-o", target)
    np.testing.assert_allclose(np.load(target)["scores"], np.load(DIGITS / "expected_scores.npy"), rtol=1e-4, atol=1e-6)


def test_version_10(run: Run, tmp_path: Path, npy: Npy) -> None:
    net = Net("old")
    x = net.parameter("x", "i64", "2")
    net.result(net.layer("Abs", {}, [x], name="y", type="i64"))
    path = Path(net.write(tmp_path / "old.xml"))
    path.write_text(path.read_text().replace('version="11"', 'version="10"'))
    result = run("run", path, "-i", f"x={npy('x.npy', np.array([-5, 7]))}", "-o", tmp_path / "y.npy")
    assert result.stdout == "y  i32[2]  min 5  max 7  mean 6\n  [5, 7]\n"
    assert np.load(tmp_path / "y.npy").dtype == np.int32
    record = json.loads(run("run", path, "--random", "--output-format", "json").stdout)
    assert [(item["name"], item["type"]) for item in record["outputs"]] == [("y", "i32")]


def test_a_layer_of_an_extension_is_named_before_anything_runs(run: Run, tmp_path: Path) -> None:
    net = Net()
    x = net.layer("Edge", {}, [net.parameter("x", "f32", "2")], name="edges", version="extension")
    net.result(net.layer("Blur", {}, [x], version="extension"))
    path = net.write(tmp_path / "custom.xml")
    result = run("run", path, "--random")
    assert (result.exit_code, result.stdout) == (2, "")
    what = "Edge of extension is an operation of a library, which irrun cannot run; expected operations of opset1"
    assert result.stderr.startswith(f'{path}:5:28: error: Edge 1 "edges": {what}')
    assert result.stderr.endswith("= 1 more layer is of extensions: Blur\n")


# -- inputs


@pytest.mark.parametrize("form", ["{}", "image={}", "image:{}", "image:0={}", "image:0:{}"])
def test_input_by_any_name(run: Run, clamp: str, npy: Npy, form: str) -> None:
    result = run("run", clamp, "-i", form.format(npy("x.npy", f32([[-1, 0.5, 2]]))))
    assert result.stdout == "scores  f32[1,3]  min 0  max 1  mean 0.5\n  [[0. , 0.5, 1. ]]\n"
    assert (result.exit_code, result.stderr) == (0, "")


def test_input_name_with_signs_in_it(run: Run, tmp_path: Path, npy: Npy) -> None:
    net = Net()
    net.result(net.parameter("a:b=c", "f32", "1"), name="first")
    net.result(net.parameter("a", "f32", "1"), name="second")
    path = net.write(tmp_path / "signs.xml")
    result = run("run", path, "-i", f"a:b=c={npy('x.npy', [1.0])}", "-i", f"a={npy('y.npy', [2.0])}")
    assert result.stdout.splitlines() == [
        "a:b=c:0  f32[1]  min 1  max 1  mean 1",
        "  [1.]",
        "a:0      f32[1]  min 2  max 2  mean 2",
        "  [2.]",
    ]


def test_npz(run: Run, add: str, tmp_path: Path) -> None:
    named: dict[str, Any] = {"a:0": i64([1, 2]), "b": i64([10, 20])}
    np.savez(tmp_path / "in.npz", **named)
    result = run("run", add, "-i", tmp_path / "in.npz")
    assert result.stdout == (
        "sum        i64[2]  min 11  max 22  mean 16.5\n  [11, 22]\n"
        "dir/small  i64[2]  min 1  max 2  mean 1.5\n  [1, 2]\n"
    )


@pytest.mark.parametrize("file", ["big_endian", "fortran", "float64", "float16"])
def test_layout_and_width_of_an_array_do_not_matter(run: Run, clamp: str, npy: Npy, file: str) -> None:
    values = f32([[0.25, 0.5, 2.0], [0.0, 1.0, 0.0]])
    saved = {
        "big_endian": values.astype(">f4"),
        "fortran": np.asfortranarray(values),
        "float64": values.astype(np.float64),
        "float16": values.astype(np.float16),
    }[file]
    result = run("run", clamp, "-i", npy("x.npy", saved), "--output-format", "json")
    assert json.loads(result.stdout)["outputs"][0]["values"] == [[0.25, 0.5, 1.0], [0.0, 1.0, 0.0]]


def test_wrong_names(run: Run, clamp: str, add: str, npy: Npy, tmp_path: Path) -> None:
    x, pair = npy("x.npy", [[1.0, 2.0, 3.0]]), npy("pair.npy", i64([1, 2]))
    has = 'the model has "a:0" (i64[2]), "b:0" (i64[2])'
    assert one_line(run("run", clamp, "-i", f"imge={x}")) == 'error: no input "imge"; did you mean image?'
    assert one_line(run("run", add, "-i", f"zz={pair}")) == f'error: no input "zz"; {has}'
    assert one_line(run("run", add, "-i", pair)) == f"error: -i {pair} names no input; {has}"
    np.savez(tmp_path / "in.npz", a=i64([1, 2]), c=i64([1, 2]))
    assert one_line(run("run", add, "-i", tmp_path / "in.npz")) == f'error: {tmp_path}/in.npz: no input "c"; {has}'
    assert one_line(run("run", add, "-i", f"a={pair}", "-i", f"a:0={pair}")) == 'error: input "a:0" is given twice'
    assert one_line(run("run", clamp, "-i", "image=")) == 'error: -i image=: no file for input "image:0"'
    assert one_line(run("run", clamp)) == (
        'error: no value for input "image:0" (f32[?,3]); give -i "image:0=FILE.npy" or --random'
    )
    assert one_line(run("run", add, "-i", f"b={pair}")) == (
        'error: no value for input "a:0" (i64[2]); give -i "a:0=FILE.npy" or --random'
    )


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (f32([1, 2, 3]), 'input "image:0" has shape [3], expected [?,3] (rank 1, expected 2)'),
        (
            f32([[1, 2]]),
            "input \"image:0\" has shape [1,2], expected [?,3]; --shape 'image:0[1,2]' reshapes the model",
        ),
        (np.array([["a", "b", "c"]]), 'input "image:0" is <U1, expected f32'),
        (np.array([[1, 2, 3]], np.complex64), "{path} holds complex64, expected numbers, booleans or text"),
        (np.array(["2020-01-01"], "M8[D]"), "{path} holds datetime64[D], expected numbers, booleans or text"),
        (
            np.zeros((1, 3), "V2"),
            "{path} holds |V2: a bf16 array loses its type when NumPy saves it; "
            "save it as f32, array.astype(numpy.float32)",
        ),
        (
            np.array([{}], dtype=object),
            "{path} holds Python objects (pickled), which are never loaded; "
            "save numbers as numbers, and text as a NumPy text array, array.astype(str)",
        ),
    ],
)
def test_wrong_arrays(run: Run, clamp: str, npy: Npy, array: Any, message: str) -> None:
    path = npy("x.npy", array)
    assert one_line(run("run", clamp, "-i", path)) == f"error: {message.replace('{path}', path)}"


def test_wrong_integers(run: Run, tmp_path: Path, npy: Npy) -> None:
    net = Net()
    net.result(net.parameter("n", "i8", "2"))
    path = net.write(tmp_path / "i8.xml")
    assert one_line(run("run", path, "-i", npy("f.npy", [1.0, 2.0]))) == 'error: input "n:0" is float64, expected i8'
    assert one_line(run("run", path, "-i", npy("i.npy", [1, 300]))) == (
        'error: input "n:0" holds 300, expected i8, -128 to 127'
    )
    assert run("run", path, "-i", npy("j.npy", [-128, 127])).stdout.splitlines()[1] == "  [-128,  127]"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "{path} is no NumPy file, expected an array saved with numpy.save (.npy) or numpy.savez (.npz)"),
        (b"hello", "{path} is no NumPy file, expected an array saved with numpy.save (.npy) or numpy.savez (.npz)"),
        (b"\x93NUMPY\x09\x00aaaa", "{path} cannot be read: "),
        (b"PK\x03\x04junk", "{path} cannot be read: File is not a zip file"),
        (header(descr="<f4", fortran_order=False), "{path} cannot be read: "),
        (header(descr="zz", fortran_order=False, shape=(1,)), "{path} cannot be read: "),
        (header(descr="<f4", fortran_order=False, shape=(1, 3)), "{path} cannot be read: "),
        (header(descr="<f4", fortran_order=False, shape=(-1,)), "{path} cannot be read: its header is not that of"),
        (header(descr="<U0", fortran_order=False, shape=(1,)), '{path} cannot be read: there is no type "<U0"'),
        (
            header(descr="<f4", fortran_order=False, shape=(2**40, 2**20)),
            "{path} cannot be read: float32[1099511627776,1048576] takes 4611686018427387904 bytes, and 0 follow",
        ),
        (
            header(descr="<f4", fortran_order=False, shape=tuple([1] * 65)),
            "{path} cannot be read: it has 65 axes, expected 64 at most",
        ),
        (
            header(descr="<f4", fortran_order=False, shape=(), x=" " * 60_000),
            "{path} cannot be read: its header has 60",
        ),
        (header(descr="<f4" + " " * 9_000, fortran_order=False, shape=()), "{path} cannot be read: its header is not"),
    ],
)
def test_broken_files(run: Run, clamp: str, tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "x.npy"
    path.write_bytes(content)
    assert one_line(run("run", clamp, "-i", path)).startswith(f"error: {message.replace('{path}', str(path))}")


def test_missing_files(run: Run, clamp: str, tmp_path: Path) -> None:
    assert one_line(run("run", clamp, "-i", "image=no.npy")) == "error: no.npy: No such file or directory"
    assert one_line(run("run", clamp, "-i", tmp_path)) == f"error: {tmp_path}: Is a directory"
    result = run("run", tmp_path / "no.xml")
    assert result.exit_code == 2
    assert "does not exist" in result.stderr


# -- random inputs and shapes


def test_random_is_seeded(run: Run, clamp: str) -> None:
    arguments = ["run", clamp, "--random", "--shape", "image[2,3]", "--output-format", "json"]
    first, again = run(*arguments, "--seed", "5").stdout, run(*arguments, "--seed", "5").stdout
    assert first == again
    assert first != run(*arguments, "--seed", "6").stdout


def test_random_value_does_not_depend_on_what_is_given(run: Run, add: str, npy: Npy) -> None:
    alone = json.loads(run("run", add, "--random", "--output-format", "json").stdout)["outputs"][0]["values"]
    given = run("run", add, "--random", "-i", f"a={npy('a.npy', i64([0, 0]))}", "--output-format", "json").stdout
    b = json.loads(given)["outputs"][0]["values"]
    small = json.loads(run("run", add, "-i", f"b={npy('b.npy', i64(b))}", "--random", "--output-format", "json").stdout)
    assert small["outputs"][0]["values"] == alone


@pytest.mark.parametrize(
    ("type", "least", "most"),
    [("i64", 0, 3), ("u8", 0, 3), ("i4", 0, 3), ("u1", 0, 1), ("u2", 0, 3), ("i8", 0, 3)],
)
def test_random_integers_are_small(run: Run, tmp_path: Path, type: str, least: int, most: int) -> None:
    net = Net()
    net.result(net.parameter("n", type, "1000"))
    record = json.loads(run("run", net.write(tmp_path / "n.xml"), "--random", "--output-format", "json").stdout)
    assert (record["outputs"][0]["min"], record["outputs"][0]["max"]) == (least, most)


def test_random_floats_are_standard_normal(run: Run, tmp_path: Path) -> None:
    net = Net()
    net.result(net.parameter("x", "f32", "100000"))
    known = json.loads(run("run", net.write(tmp_path / "x.xml"), "--random", "--output-format", "json").stdout)[
        "outputs"
    ][0]
    assert abs(known["mean"]) < 0.02
    assert 3.5 < known["max"] < 6
    assert -6 < known["min"] < -3.5


def test_random_booleans_and_strings(run: Run, tmp_path: Path) -> None:
    net = Net()
    net.result(net.parameter("b", "boolean", "1000"))
    net.result(net.parameter("s", "string", "1,2"))
    known = json.loads(run("run", net.write(tmp_path / "b.xml"), "--random", "--output-format", "json").stdout)[
        "outputs"
    ]
    assert 400 < known[0]["true"] < 600
    assert [len(word) for word in known[1]["values"][0]] == [5, 5]


def test_random_sizes_of_dynamic_dims(run: Run, tmp_path: Path) -> None:
    net = Net()
    net.result(net.parameter("x", "f32", "?,3..5,0..2,2"))
    path = net.write(tmp_path / "x.xml")
    shape = ["run", path, "--random", "--output-format", "json"]
    assert json.loads(run(*shape).stdout)["outputs"][0]["shape"] == [1, 3, 1, 2]
    assert json.loads(run(*shape, "--shape", "x[7,2..5,?,2]").stdout)["outputs"][0]["shape"] == [7, 2, 1, 2]
    assert json.loads(run(*shape, "--shape", "[7,4,1,2]").stdout)["outputs"][0]["shape"] == [7, 4, 1, 2]


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ("imag[1,3]", 'no input "imag"; did you mean image?'),
        ("1,x", "--shape 1,x is not of the form NAME[1,3,?,2..5]"),
        (
            "image[1,x]",
            '--shape image[1,x]: "[1,x]" is no shape, expected sizes, ? or intervals such as [1,3,?,2..5]',
        ),
        ("image[1,3", '--shape image[1,3: "[1,3" is no shape, expected sizes, ? or intervals such as [1,3,?,2..5]'),
    ],
)
def test_wrong_shapes(run: Run, clamp: str, shape: str, message: str) -> None:
    assert one_line(run("run", clamp, "--random", "--shape", shape)) == f"error: {message}"


def test_reshape_that_does_not_fit(run: Run, add: str) -> None:
    result = run("run", add, "--random", "--shape", "a[3]")
    assert result.exit_code == 2
    assert "shapes [3] and [2] do not broadcast: 3 and 2 differ and neither is 1 [IR304]" in result.stderr


def test_random_without_a_rank_or_without_end(run: Run, tmp_path: Path) -> None:
    net = Net()
    net.result(net.parameter("x", "f32", "..."))
    assert one_line(run("run", net.write(tmp_path / "x.xml"), "--random")) == (
        'error: input "x:0" has a dynamic rank, expected a shape for its random value'
    )
    net = Net()
    net.result(net.parameter("x", "f32", "4194304,4194304,4194304"))
    result = run("run", net.write(tmp_path / "x.xml"), "--random")
    assert (result.exit_code, "takes 2^63 bytes or more [IR902]" in result.stderr) == (2, True)


def test_sizes_that_were_made_up_are_told_of_where_a_run_fails(run: Run, tmp_path: Path) -> None:
    net = Net()
    image, kernel = net.parameter("image", "f32", "1,1,?,?"), net.parameter("kernel", "f32", "1,1,3,3")
    window = {"strides": "1,1", "pads_begin": "0,0", "pads_end": "0,0", "dilations": "1,1"}
    net.result(net.layer("Convolution", window, [image, kernel]))
    path = net.write(tmp_path / "conv.xml")
    result = run("run", path, "--random")
    assert result.exit_code == 2
    note, error = result.stderr.splitlines()[:2]
    assert note == (
        "note: dynamic dims of random inputs are as small as can be; --shape 'image:0[...]' gives other sizes"
    )
    assert "a window of 3 does not fit on spatial axis 0 with 1 elements" in error
    assert run("run", path, "--random", "--shape", "image[1,1,3,3]").stdout.startswith("Convolution_2  f32[1,1,1,1]  ")


# -- weights


def test_weights_elsewhere(run: Run, tmp_path: Path, npy: Npy) -> None:
    net = Net()
    net.result(net.layer("Add", {}, [net.parameter("x", "f32", "2"), net.const(f32([1, 2]), "f32")], name="y"))
    path = net.write(tmp_path / "model.xml")
    (tmp_path / "model.bin").rename(tmp_path / "other.bin")
    x = npy("x.npy", [10.0, 20.0])
    lost = run("run", path, "-i", x)
    assert (lost.exit_code, lost.stdout) == (2, "")
    assert "there is no file of weights [IR501]" in lost.stderr
    found = run("run", path, "-i", x, "--weights", tmp_path / "other.bin")
    assert found.stdout.splitlines()[1] == "  [11., 22.]"


def test_findings_that_do_not_stop_a_run_are_announced(run: Run, tmp_path: Path) -> None:
    net = Net()
    x = net.parameter("x", "f32", "2")
    net.result(net.layer("Clamp", {"min": "0", "max": "1", "strange": "1"}, [x], name="y"))
    path = net.write(tmp_path / "strange.xml")
    result = run("run", path, "--random")
    assert result.exit_code == 0
    assert result.stderr == f"warning: 1 finding in {path}; irrun lint {path} shows it\n"
    assert run("run", "-q", path, "--random").stderr == ""
    assert (
        'warning of layer "y" (Clamp): Clamp has no attribute strange [IR302]'
        in run("run", "-v", path, "--random").stderr
    )


# -- printed output


def test_nan_and_infinity_are_counted(run: Run, tmp_path: Path, npy: Npy) -> None:
    net = Net()
    net.result(net.parameter("x", "f32", "?"), name="x")
    path = net.write(tmp_path / "x.xml")
    values = npy("x.npy", f32([1, np.nan, np.inf, -np.inf, 3]))
    assert run("run", path, "-i", values).stdout.splitlines()[0] == "x:0  f32[5]  min 1  max 3  mean 2  1 NaN  2 Inf"
    known = json.loads(run("run", path, "-i", values, "--output-format", "json").stdout)["outputs"][0]
    assert known["values"] == [1.0, "NaN", "Infinity", "-Infinity", 3.0]
    assert (known["nan"], known["inf"]) == (1, 2)
    nothing = npy("n.npy", f32([np.nan, np.nan]))
    assert run("run", path, "-i", nothing).stdout == "x:0  f32[2]  all NaN\n  [nan, nan]\n"
    assert run("run", path, "-i", npy("e.npy", f32([]))).stdout == "x:0  f32[0]  empty\n"


def test_many_values_are_not_printed(run: Run, tmp_path: Path, npy: Npy) -> None:
    net = Net()
    net.result(net.parameter("x", "f32", "?"), name="x")
    path = net.write(tmp_path / "x.xml")
    assert run("run", path, "-i", npy("x.npy", f32(range(11)))).stdout == "x:0  f32[11]  min 0  max 10  mean 5\n"


def test_strings_and_booleans(run: Run, tmp_path: Path, npy: Npy) -> None:
    net = Net()
    net.result(net.parameter("s", "string", "?"))
    net.result(net.parameter("b", "boolean", "3"))
    path = net.write(tmp_path / "s.xml")
    words, flags = (
        npy("s.npy", np.array([f"w{index}" for index in range(12)])),
        npy("b.npy", np.array([True, False, True])),
    )
    assert run("run", path, "-i", f"s={words}", "-i", f"b={flags}").stdout == (
        "s:0  string[12]\n  ['w0', 'w1', 'w2', 'w3', 'w4', 'w5', 'w6', 'w7', 'w8', 'w9'] and 2 more\n"
        "b:0  boolean[3]  2 of 3 true\n  [ True, False,  True]\n"
    )


def test_top_of_several_rows(run: Run, clamp: str, npy: Npy) -> None:
    rows = npy("x.npy", f32([[0.1, 0.9, 0.5], [0.7, 0.2, 0.7]]))
    lines = run("run", clamp, "-i", rows, "--top", "2").stdout.splitlines()
    assert lines[-2:] == ["top: row 0: class 1 (0.9), class 2 (0.5)", "top: row 1: class 0 (0.7), class 2 (0.7)"]


def test_top_where_there_are_no_scores(run: Run, clamp: str) -> None:
    result = run("run", clamp, "--random", "--shape", "image[11,3]", "--top", "1")
    assert result.stderr == "note: --top shows up to 10 rows of scores, and no output is that\n"


def test_accuracy_and_wrong_labels(run: Run, clamp: str, npy: Npy) -> None:
    rows = npy("x.npy", f32([[0.1, 0.9, 0.5], [0.7, 0.2, 0.1], [np.nan, 0, 0]]))

    def labelled(labels: Any) -> Any:
        return run("run", clamp, "-i", rows, "--labels", npy("labels.npy", labels))

    assert labelled([1, 0, 0]).stdout.splitlines()[-1] == "accuracy: 66.67 % (2 of 3)"
    assert labelled([[2], [1], [1]]).stdout.splitlines()[-1] == "accuracy: 0.00 % (0 of 3)"
    assert one_line(labelled([1, 0])) == 'error: there are 2 labels, expected 3, one for each row of output "scores"'
    assert one_line(labelled([1.0, 0.0, 0.0])) == "error: the labels are float64, expected integers"


# -- written output


def test_folder(run: Run, add: str, tmp_path: Path) -> None:
    np.savez(tmp_path / "in.npz", a=i64([1, 5]), b=i64([10, 20]))
    target = tmp_path / "new" / "folder"
    result = run("run", add, "-i", tmp_path / "in.npz", "-o", target)
    assert result.stderr == f"note: wrote {target}/sum.npy\nnote: wrote {target}/dir_small.npy\n"
    assert np.load(target / "sum.npy").tolist() == [11, 25]
    assert np.load(target / "dir_small.npy").tolist() == [1, 2]


def test_npz_keeps_names(run: Run, add: str, tmp_path: Path) -> None:
    target = tmp_path / "out.npz"
    run("run", add, "--random", "-o", target)
    assert np.load(target).files == ["sum", "dir/small"]


def test_one_array_in_one_file(run: Run, clamp: str, npy: Npy, tmp_path: Path) -> None:
    target = tmp_path / "y.npy"
    run("-q", "run", clamp, "-i", npy("x.npy", f32([[5, 0.5, -5]])), "-o", target)
    written = np.load(target)
    assert (written.dtype, written.tolist()) == (np.float32, [[1.0, 0.5, 0.0]])


def test_targets_that_cannot_be(run: Run, add: str, tmp_path: Path) -> None:
    both = tmp_path / "both.npy"
    assert one_line(run("run", add, "--random", "-o", both)) == (
        f"error: {both} holds one array, and there are 2 outputs; give a folder or an .npz file"
    )
    below = Path(add) / "sub"
    assert one_line(run("run", add, "--random", "-o", below)) == f"error: {below}: {add} is a file, expected a folder"


def test_types_that_numpy_does_not_have(run: Run, tmp_path: Path) -> None:
    net = Net()
    for type in ("bf16", "f8e4m3", "u4", "f16"):
        net.result(net.parameter(type, type, "2"))
    result = run("run", net.write(tmp_path / "narrow.xml"), "--random", "-o", tmp_path / "out.npz")
    assert result.exit_code == 0
    assert result.stderr.splitlines()[:3] == [
        'note: "bf16:0" is bf16, which NumPy does not have: it is written as float32',
        'note: "f8e4m3:0" is f8e4m3, which NumPy does not have: it is written as float32',
        'note: "u4:0" is u4, which NumPy does not have: it is written as uint8',
    ]
    assert np.load(tmp_path / "out.npz")["f16:0"].dtype == np.float16


def test_strings_are_written_as_text(run: Run, tmp_path: Path, npy: Npy) -> None:
    net = Net()
    net.result(net.parameter("s", "string", "2"))
    target = tmp_path / "out.npy"
    run("run", net.write(tmp_path / "s.xml"), "-i", npy("s.npy", np.array(["a", "bcd"])), "-o", target)
    assert np.load(target, allow_pickle=False).tolist() == ["a", "bcd"]


@pytest.mark.parametrize("name", ["out.npz", "out.npy", "folder"])
def test_a_file_that_is_read_is_not_overwritten(run: Run, clamp: str, npy: Npy, tmp_path: Path, name: str) -> None:
    target = tmp_path / name
    assert run("run", clamp, "-i", npy("x.npy", f32([[5, 0.5, -5]])), "-o", target).exit_code == 0
    (source,) = target.iterdir() if target.is_dir() else [target]
    if name == "out.npz":
        np.savez(source, **{"image:0": f32([[5, 0.5, -5]])})
    content = source.read_bytes()
    result = run("run", clamp, "-i", source, "-o", target)
    assert result.exit_code == 2
    assert result.stderr == f"error: {source} is read by this command, expected another file for the output\n"
    assert source.read_bytes() == content


@pytest.mark.parametrize("target", ["out.npz", "out.npy", "out"])
def test_an_output_takes_its_place_when_it_is_complete(
    run: Run, clamp: str, npy: Npy, tmp_path: Path, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = npy("x.npy", f32([[5, 0.5, -5]]))
    assert run("run", clamp, "-i", given, "-o", tmp_path / target).exit_code == 0
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}

    def full(file: Any, *_: object, **__: object) -> None:
        file.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("numpy.lib.format.write_array", full)
    result = run("run", clamp, "-i", given, "-o", tmp_path / target)
    assert (result.exit_code, "No space left on device" in result.stderr) == (2, True)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_member_names() -> None:
    assert member_names(dict.fromkeys(["a/b:0", "x.1"])) == ["a/b:0", "x.1"]
    unsafe = ["../../evil", "/etc/passwd", "C:\\x", "a//b", "a/./b", "", "nul\0", "evil", "fine/x"]
    assert member_names(dict.fromkeys(unsafe)) == [
        *("evil_", "etc_passwd", "C_x", "a_b", "a_._b", "output", "nul", "evil", "fine/x"),
    ]


def test_unsafe_names_of_outputs_are_changed_and_said(run: Run, tmp_path: Path) -> None:
    net = Net()
    net.result(net.layer("Parameter", {"element_type": "f32", "shape": "1"}, name="x", type="f32", tensor="../../evil"))
    result = run("run", net.write(tmp_path / "evil.xml"), "--random", "-o", tmp_path / "out.npz")
    assert np.load(tmp_path / "out.npz").files == ["evil"]
    assert 'note: "../../evil" is no safe name of a file: it is written as "evil"\n' in result.stderr


@pytest.mark.parametrize("content", [b"", b"\x80\x04N.", b"text"])
def test_other_members_of_an_archive(run: Run, clamp: str, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("note.txt", content)
    assert one_line(run("run", clamp, "-i", path)) == (
        f'error: "note.txt" in {path} cannot be read: expected the start of an .npy file, version 1.0 to 3.0'
    )


def test_file_stems() -> None:
    assert file_stems(dict.fromkeys(["a/b:0", "a_b_0", "A_B_0", "../..", "", "é", "x.1"])) == [
        "a_b_0",
        "a_b_0_2",
        "A_B_0_3",
        "output",
        "output_2",
        "output_3",
        "x.1",
    ]


def test_outputs_of_one_name_are_both_written(run: Run, tmp_path: Path, npy: Npy) -> None:
    net = Net()
    x = net.parameter("x", "f32", "1")
    net.result(x, name="r0")
    net.result(x, name="r1")
    run("run", net.write(tmp_path / "twice.xml"), "-i", npy("x.npy", [3.0]), "-o", tmp_path / "out.npz")
    assert np.load(tmp_path / "out.npz").files == ["x:0", "x:0_1"]
