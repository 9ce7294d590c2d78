"""Patterns of nodes, as OpenVINO's ``passes`` has them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from irrun.openvino.nodes.node import Node
from irrun.openvino.nodes.ports import Output
from irrun.openvino.nodes.records import CLASS_NAMES
from irrun.openvino.values.dimensions import Dimension
from irrun.openvino.values.types import Type
from irrun.ops.registry import find, spelling

Found = dict["Pattern", Output]
"""The outputs that patterns match."""


class Predicate:
    """A condition on an output; always true without a function. Conditions combine with ``&``, ``|`` and ``~``."""

    def __init__(self, predicate: Callable[[Output], bool] | None = None) -> None:
        self._test = predicate

    def __call__(self, output: Output) -> bool:
        return self._test is None or bool(self._test(output))

    def __and__(self, other: Predicate) -> Predicate:
        return Predicate(lambda output: self(output) and other(output))

    def __or__(self, other: Predicate) -> Predicate:
        return Predicate(lambda output: self(output) or other(output))

    def __invert__(self) -> Predicate:
        return Predicate(lambda output: not self(output))


class Pattern:
    """A description of an output: a condition, and patterns of the inputs of its node; of any where there are none."""

    def __init__(self, inputs: Any = None, predicate: Any = None) -> None:
        given = inputs if isinstance(inputs, list | tuple) else [] if inputs is None else [inputs]
        self.inputs: list[Pattern] = [as_pattern(item) for item in given]
        self.predicate: Predicate = predicate if isinstance(predicate, Predicate) else Predicate(predicate)

    def output(self, index: int) -> Pattern:
        """Return the pattern, which stands for its first output; RuntimeError for another one."""
        if index != 0:
            raise RuntimeError(f"a pattern has one output, so there is no output {index}")
        return self

    def match(self, output: Output, found: Found) -> bool:
        """Return whether an output fits, and note what it stands for; a pattern stands for one output only."""
        if found.get(self, output) != output or not self.accepts(output.node) or not self.predicate(output):
            return False
        if self.inputs and not self._match_inputs(output.node, found):
            return False
        found[self] = output
        return True

    def accepts(self, node: Node) -> bool:
        """Return whether the type of a node fits."""
        return True

    def _match_inputs(self, node: Node, found: Found) -> bool:
        sources = node.input_values()
        if len(sources) != len(self.inputs):
            return False
        orders = [sources, sources[::-1]] if node.get_type_name() in _COMMUTATIVE else [sources]
        for order in orders:
            trial = dict(found)
            if all(pattern.match(item, trial) for pattern, item in zip(self.inputs, order, strict=True)):
                found.update(trial)
                return True
        return False


def of_type(type: str, inputs: Sequence[Any]) -> WrapType:
    """Return the pattern of a node of a type, whose inputs are patterns or nodes, which stand for any of their type."""
    return WrapType(CLASS_NAMES.get(type, type), list(inputs))


_COMMUTATIVE = frozenset({"Add", "Multiply", "Maximum", "Minimum", "Equal", "LogicalAnd", "LogicalOr", "LogicalXor"})


class AnyInput(Pattern):
    """Any output that meets a condition."""

    def __init__(self, predicate: Any = None) -> None:
        super().__init__(None, predicate)


class WrapType(Pattern):
    """An output of a node of one of some types, named as ``opset13.Relu``; the opset is not compared."""

    def __init__(self, type_names: str | Sequence[str], *arguments: Any, **named: Any) -> None:
        inputs, predicate = _arguments(arguments, named)
        super().__init__(inputs, predicate)
        self.types: frozenset[str] = frozenset(
            _type(name) for name in ([type_names] if isinstance(type_names, str) else type_names)
        )

    def accepts(self, node: Node) -> bool:
        """Return whether the type of a node is one of the types."""
        return node.get_type_name() in self.types


class Optional(WrapType):
    """A node of one of some types, or what feeds it where there is none."""

    def match(self, output: Output, found: Found) -> bool:
        """Return whether an output fits, or what feeds it in its place."""
        trial = dict(found)
        if super().match(output, trial):
            found.update(trial)
            return True
        return bool(self.inputs) and self.inputs[0].match(output, found)


class Or(Pattern):
    """The first of some patterns that fits."""

    def match(self, output: Output, found: Found) -> bool:
        """Return whether an output fits one of the patterns."""
        for pattern in self.inputs:
            trial = dict(found)
            if pattern.match(output, trial):
                found.update(trial)
                found[self] = output
                return True
        return False


class _Exactly(Pattern):
    """A node with the type of another one, whose inputs are patterns."""

    def __init__(self, node: Node) -> None:
        super().__init__([source.node for source in node.input_values()])
        self._type = node.get_type_name()

    def accepts(self, node: Node) -> bool:
        return node.get_type_name() == self._type


def as_pattern(value: Any) -> Pattern:
    """Return a pattern; a node stands for any node of its type. TypeError for anything else."""
    if isinstance(value, Pattern):
        return value
    if isinstance(value, Output):
        value = value.node
    if isinstance(value, Node):
        return AnyInput() if value.get_type_name() == "Parameter" else _Exactly(value)
    raise TypeError(f"{value!r} is not a pattern")


def _arguments(arguments: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, Any]:
    """Return the inputs and the condition among the arguments of a pattern."""
    inputs = named.get("input", named.get("inputs"))
    predicate = named.get("pred", named.get("predicate"))
    for item in arguments:
        if isinstance(item, Pattern | Node | Output | list | tuple):
            inputs = item
        else:
            predicate = item
    return inputs, predicate


def _type(name: str) -> str:
    """Return the type of a name; RuntimeError where an opset is named that does not have it."""
    opset, _, type = name.replace("::", ".").rpartition(".")
    known = spelling(type) if opset.startswith("opset") else type
    if known is None or (opset.startswith("opset") and find(known, opset) is None):
        raise RuntimeError(f"{opset} has no operation {type}")
    return type


def consumers_count(number: int) -> Predicate:
    """Return the condition that ``number`` inputs consume an output."""
    return Predicate(lambda output: len(output.get_target_inputs()) == number)


def has_static_dim(position: int) -> Predicate:
    """Return the condition that the size of an axis is known."""
    return has_static_dims([position])


def has_static_dims(positions: Sequence[int]) -> Predicate:
    """Return the condition that the sizes of some axes are known."""

    def test(output: Output) -> bool:
        shape = output.get_partial_shape()
        return shape.rank.is_static and all(
            axis < shape.rank.get_length() and shape[axis].is_static for axis in positions
        )

    return Predicate(test)


def has_static_rank() -> Predicate:
    """Return the condition that the rank is known."""
    return Predicate(lambda output: output.get_partial_shape().rank.is_static)


def has_static_shape() -> Predicate:
    """Return the condition that all sizes are known."""
    return Predicate(lambda output: output.get_partial_shape().is_static)


def rank_equals(rank: Dimension | int) -> Predicate:
    """Return the condition that the rank is a number."""
    return Predicate(lambda output: output.get_partial_shape().rank == rank)


def type_matches(type: Type) -> Predicate:
    """Return the condition that the element type is a type."""
    return Predicate(lambda output: output.get_element_type() == type)


def type_matches_any(types: Sequence[Type]) -> Predicate:
    """Return the condition that the element type is one of some types."""
    return Predicate(lambda output: output.get_element_type() in types)
