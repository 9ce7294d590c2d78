"""The content of a file that an edit must not lose: as OpenVINO reads it, and as irrun does."""

from __future__ import annotations

import html
import random
import re
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

from irrun.model import Loaded
from irrun.openvino.models.model import Model as OurModel

LAYER: Final = (
    '<attribute name="DisablePrecisionConversion" version="0" value="dynamic:f16" />',
    '<attribute name="decompression" version="0" />',
    '<attribute name="fused_names" version="0" value="one, two" />',
    '<attribute name="old_api_map_element_type" version="0" value="f16" />',
    '<attribute name="precise" version="0" />',
    '<attribute name="preprocessing" version="0" />',
    '<attribute name="primitives_priority" version="0" value="cpu:ref" />',
    '<user_data name="mine" value="a &lt; b" version="" />',
    '<user_data name="nested" version=""><user_data name="inner" value="1" version="" /></user_data>',
)
PORT: Final = (
    '<attribute name="layout" version="0" layout="{layout}" />',
    '<attribute name="memory_type" version="0" value="GPU_SURFACE" />',
    '<attribute name="old_api_map_order" version="0" value="0, 1" />',
    '<user_data name="port" value="2.5" version="" />',
)
NET: Final = """\t<rt_info>
\t\t<info name="a name" value="&quot;x&quot;" />
\t\t<model_info>
\t\t\t<labels value="cat dog" />
\t\t\t<iou_threshold value="0.5" />
\t\t\t<deep><er value="1" /></deep>
\t\t</model_info>
\t</rt_info>
"""

_LAYER: Final = re.compile(r'\n\t\t<layer id="\d+" name="[^"]*" type="(\w+)"[^>]*>(?:\s*<data [^>]*/>)?')
_PORT: Final = re.compile(r"((?:\t+<dim>-?\d+</dim>\n)+)(\t+)</port>")
_NET: Final = re.compile(r"\t<rt_info\s*/>\n</net>|\t<rt_info>(?:(?!<rt_info>).)*</rt_info>\n</net>", re.S)


def noted(text: str, seed: int) -> str:
    """Return a file with runtime information of every kind that OpenVINO writes, on its net, layers and ports."""
    chance = random.Random(seed)

    def layer(found: re.Match[str]) -> str:
        if chance.random() < 0.5 or "<rt_info>" in text[found.end() : found.end() + 20]:
            return found[0]
        kinds = sorted(chance.sample(LAYER, 2))
        return f"{found[0]}\n\t\t\t<rt_info>\n\t\t\t\t{kinds[0]}\n\t\t\t\t{kinds[1]}\n\t\t\t</rt_info>"

    def port(found: re.Match[str]) -> str:
        if chance.random() < 0.7:
            return found[0]
        layout = f"[{','.join('NCDHWXYZ'[: found[1].count('<dim>')])}]"
        kind = chance.choice(PORT).format(layout=layout)
        return f"{found[1]}{found[2]}\t<rt_info>\n{found[2]}\t\t{kind}\n{found[2]}\t</rt_info>\n{found[2]}</port>"

    marked = _PORT.sub(port, _LAYER.sub(layer, text))
    return _NET.sub(lambda _: f"{NET}</net>", marked)


def seen_by_openvino(openvino: Any, path: Path) -> dict[str, Any]:
    """Return what OpenVINO reads of a file: layers by name with all that they have, ends in their order, notes."""
    model = openvino.Core().read_model(path)
    nodes = model.get_ordered_ops()
    known = set(re.findall(r'<layer id="\d+" name="([^"]*)"', path.read_text()))
    return {
        "inputs": [(node.friendly_name, *_port(node.output(0))) for node in model.get_parameters()],
        "outputs": [(node.friendly_name, *_port(node.output(0))) for node in model.get_results()],
        "notes": dict(_notes(model.get_rt_info())),
        "variables": sorted(str(item.info.variable_id) for item in model.get_variables()),
        "name": model.friendly_name,
        **{f"layer {node.friendly_name}": _node(node, known) for node in nodes if _is_in(node, known)},
    }


def _is_in(node: Any, known: set[str]) -> bool:
    """Return whether a layer is in the file: OpenVINO adds some when it reads one."""
    return html.escape(node.friendly_name) in known


def _node(node: Any, known: set[str]) -> dict[str, Any]:
    found: dict[str, Any] = {
        "type": node.get_type_name(),
        "attributes": repr(sorted((key, str(value)) for key, value in node.get_attributes().items())),
        "info": _info(node.get_rt_info()),
        "inputs": [_info(port.get_rt_info()) for port in node.inputs()],
        "sources": [_source(port.get_source_output(), known) for port in node.inputs()],
        "outputs": [_port(port) for port in node.outputs()],
    }
    if node.get_type_name() == "Constant" and node.get_element_type().get_type_name() != "string":
        found["values"] = blake2b(node.data.tobytes()).hexdigest()
    return found


def _source(output: Any, known: set[str]) -> tuple[str, int]:
    node = output.get_node()
    return node.friendly_name if _is_in(node, known) else node.get_type_name(), output.get_index()


def _port(port: Any) -> tuple[Any, ...]:
    return sorted(port.names), str(port.partial_shape), str(port.element_type), _info(port.get_rt_info())


def _info(notes: Any) -> dict[str, str]:
    return dict(_notes({key: value for key, value in notes.items() if not key.startswith("WeightlessCache")}))


def _notes(notes: Any, path: str = "") -> Iterator[tuple[str, str]]:
    for key, value in notes.items():
        if hasattr(value, "items"):
            yield from _notes(value, f"{path}{key}/")
        elif key not in ("__weights_path", "version"):
            yield path + key, _text(value)


def _text(value: Any) -> str:
    if not hasattr(value, "astype"):
        return str(value)
    try:
        return str(value.astype(str))
    except RuntimeError:
        return "set"


def seen_by_irrun(model: Loaded) -> dict[str, Any]:
    """Return what irrun reads of a file, likewise."""
    graph = model.graph
    return {
        "inputs": [(port.node_name, sorted(port.names), str(port.partial_shape)) for port in model.inputs],
        "outputs": [(port.result_name, sorted(port.names), str(port.partial_shape)) for port in model.outputs],
        "notes": model.notes,
        "sinks": [graph.node(id).name for id in graph.sinks],
        "layers": {
            node.name: (
                node.type,
                node.info,
                node.names,
                node.output_names,
                dict(node.layer.data) if node.layer else {},
            )
            for node in graph.walk()
            if node.type != "Const"
        },
        "variables": sorted(item.get_id() for item in OurModel.of(model).get_variables()),
    }


def differences(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """Return what two snapshots do not share."""
    found = []
    for key in dict.fromkeys((*before, *after)):
        first, second = before.get(key), after.get(key)
        if isinstance(first, dict) and isinstance(second, dict):
            found += [f"{key}: {item}" for item in differences(first, second)]
        elif first != second:
            found.append(f"{key}: {first!r} != {second!r}")
    return found
