"""irrun run: inputs from files and at random, and one line for every wrong use."""

from __future__ import annotations

import json
import struct
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.cases import f32, i64
from tests.cli.conftest import Npy, Run, one_line
from tests.nets import Net

EXAMPLES = Path(__file__).parents[2] / "examples"
DIGITS = EXAMPLES / "digits"


def header(**fields: Any) -> bytes:
    """Return the start of an .npy file with these fields."""
    text = repr(fields).encode()
    text += b" " * (-(len(text) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text


# -- inputs


@pytest.mark.parametrize("form", ["{}", "image={}", "image:{}", "image:0={}", "image:0:{}"])
def test_input_by_any_name(run: Run, clamp: Path, npy: Npy, form: str) -> None:
    result = run("run", clamp, "-i", form.format(npy("x.npy", f32([[-1, 0.5, 2]]))))
    assert result.stdout == "scores  f32[1,3]  min 0  max 1  mean 0.5\n  [[0. , 0.5, 1. ]]\n"
    assert (result.exit_code, result.stderr) == (0, "")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["run", "m.xml", "x.npy"], "unexpected argument x.npy; did you mean -i x.npy?"),
        (["run", "m.xml", "a=x.npy", "y.png"], "unexpected arguments a=x.npy y.png; did you mean -i a=x.npy -i y.png?"),
        (["run", "x.npy", "m.xml"], "unexpected argument m.xml; did you mean irrun run m.xml -i x.npy?"),
        (["run", "m.xml", "n.xml"], "unexpected argument n.xml"),
        (["bench", "m.xml", "x.npy"], "unexpected argument x.npy; did you mean -i x.npy?"),
        (["debug", "blame", "m.xml", "n.xml", "x.npy"], "unexpected argument x.npy; did you mean -i x.npy?"),
    ],
)
def test_a_file_without_its_option(run: Run, folder: Path, words: list[str], message: str) -> None:
    for name in ("m.xml", "n.xml", "x.npy"):
        (folder / name).write_bytes(b"")
    result = run(*words)
    assert (result.exit_code, result.stderr.splitlines()[-1]) == (2, f"Error: {message}")


def test_a_folder_in_place_of_a_model(run: Run, folder: Path) -> None:
    message = "Error: Invalid value for 'MODEL': digits is a folder"
    (folder / "digits").mkdir()
    assert run("run", "digits").stderr.splitlines()[-1] == f"{message}, expected a file"
    (folder / "digits" / "model.xml").write_bytes(b"")
    assert run("run", "digits").stderr.splitlines()[-1] == f"{message}; did you mean digits/model.xml?"
    (folder / "digits" / "other.xml").write_bytes(b"")
    assert run("info", "digits").stderr.splitlines()[-1] == f"{message}, expected a file"


def test_input_name_with_signs_in_it(run: Run, tmp_path: Path, npy: Npy) -> None:
    net = Net()
    net.result(net.parameter("a:b=c", "1"), name="first")
    net.result(net.parameter("a", "1"), name="second")
    path = net.save(tmp_path / "signs.xml")
    result = run("run", path, "-i", f"a:b=c={npy('x.npy', [1.0])}", "-i", f"a={npy('y.npy', [2.0])}")
    assert result.stdout.splitlines() == [
        "a:b=c  f32[1]  min 1  max 1  mean 1",
        "  [1.]",
        "a      f32[1]  min 2  max 2  mean 2",
        "  [2.]",
    ]


def test_npz(run: Run, add: Path, tmp_path: Path) -> None:
    named: dict[str, Any] = {"a:0": i64([1, 2]), "b": i64([10, 20])}
    np.savez(tmp_path / "in.npz", **named)
    result = run("run", add, "-i", tmp_path / "in.npz")
    assert result.stdout == (
        "sum        i64[2]  min 11  max 22  mean 16.5\n  [11, 22]\n"
        "dir/small  i64[2]  min 1  max 2  mean 1.5\n  [1, 2]\n"
    )


@pytest.mark.parametrize("file", ["big_endian", "fortran", "float64", "float16"])
def test_layout_and_width_of_an_array_do_not_matter(run: Run, clamp: Path, npy: Npy, file: str) -> None:
    values = f32([[0.25, 0.5, 2.0], [0.0, 1.0, 0.0]])
    saved = {
        "big_endian": values.astype(">f4"),
        "fortran": np.asfortranarray(values),
        "float64": values.astype(np.float64),
        "float16": values.astype(np.float16),
    }[file]
    result = run("run", clamp, "-i", npy("x.npy", saved), "--output-format", "json")
    assert json.loads(result.stdout)["outputs"][0]["values"] == [[0.25, 0.5, 1.0], [0.0, 1.0, 0.0]]


