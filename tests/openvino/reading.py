"""Checks of the notes on models that are read, and of files that are refused."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from tests.openvino.comparing import Check, plain

META = (
    '<meta_data><MO_version value="2021.4"/><cli_parameters><batch value="1"/>'
    '<unset unset_cli_parameters="a, b"/></cli_parameters></meta_data>'
)
QUANTIZED = (
    '<quantization_parameters><config>{"a":1}</config><version value="1"/><cli_params value="x"/>'
    "</quantization_parameters>"
)


def ir(
    notes: str = "",
    version: str = "11",
    *,
    size: str = "1",
    name: str = "x",
    tensor: str = "x",
    output: str = "y",
    result: str = "",
) -> bytes:
    """Return a file of a Relu with notes, an IR version, a first size, and names."""
    ports = [f'<port id="{number}" precision="FP32"{{}}><dim>{size}</dim><dim>3</dim></port>' for number in (0, 1)]
    shape = "1,3" if size not in ("-1",) else "?,3"
    layers = [
        f'<layer id="0" name="{name}" type="Parameter" version="opset1"><data shape="{shape}" element_type="f32"/>'
        f"<output>{ports[0].format(f' names={tensor!r}' if tensor else '')}</output></layer>",
        f'<layer id="1" name="r" type="ReLU" version="opset1"><input>{ports[0].format("")}</input>'
        f"<output>{ports[1].format(f' names={output!r}' if output else '')}</output></layer>",
        f'<layer id="2" name="res" type="Result" version="opset1"{result}><input>{ports[0].format("")}</input></layer>',
    ]
    edges = (
        '<edge from-layer="0" from-port="0" to-layer="1" to-port="0"/>'
        '<edge from-layer="1" from-port="1" to-layer="2" to-port="0"/>'
    )
    net = f'<net name="m" version="{version}"><layers>{"".join(layers)}</layers><edges>{edges}</edges>{notes}</net>'
    return f'<?xml version="1.0"?>{net}'.encode()


def _plain(value: Any) -> Any:
    value = getattr(value, "value", value)
    return {key: _plain(item) for key, item in sorted(value.items())} if hasattr(value, "items") else plain(value)


def read(text: bytes) -> Check:
    """Return a check that reads a file, and a clone of the model, and looks at the notes and the names."""

    def check(ov: Any) -> Any:
        model = ov.Core().read_model(text, b"")
        names = [sorted(port.names) for port in (*model.inputs, *model.outputs)]
        return [_plain(model.get_rt_info()), _plain(model.clone().get_rt_info()), names]

    return check


def written(text: bytes) -> Check:
    """Return a check that writes a model with a further note and reads that."""

    def check(ov: Any) -> Any:
        model = ov.Core().read_model(text, b"")
        model.set_rt_info("value", ["own", "note"])
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "written.xml"
            ov.serialize(model, path, path.with_suffix(".bin"))
            return _plain(ov.Core().read_model(path).get_rt_info())

    return check


FILES: dict[str, bytes] = {
    "without notes": ir(),
    "with notes": ir('<rt_info><Runtime_version value="2025.1"/><a><b value="1"/><c><d value="2"/></c></a></rt_info>'),
    "with empty notes": ir("<rt_info/>"),
    "with empty notes in two tags": ir("<rt_info></rt_info>"),
    "with a note named version": ir('<rt_info><version value="7"/></rt_info>'),
    "with meta data": ir(META),
    "with meta data of version 10": ir(META, "10"),
    "with both": ir(f'<rt_info><MO_version value="b"/></rt_info>{META}'),
    "with quantization": ir(QUANTIZED),
    "with meta data and quantization": ir(META + QUANTIZED),
    "of version 10": ir(version="10"),
    "of a size of -1": ir(size="-1"),
    "of a size of -2": ir(size="-2"),
    "of a size that is no number": ir(size="a"),
    "of a size that is empty": ir(size=""),
    "of one name twice": ir(output="x"),
    "of one name at a result": ir(result=' output_names="x"'),
    "of the name of a layer": ir(name="r", output=""),
    "of the name of a layer, version 10": ir(version="10", name="r", output=""),
    "of the name of a tensor, version 10": ir(version="10", name="p", tensor="r", output=""),
    "of the name of an output, version 10": ir(version="10", name="y"),
}
CHECKS: dict[str, Check] = {
    **{f"file {name}": read(text) for name, text in FILES.items()},
    **{f"file {name}, written": written(text) for name, text in FILES.items() if "with" in name and "10" not in name},
}
