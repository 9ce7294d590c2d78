"""The releases of OpenVINO that read a layer, where they depend on more than the version of its operation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from irrun.ops.releases import Need, first, release
from irrun.tensor import Dim, Fact

_SINK: Final = 5
"""The input of attention with a further score for each query."""

Inputs = Sequence[Fact | None]


class _Usage(NamedTuple):
    """A use of an operation that came after the operation: ``applies`` tells it by the operation and its inputs."""

    release: str
    words: str
    applies: Callable[[Any, Inputs], bool]


def need_of(type: str, version: str, op: object, inputs: Callable[[], Inputs]) -> Need | None:
    """Return the first release that reads a layer, and what decides it; None for a version that is no known opset.

    ``inputs`` returns the facts of the inputs, which few operations need.
    """
    since = first(type, version)
    if since is None:
        return None
    need = Need(since, f"{type} of {version}")
    usages = _USAGES.get(type, ()) if op is not None else ()
    found = [Need(item.release, f"{need.reason} {item.words}") for item in usages if item.applies(op, inputs())]
    return max(need, *found, key=lambda need: release(need.release)) if found else need


def _stretches_mask(_: object, inputs: Inputs) -> bool:
    """Return whether an attention mask has size 1 where there are several queries or keys."""
    query, key, mask = (_dims(inputs, port) for port in (0, 1, 3))
    if query is None or key is None or mask is None or len(mask) < 2:
        return False
    return any(_is_stretched(size, dims[-2]) for size, dims in ((mask[-2], query), (mask[-1], key)))


def _stretches_label(op: Any, inputs: Inputs) -> bool:
    """Return whether a label, or an axis of the ellipsis, has size 1 in one input and another one in another."""
    sizes: dict[str, list[Dim]] = {}
    for dims, head, tail in _terms(op, inputs):
        count = len(dims) - len(head) - len(tail or "")
        labels = [*head, *(f"...{axis}" for axis in range(count, 0, -1)), *(tail or "")]
        for label, size in zip(labels, dims, strict=False):
            sizes.setdefault(label, []).append(size)
    return any(_is_stretched(one, other) for found in sizes.values() for one in found for other in found)


def _has_ellipsis(op: Any, inputs: Inputs) -> bool:
    """Return whether labels follow an ellipsis, other than the first one, that stands for several axes or for none."""
    terms = [(dims, head, tail) for dims, head, tail in _terms(op, inputs) if tail is not None]
    return any(
        dims[len(head) + 1 :][: len(tail or "")] != dims[len(dims) - len(tail or "") :]
        for dims, head, tail in terms[1:]
    )


def _terms(op: Any, inputs: Inputs) -> Iterator[tuple[tuple[Dim, ...], str, str | None]]:
    """Yield the sizes of each input of known rank, its labels before an ellipsis, and those after it; None without."""
    for port, term in enumerate(op.equation.replace(" ", "").split("->")[0].split(",")):
        dims = _dims(inputs, port)
        if dims is not None:
            head, ellipsis, tail = term.partition("...")
            yield dims, head, tail if ellipsis else None


def _is_stretched(size: Dim, other: Dim) -> bool:
    return size == Dim.exactly(1) and other.is_static and other != size


def _dims(inputs: Inputs, port: int) -> tuple[Dim, ...] | None:
    fact = inputs[port] if port < len(inputs) else None
    return None if fact is None else fact.shape.dims


_USAGES: Final[Mapping[str, tuple[_Usage, ...]]] = {
    "ScaledDotProductAttention": (
        _Usage("2024.3", "with a mask that is broadcast to the scores", _stretches_mask),
        _Usage("2025.4", "with a sink", lambda _, inputs: len(inputs) > _SINK),
    ),
    "Einsum": (
        _Usage("2025.1", "that broadcasts an axis", _stretches_label),
        _Usage("2025.1", "with an ellipsis that is not one axis", _has_ellipsis),
    ),
}
"""Uses that older releases refuse, or compute without, although they have the operation.

``python -m tests.lab releases --models`` found those that are refused; a sink is read, and ignored, before 2025.4.
"""