def test_wrong_names(run: Run, clamp: Path, add: Path, npy: Npy, tmp_path: Path) -> None:
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
def test_wrong_arrays(run: Run, clamp: Path, npy: Npy, array: Any, message: str) -> None:
    path = npy("x.npy", array)
    assert one_line(run("run", clamp, "-i", path)) == f"error: {message.replace('{path}', path)}"


def test_wrong_integers(run: Run, tmp_path: Path, npy: Npy) -> None:
    net = Net()
    net.result(net.parameter("n", "2", "i8"))
    path = net.save(tmp_path / "i8.xml")
    assert one_line(run("run", path, "-i", npy("f.npy", [1.0, 2.0]))) == 'error: input "n" is float64, expected i8'
    assert one_line(run("run", path, "-i", npy("i.npy", [1, 300]))) == (
        'error: input "n" holds 300, expected i8, -128 to 127'
    )
    assert run("run", path, "-i", npy("j.npy", [-128, 127])).stdout.splitlines()[1] == "  [-128,  127]"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "{path} is not a NumPy file, expected an array saved with numpy.save (.npy) or numpy.savez (.npz)"),
        (b"hello", "{path} is not a NumPy file, expected an array saved with numpy.save (.npy) or numpy.savez (.npz)"),
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
            header(descr="<f4", fortran_order=False, shape=(1, 3)) + bytes(13),
            "{path} cannot be read: 1 byte after the array, expected none",
        ),
        (
            header(descr="<f4", fortran_order=False, shape=tuple([1] * 65)),
            "{path} cannot be read: it has 65 axes, expected at most 64",
        ),
        (
            header(descr="<f4", fortran_order=False, shape=(), x=" " * 60_000),
            "{path} cannot be read: its header has 60",
        ),
        (header(descr="<f4" + " " * 9_000, fortran_order=False, shape=()), "{path} cannot be read: its header is not"),
    ],
)
def test_broken_files(run: Run, clamp: Path, tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "x.npy"
    path.write_bytes(content)
    assert one_line(run("run", clamp, "-i", path)).startswith(f"error: {message.replace('{path}', str(path))}")


def test_members_hold_one_array_each(run: Run, clamp: Path, tmp_path: Path) -> None:
    """The checksum of a member is compared at its end."""
    path = tmp_path / "x.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("image.npy", header(descr="<f4", fortran_order=False, shape=(1, 3)) + bytes(24))
    expected = f'error: "image" in {path} cannot be read: 12 bytes after the array, expected none'
    assert one_line(run("run", clamp, "-i", path)) == expected
    np.savez(path, image=f32([[1, 2, 3]]))
    path.write_bytes(path.read_bytes().replace(np.float32(3).tobytes(), np.float32(4).tobytes()))
    expected = f"error: {path} cannot be read: Bad CRC-32 for file 'image.npy'"
    assert one_line(run("run", clamp, "-i", path)) == expected


def test_compressed_arrays_are_bounded_by_the_budget(run: Run, clamp: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    np.savez_compressed(path, image=np.zeros((1 << 20, 3), np.float32))
    assert path.stat().st_size < 1 << 16
    result = run("run", clamp, "-i", path, "--max-memory", "4MiB")
    assert (result.exit_code, result.stdout) == (2, "")
    message = f'"image" in {path} takes 12 MiB, the budget leaves 4 MiB; --max-memory raises it'
    assert result.stderr == f"error: {message}\n"
    assert run("run", clamp, "-i", path, "--max-memory", "1GiB").exit_code == 0


def test_arrays_of_the_same_name(run: Run, clamp: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    np.savez(path, image=np.zeros((1, 3), np.float32))
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("image", archive.read("image.npy"))
    result = run("run", clamp, "-i", path)
    assert (result.exit_code, result.stderr) == (2, f'error: "image" in {path} occurs twice\n')


def test_missing_files(run: Run, clamp: Path, tmp_path: Path) -> None:
    assert one_line(run("run", clamp, "-i", "image=no.npy")) == "error: no.npy: No such file or directory"
    assert one_line(run("run", clamp, "-i", tmp_path)) == f"error: {tmp_path}: Is a directory"
    result = run("run", tmp_path / "no.xml")
    assert result.exit_code == 2
    assert "does not exist" in result.stderr


# -- random inputs and shapes


def test_random_is_seeded(run: Run, clamp: Path) -> None:
    arguments = ["run", clamp, "--random", "--shape", "image[2,3]", "--output-format", "json"]
    first, again = run(*arguments, "--seed", "5").stdout, run(*arguments, "--seed", "5").stdout
    assert first == again
    assert first != run(*arguments, "--seed", "6").stdout


def test_random_value_does_not_depend_on_what_is_given(run: Run, add: Path, npy: Npy) -> None:
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
    net.result(net.parameter("n", "1000", type))
    record = json.loads(run("run", net.save(tmp_path / "n.xml"), "--random", "--output-format", "json").stdout)
    assert (record["outputs"][0]["min"], record["outputs"][0]["max"]) == (least, most)


def test_random_floats_are_standard_normal(run: Run, tmp_path: Path) -> None:
    net = Net()
    net.result(net.parameter("x", "100000"))
    known = json.loads(run("run", net.save(tmp_path / "x.xml"), "--random", "--output-format", "json").stdout)[
        "outputs"
    ][0]
    assert abs(known["mean"]) < 0.02
    assert 3.5 < known["max"] < 6
    assert -6 < known["min"] < -3.5


def test_random_booleans_and_strings(run: Run, tmp_path: Path) -> None:
    net = Net()
    net.result(net.parameter("b", "1000", "boolean"))
    net.result(net.parameter("s", "1,2", "string"))
    known = json.loads(run("run", net.save(tmp_path / "b.xml"), "--random", "--output-format", "json").stdout)[
        "outputs"
    ]
    assert 400 < known[0]["true"] < 600
    assert [len(word) for word in known[1]["values"][0]] == [5, 5]


def test_random_sizes_of_dynamic_dims(run: Run, tmp_path: Path) -> None:
    net = Net()
    net.result(net.parameter("x", "?,3..5,0..2,2"))
    path = net.save(tmp_path / "x.xml")
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
            '--shape image[1,x]: "[1,x]" is not a shape, expected sizes, ? or intervals such as [1,3,?,2..5]',
        ),
        ("image[1,3", '--shape image[1,3: "[1,3" is not a shape, expected sizes, ? or intervals such as [1,3,?,2..5]'),
    ],
)
def test_wrong_shapes(run: Run, clamp: Path, shape: str, message: str) -> None:
    assert one_line(run("run", clamp, "--random", "--shape", shape)) == f"error: {message}"


