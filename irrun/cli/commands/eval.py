"""Evaluate one operation on tensors.

Tensors are from files or from the command line. The operation may be a file with one bare <layer>.

An argument is an .npy file or a literal: a number, a list, true, false or text in quotes, with the element type in
front where it matters, as in f16:[1,2]. A literal takes the type of the other arguments where the operation requires
the same type; otherwise integers are i64 and other numbers f32. A lone - stands for an optional input that is absent.

\b
Examples:
  irrun eval Add '[[1,2],[3,4]]' '[10,20]'
  irrun eval Tile data.npy '[1,2,3]'
  irrun eval Pad x.npy '[0,1]' '[2,3]' --attr pad_mode=reflect
  irrun eval SoftMax 'f16:[1,2,3]' --attr axis=0 -o scores.npy
  irrun eval tile.xml data.npy '[1,2,3]'
  irrun eval Gather '[10,20,30]' '[2,0]' 0 --opset opset8
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from irrun.cli import literals, values
from irrun.cli.console import detail, result, text_or_json, verbosity
from irrun.cli.extending import extension_option
from irrun.cli.failures import Failure
from irrun.cli.operations import complete_type, known_operations, operation_named, opset_named
from irrun.cli.options import output_option
from irrun.cli.writing import given_files, write_arrays
from irrun.diagnostics import IRError, near_match
from irrun.evaluation.files import saving
from irrun.ops import Fact, Op, OpError
from irrun.ops.attributes import AttributeUnknown
from irrun.ops.calling import infer, run
from irrun.ops.spec import OpSpec
from irrun.tensor import Array, ElementType

if TYPE_CHECKING:
    from irrun.cli.records import EvaluatedTensor

_ASKED = {"bodies": "sub-graphs", "state": "variables", "weights": "a file of weights"}


@click.command(help=__doc__, context_settings={"ignore_unknown_options": True})
@click.argument("type", metavar="TYPE", shell_complete=complete_type)
@click.argument("arguments", metavar="ARG...", nargs=-1)
@click.option("-a", "--attr", "attributes", multiple=True, metavar="NAME=VALUE", help="An attribute; repeatable.")
@click.option(
    "--opset", callback=opset_named, metavar="opsetN", help="Use the operation of this opset instead of the newest."
)
@output_option("Write the outputs: .npy, .npz or a folder.")
@extension_option
@text_or_json
@verbosity
def command(
    type: str,
    arguments: tuple[str, ...],
    attributes: tuple[str, ...],
    opset: str | None,
    output: Path | None,
    output_format: str,
) -> None:
    for text in arguments:
        is_word = text[:1] == "-" and text[1:2].isalpha() and text[1:].lower() not in ("inf", "nan", "infinity")
        if is_word or text.startswith("--"):
            raise click.NoSuchOption(text.partition("=")[0][:40], ctx=click.get_current_context())
    if output is not None:
        saving.check_target(output)
    if type.lower().endswith(".xml"):
        if attributes or opset is not None:
            raise Failure(f"--attr and --opset have no effect: {type} has the layer")
        op = _layer_of(Path(type))
        spec = op.spec
        _check_alone(spec)
    else:
        cls = operation_named(type, opset)
        spec = cls.spec
        _check_alone(spec)
        op = cls(**_attributes(spec, attributes))
    tensors = literals.settle(spec, [literals.parse(text) for text in arguments])
    detail(f"{spec.type} of {spec.version}: {op}")
    outputs = _evaluate(op, tensors)
    named = dict(zip(_names(spec, len(outputs)), outputs, strict=True))
    if output_format == "json":
        result(values.as_json({"outputs": [_record(name, *output) for name, output in named.items()]}))
    for name, (array, kind) in named.items() if output_format == "text" else ():
        result(f"{name}: {kind}{values.shape_text(array)}\n{np.array2string(array, separator=', ')}")
    if output is not None:
        write_arrays(output, named, given_files(arguments))


def _record(name: str, array: Array, kind: ElementType) -> EvaluatedTensor:
    return {"name": name, "type": str(kind), "shape": list(array.shape), "values": array.tolist()}


def _layer_of(path: Path) -> Op:
    """Return the operation of a file that is one bare layer; Failure for other files."""
    from irrun.document import read
    from irrun.graph import bind

    document = read(path)
    if not document.fragment or len(document.net.layers) != 1:
        raise Failure(f"{path} is not one bare <layer>; irrun run runs a model")
    graph, found, _ = bind(document, known_operations())
    op = next((node.op for node in graph.walk() if node.layer is not None), None)
    if op is None:
        raise IRError(found, str(path))
    return op


def _check_alone(spec: OpSpec) -> None:
    """Raise Failure for an operation that cannot run outside a model."""
    asks = {*spec.infer_asks, *spec.run_asks}
    needs = [words for asked, words in _ASKED.items() if asked in asks]
    if needs:
        raise Failure(f"{spec.type} needs {needs[0]}, which only a model has; use irrun run")
    if not spec.inputs:
        raise Failure(f"{spec.type} has no inputs, so there is nothing to evaluate")


def _attributes(spec: OpSpec, texts: Sequence[str]) -> dict[str, Any]:
    given: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise Failure(f"--attr {text} is not of the form NAME=VALUE")
        attribute = spec.attribute(name.strip())
        if attribute is None:
            known = [item.name for item in spec.attributes]
            close = near_match(name, known) or (f"; it has {', '.join(known)}" if known else "; it has none")
            raise AttributeUnknown(f"{spec.type} has no attribute {name}{close}", attribute=name)
        given[attribute.field] = attribute.parse(value)
    return given


def _evaluate(op: Op, tensors: Sequence[tuple[Array, ElementType] | None]) -> list[tuple[Array, ElementType]]:
    facts = [None if tensor is None else Fact.of(tensor[1], tensor[0]) for tensor in tensors]
    inputs = [None if tensor is None else tensor[0] for tensor in tensors]
    types = [fact.type for fact in infer(op, facts)]
    try:
        outputs = run(op, inputs, types, facts=[fact and Fact(fact.type, fact.shape) for fact in facts])
    except OpError:
        raise
    except (ValueError, IndexError, TypeError, ZeroDivisionError, OverflowError) as error:
        raise Failure(f"{op.type}: the computation failed: {error}") from None
    return [
        (array.astype(type.external), type) if type.is_known else (array, values.type_of(array))
        for array, type in zip(outputs, types, strict=True)
    ]


def _names(spec: OpSpec, count: int) -> list[str]:
    last = len(spec.outputs) - 1
    if not spec.outputs[last].variadic:
        return [port.name for port in spec.outputs[:count]]
    return [
        spec.outputs[index].name if index < last else f"{spec.outputs[last].name}.{index - last}"
        for index in range(count)
    ]
