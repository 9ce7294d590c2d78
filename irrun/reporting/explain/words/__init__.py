"""Words for what operations compute and how their shapes follow, with the numbers of one layer."""

from __future__ import annotations

from importlib import import_module

from irrun.reporting.explain.words.register import WORDS, Seen, Words, attribute_text, shape_text

__all__ = ["Seen", "Words", "attribute_text", "words_of"]


def words_of(seen: Seen) -> Words:
    """Return what a layer computes, and why its outputs have their shapes, in sentences."""
    for name in ("arithmetic", "movement", "structure", "windows"):
        import_module(f"{__name__}.{name}")
    if seen.node.op is None:
        return [], []
    special = WORDS.get(seen.node.op.type)
    if special is not None and seen.is_known:
        return special(seen)
    computes, shapes = _general(seen)
    return computes, shapes


def _general(seen: Seen) -> Words:
    """Return the summary of the operation with its attributes, and how its shapes compare with those of the inputs."""
    op = seen.node.op
    assert op is not None
    values = [(item, getattr(op, item.field)) for item in op.spec.attributes]
    given = [f"{item.name} {attribute_text(item, value)}" for item, value in values if value not in (None, (), "")]
    doc = op.spec.doc.split("\n\n")
    more = [part.replace("\n", " ") for part in doc[1:2] if not part.startswith("Note:") and "::" not in part]
    computes = [op.spec.summary, *more, *([f"Here: {', '.join(given)}."] if given else [])]
    shapes = []
    for port, fact in enumerate(seen.outputs):
        if fact is None:
            continue
        same = [index for index, item in enumerate(seen.inputs) if item is not None and item.shape == fact.shape]
        output = "The output" if len(seen.outputs) == 1 else f"Output {port}"
        if same and fact.rank is not None:
            shapes.append(f"{output} has the shape of input {same[0]}, {shape_text(fact)}.")
        else:
            shapes.append(f"{output} has the shape {shape_text(fact)}, from {_known(seen)}.")
    return computes, shapes


def _known(seen: Seen) -> str:
    inputs = [f"input {port} of {shape_text(fact)}" for port, fact in enumerate(seen.inputs) if fact is not None]
    return ", ".join(inputs) or "its attributes"