def test_reshape_that_does_not_fit(run: Run, add: Path) -> None:
    result = run("run", add, "--random", "--shape", "a[3]")
    assert result.exit_code == 2
    assert "shapes [3] and [2] do not broadcast: 3 and 2 differ and neither is 1 [IR304]" in result.stderr


def test_random_without_a_rank_or_without_end(run: Run, tmp_path: Path) -> None:
    net = Net()
    net.result(net.parameter("x", "..."))
    assert one_line(run("run", net.save(tmp_path / "x.xml"), "--random")) == (
        'error: input "x" has a dynamic rank, expected a shape for its random value'
    )
    net = Net()
    net.result(net.parameter("x", "4194304,4194304,4194304"))
    result = run("run", net.save(tmp_path / "x.xml"), "--random")
    assert (result.exit_code, "takes 2^63 bytes or more [IR902]" in result.stderr) == (2, True)


def test_sizes_that_were_made_up_are_told_of_where_a_run_fails(run: Run, tmp_path: Path) -> None:
    net = Net()
    x = net.parameter("x", "?")
    net.result(net.layer("Reshape", [x, net.constant([3, -1])], "3,?", special_zero=True))
    net.result(net.layer("Add", [x, net.normal(8)], "8"))
    path = net.save(tmp_path / "conv.xml")
    result = run("run", path, "--random")
    assert result.exit_code == 2
    note, error = result.stderr.splitlines()[:2]
    assert note == (
        "note: dynamic dims of random inputs have a size that was chosen; --shape 'x[...]' gives another one"
    )
    assert "shape [3,-1] does not divide data [1] of 1 elements" in error
