"""Rewritings of a model that mean the same, as exporters and compressors write it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from irrun.debugging.places import Passer
from irrun.debugging.replaying import Layers
from irrun.graph import Node, Outlet
from irrun.model import Loaded
from irrun.tensor import Array
from irrun.tensor.element_type import F16, I64, ElementType
from tests.lab.pairs.editing import Edit, is_float

Inputs = Mapping[int, Array]
U8, I8, U4, I4 = (ElementType.named(name) for name in ("u8", "i8", "u4", "i4"))
PRODUCTS: Final = ("MatMul", "Convolution", "GroupConvolution")


def tensors_of(model: Loaded, inputs: Inputs) -> dict[Outlet, Array]:
    """Return a copy of each tensor of a run."""
    found: dict[Outlet, Array] = {}
    Layers(model).run(dict(inputs), Passer(lambda outlet, array: found.__setitem__(outlet, array.copy())))
    for place, id in enumerate(model.graph.parameters):
        found[Outlet(id, 0)] = inputs[place]
    return found


def renamed(model: Loaded, inputs: Inputs) -> Loaded | None:
    """Other names of layers and inner tensors, those of inputs and outputs apart."""
    del inputs
    edit = Edit(model)
    ends = {edit.source(model.graph.node(id)).node for id in model.graph.results}
    numbers = np.random.default_rng(7).permutation(len(model.graph))
    for number, node in zip(numbers, list(model.graph.ordered()), strict=True):
        if node.type not in ("Parameter", "Result") and node.id not in ends:
            edit.graph.update(node._replace(name=f"op_{number}", names=((),) * len(node.names), layer=None))
    return edit.done()


def half_constants(model: Loaded, inputs: Inputs) -> Loaded | None:
    """Weights as f16 with a Convert."""
    del inputs
    edit = Edit(model)
    for node, port, value in weights(edit, least=1):
        if np.abs(value).max(initial=0) < 60000:
            narrow = edit.const(value, F16)
            _feed(edit, node, port, edit.make("Convert", [narrow], destination_type=ElementType.named("f32")))
    return edit.done()


def weights(edit: Edit, *types: str, least: int = 16) -> list[tuple[Node, int, Array]]:
    """Return layers with each float constant of theirs that has some elements."""
    found = []
    for node in edit.layers(*types):
        for port in range(len(edit.model.graph.sources(node.id))):
            value = edit.value(node, port)
            if value is not None and value.dtype == np.float32 and value.size >= least:
                found.append((node, port, value))
    return found


def _feed(edit: Edit, node: Node, port: int, outlet: Outlet) -> None:
    sources = list(edit.graph.sources(node.id))
    sources[port] = outlet
    edit.graph.feed(node.id, sources)


def coded(
    value: Array, type: ElementType, axis: int, group: int = 0
) -> tuple[Array, Array | None, Array, tuple[int, ...]]:
    """Return codes, zero points or None, scales, and the shape of the codes, per channel or per group of an axis."""
    shape = value.shape
    if group:
        moved = np.moveaxis(value, axis, -1)
        moved = moved.reshape(*moved.shape[:-1], -1, group)
        high = np.abs(moved).max(-1, keepdims=True)
        scale = np.maximum(high / 7, 1e-8).astype(np.float32)
        codes = np.clip(np.round(moved / scale), -8, 7)
        return codes, None, scale, shape
    along = tuple(other for other in range(value.ndim) if other != axis)
    if type is I8:
        scale = np.maximum(np.abs(value).max(along, keepdims=True) / 127, 1e-8).astype(np.float32)
        return np.clip(np.round(value / scale), -127, 127), None, scale, shape
    low = np.minimum(value.min(along, keepdims=True), 0)
    high = np.maximum(value.max(along, keepdims=True), 0)
    scale = np.maximum((high - low) / 255, 1e-8).astype(np.float32)
    zero = np.clip(np.round(-low / scale), 0, 255)
    return np.clip(np.round(value / scale) + zero, 0, 255), zero, scale, shape


def compressed(model: Loaded, type: ElementType, group: int = 0) -> Loaded | None:
    edit = Edit(model)
    for node, port, value in weights(edit, *PRODUCTS, "Gather"):
        if value.ndim < 2 or (group and (value.ndim != 2 or value.shape[-1] % group)):
            continue
        axis = value.ndim - 1 if group else 0
        codes, zero, scale, shape = coded(value, type, axis, group)
        name = f"{node.name}/weights"
        at = edit.make(
            "Convert",
            [edit.const(codes, type, f"{name}/codes")],
            f"{name}/convert",
            destination_type=ElementType.named("f32"),
        )
        if zero is not None:
            low = edit.make(
                "Convert", [edit.const(zero, type, f"{name}/zero_point")], destination_type=ElementType.named("f32")
            )
            at = edit.make("Subtract", [at, low], f"{name}/subtract")
        at = edit.make("Multiply", [at, edit.const(scale, name=f"{name}/scale")], f"{name}/multiply")
        if group:
            at = edit.make("Reshape", [at, edit.const(np.array(shape), I64)], f"{name}/reshape", special_zero=False)
        _feed(edit, node, port, at)
    return edit.done()


def int8_weights(model: Loaded, inputs: Inputs) -> Loaded | None:
    """Weights as u8 with zero points, per channel."""
    del inputs
    return compressed(model, U8)


def int8_symmetric(model: Loaded, inputs: Inputs) -> Loaded | None:
    """Weights as i8, per channel."""
    del inputs
    return compressed(model, I8)


def int4_groups(model: Loaded, inputs: Inputs) -> Loaded | None:
    """Weights as i4 in groups of eight."""
    del inputs
    return compressed(model, I4, group=8)


def fake_quantised(model: Loaded, inputs: Inputs) -> Loaded | None:
    """FakeQuantize before the products, of weights per channel and of activations."""
    edit, values = Edit(model), tensors_of(model, inputs)
    seen: dict[Outlet, Outlet] = {}
    for node in list(edit.layers(*PRODUCTS)):
        for port in range(2):
            value = edit.value(node, port)
            outlet = edit.source(node, port)
            if value is None and outlet.node in edit.constant:
                continue
            name = f"{node.name}/fq_{port}"
            if value is not None:
                if value.ndim < 2:
                    continue
                high = np.maximum(np.abs(value).max(tuple(range(1, value.ndim)), keepdims=True), 1e-6)
                limits = [edit.const(limit, name=f"{name}/{what}") for limit, what in ((-high, "low"), (high, "high"))]
                made = edit.make("FakeQuantize", [outlet, *limits, *limits], name, levels=255)
            else:
                array = values[outlet]
                low, high = min(float(array.min()), 0.0), max(float(array.max()), 1e-6)
                made = seen.get(outlet)
                if made is None:
                    limits = [
                        edit.const(np.full((1,) * array.ndim, limit), name=f"{name}/{what}")
                        for limit, what in ((low, "low"), (high, "high"))
                    ]
                    made = seen[outlet] = edit.make("FakeQuantize", [outlet, *limits, *limits], name, levels=256)
            _feed(edit, node, port, made)
    return edit.done()


def moved_factor(model: Loaded, inputs: Inputs) -> Loaded | None:
    """A factor of a product is multiplied behind it instead."""
    del inputs
    edit = Edit(model)
    for node, port, value in weights(edit, *PRODUCTS):
        if port != 1:
            continue
        _feed(edit, node, 1, edit.const(value * 4))
        made = edit.make("Multiply", [Outlet(node.id, 0), edit.const(np.float32(0.25))], f"{node.name}/back")
        edit.between(Outlet(node.id, 0), made)
    return edit.done()


def transposed_weights(model: Loaded, inputs: Inputs) -> Loaded | None:
    """The weights of a MatMul are stored in the other order."""
    del inputs
    edit = Edit(model)
    for node, port, value in weights(edit, "MatMul"):
        if port == 1 and value.ndim == 2:
            op = node.op
            made = edit.make(
                "MatMul",
                [edit.source(node, 0), edit.const(value.T)],
                node.name,
                transpose_a=op.transpose_a,
                transpose_b=not op.transpose_b,
            )  # type: ignore[union-attr]
            edit.instead(node, made)
    return edit.done()


def split_norm(model: Loaded, inputs: Inputs) -> Loaded | None:
    """MVN as means, a square root and a quotient."""
    del inputs
    edit = Edit(model)
    for node in list(edit.layers("MVN")):
        op: Any = node.op
        axes = edit.value(node, 1)
        if axes is None or not op.normalize_variance or op.eps_mode.lower() != "inside_sqrt":
            continue
        along = edit.const(axes, I64)
        x = edit.source(node)
        mean = edit.make("ReduceMean", [x, along], keep_dims=True)
        centred = edit.make("Subtract", [x, mean])
        square = edit.make("Power", [centred, edit.const(np.float32(2))])
        variance = edit.make(
            "Add", [edit.make("ReduceMean", [square, along], keep_dims=True), edit.const(np.float32(op.eps))]
        )
        edit.instead(node, edit.make("Divide", [centred, edit.make("Sqrt", [variance])], node.name))
    return edit.done()


def split_activations(model: Loaded, inputs: Inputs) -> Loaded | None:
    """Activations as the functions that they are made of."""
    del inputs
    edit = Edit(model)
    for node in list(edit.layers("Gelu", "Swish", "ReLU", "HSwish", "SoftMax", "Clamp")):
        x, op = edit.source(node), node.op
        made: Outlet | None = None
        match node.type:
            case "ReLU":
                made = edit.make("Maximum", [x, edit.const(np.float32(0))], node.name)
            case "Swish" if len(edit.model.graph.sources(node.id)) == 1:
                made = edit.make("Multiply", [x, edit.make("Sigmoid", [x])], node.name)
            case "Gelu" if getattr(op, "approximation_mode", "erf").lower() == "erf":
                half = edit.make("Erf", [edit.make("Divide", [x, edit.const(np.float32(np.sqrt(2)))])])
                made = edit.make(
                    "Multiply",
                    [
                        edit.make("Multiply", [x, edit.const(np.float32(0.5))]),
                        edit.make("Add", [half, edit.const(np.float32(1))]),
                    ],
                    node.name,
                )
            case "HSwish":
                inner = edit.make("Clamp", [edit.make("Add", [x, edit.const(np.float32(3))])], min=0.0, max=6.0)
                made = edit.make("Divide", [edit.make("Multiply", [x, inner]), edit.const(np.float32(6))], node.name)
            case "SoftMax":
                axis = edit.const(np.array([op.axis]), I64)  # type: ignore[union-attr]
                top = edit.make("ReduceMax", [x, axis], keep_dims=True)
                power = edit.make("Exp", [edit.make("Subtract", [x, top])])
                made = edit.make("Divide", [power, edit.make("ReduceSum", [power, axis], keep_dims=True)], node.name)
            case "Clamp":
                made = edit.make(
                    "Minimum",
                    [edit.make("Maximum", [x, edit.const(np.float32(op.min))]), edit.const(np.float32(op.max))],
                    node.name,
                )  # type: ignore[union-attr]
        if made is not None:
            edit.instead(node, made)
    return edit.done()


def other_arithmetic(model: Loaded, inputs: Inputs) -> Loaded | None:
    """A difference as a sum, a quotient by a constant as a product."""
    del inputs
    edit = Edit(model)
    for node in list(edit.layers("Subtract", "Divide")):
        if not is_float(edit.fact(node)):
            continue
        x, y = edit.source(node, 0), edit.source(node, 1)
        value = edit.value(node, 1)
        if node.type == "Subtract":
            made = edit.make("Add", [x, edit.make("Multiply", [y, edit.const(np.float32(-1))])], node.name)
        elif value is not None and (value != 0).all():
            made = edit.make("Multiply", [x, edit.const(1 / value)], node.name)
        else:
            continue
        edit.instead(node, made)
    return edit.done()


def more_shapes(model: Loaded, inputs: Inputs) -> Loaded | None:
    """Reshapes and transpositions that cancel each other, behind every third sum."""
    del inputs
    edit = Edit(model)
    for number, node in enumerate(list(edit.layers("Add", "MatMul", "Convolution"))):
        fact = edit.fact(node)
        if number % 3 or not fact.shape.is_static or not is_float(fact) or fact.shape.size.lo < 2:
            continue
        shape = fact.shape.static
        flat = edit.make("Reshape", [Outlet(node.id, 0), edit.const(np.array([-1]), I64)], special_zero=False)
        made = edit.make("Reshape", [flat, edit.const(np.array(shape), I64)], special_zero=False)
        if len(shape) > 1:
            order = np.roll(np.arange(len(shape)), 1)
            made = edit.make(
                "Transpose",
                [edit.make("Transpose", [made, edit.const(order, I64)]), edit.const(np.argsort(order), I64)],
            )
        edit.between(Outlet(node.id, 0), made, [flat.node])
    return edit.done()


def shared_twice(model: Loaded, inputs: Inputs) -> Loaded | None:
    """Layers that several read are computed once for each."""
    del inputs
    edit = Edit(model)
    for node in list(edit.layers("Add", "ReLU", "MatMul", "Multiply", "Reshape")):
        consumers = edit.graph.consumers(Outlet(node.id, 0))
        for inlet in consumers[1:]:
            twin = edit.layer(node.op, edit.graph.sources(node.id))  # type: ignore[arg-type]
            edit.graph.connect(twin, inlet)
    return edit.done()


def other_order(model: Loaded, inputs: Inputs) -> Loaded | None:
    """The operands of sums and products are exchanged."""
    del inputs
    edit = Edit(model)
    for node in list(edit.layers("Add", "Multiply", "Maximum", "Minimum")):
        if node.op is not None:
            edit.graph.feed(node.id, list(reversed(edit.graph.sources(node.id))))
    return edit.done()


def split_sums(model: Loaded, inputs: Inputs) -> Loaded | None:
    """A constant summand in two parts."""
    del inputs
    edit = Edit(model)
    for node, port, value in weights(edit, "Add", least=1):
        half = edit.make("Add", [edit.source(node, 1 - port), edit.const(value * np.float32(0.25))])
        edit.instead(node, edit.make("Add", [half, edit.const(value * np.float32(0.75))], node.name))
    return edit.done()


def folded_scales(model: Loaded, inputs: Inputs) -> Loaded | None:
    """A product of a MatMul with a constant number, folded into its weights."""
    del inputs
    edit = Edit(model)
    for node in list(edit.layers("MatMul", "Convolution")):
        value = edit.value(node, 1)
        consumers = edit.graph.consumers(Outlet(node.id, 0))
        if value is None or len(consumers) != 1:
            continue
        after = edit.graph.node(consumers[0].node)
        factor = (
            edit.value(after, 1 - consumers[0].port)
            if after.type in ("Multiply", "Divide") and consumers[0].port < 2
            else None
        )
        if factor is None or factor.size != 1 or (after.type == "Divide" and consumers[0].port == 1):
            continue
        scale = factor.reshape(()) if after.type == "Multiply" else 1 / factor.reshape(())
        _feed(edit, node, 1, edit.const(value * scale))
        edit.graph.replace(Outlet(after.id, 0), Outlet(node.id, 0))
        edit.graph.remove([after.id])
    return edit.done()


def identity_layers(model: Loaded, inputs: Inputs) -> Loaded | None:
    """Layers that change nothing: a sum with zero, a product with one, a Convert to the same type."""
    del inputs
    edit = Edit(model)
    for number, node in enumerate(list(edit.layers("Add", "MatMul", "Convolution", "ReLU", "Multiply"))):
        if not is_float(edit.fact(node)) or number % 2:
            continue
        at = Outlet(node.id, 0)
        kinds = (("Add", 0.0), ("Multiply", 1.0))[number % 4 // 2]
        made = edit.make(kinds[0], [at, edit.const(np.float32(kinds[1]))])
        edit.between(at, made)
    return edit.done()


def split_concat(model: Loaded, inputs: Inputs) -> Loaded | None:
    """Concatenations of several as concatenations of two."""
    del inputs
    edit = Edit(model)
    for node in list(edit.layers("Concat")):
        sources = list(edit.graph.sources(node.id))
        if len(sources) < 3:
            continue
        at = sources[0]
        for number, source in enumerate(sources[1:], start=2):
            at = edit.make("Concat", [at, source], node.name if number == len(sources) else "", axis=node.op.axis)  # type: ignore[union-attr]
        assert at is not None
        edit.instead(node, at)
    return edit.done()


def split_attention(model: Loaded, inputs: Inputs) -> Loaded | None:
    """ScaledDotProductAttention as products and a softmax."""
    del inputs
    edit = Edit(model)
    for node in list(edit.layers("ScaledDotProductAttention")):
        sources = edit.graph.sources(node.id)
        q, k, v = sources[:3]
        fact = edit.model.facts[q] if q is not None else None
        size = fact.shape.dims[-1] if fact is not None and fact.shape.dims is not None else None
        masks = [edit.model.facts[outlet] for outlet in sources[3:] if outlet is not None]
        is_plain = len(sources) <= 4 and all(map(is_float, masks)) and not node.op.causal  # type: ignore[union-attr]
        if size is None or not size.is_static or not is_plain:
            continue
        scores = edit.make("MatMul", [q, k], transpose_a=False, transpose_b=True)
        scores = edit.make("Multiply", [scores, edit.const(np.float32(1 / np.sqrt(size.lo)))])
        for mask in sources[3:]:
            scores = edit.make("Add", [scores, mask])
        soft = edit.make("Softmax", [scores], opset=8, axis=-1)
        edit.instead(node, edit.make("MatMul", [soft, v], node.name, transpose_a=False, transpose_b=False))
    return edit.done()


KINDS: Final[Mapping[str, Callable[[Loaded, Inputs], Loaded | None]]] = {
    kind.__name__: kind
    for kind in (
        *(renamed, half_constants, int8_weights, int8_symmetric, int4_groups, fake_quantised, moved_factor),
        *(transposed_weights, split_norm, split_activations, other_arithmetic, more_shapes, shared_twice, other_order),
        *(split_sums, folded_scales, identity_layers, split_concat, split_attention),
    )
}
COARSE: Final = ("half_constants", "int8_weights", "int8_symmetric", "int4_groups", "fake_quantised")
