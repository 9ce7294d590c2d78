"""Pairs of models, the verdict on each, and whether it is right."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, Literal, NamedTuple

import numpy as np

from irrun.debugging.answers import Answers
from irrun.debugging.cases import of_sizes
from irrun.debugging.diagnosing import diagnose_models
from irrun.debugging.expanding import expanded
from irrun.debugging.layers import Tolerance
from irrun.debugging.resembling import SAME, distance
from irrun.debugging.sides import ModelSide
from irrun.debugging.states import with_states
from irrun.debugging.stopping import AS_WRITTEN
from irrun.debugging.verdicts import EQUAL, WIDEST, Verdict
from irrun.diagnostics import IRError, OpError
from irrun.model import Loaded, build, load
from irrun.tensor import Array
from tests.exports.archives import PAIR_NAMES, PAIRS, Export, unpacked
from tests.lab.pairs import coarse_faults, faults, sound
from tests.lab.pairs.planting import Kind, Planted

STORIES: Final = "stories"
"""The language model of the examples, whose variables are compared as outputs."""

NETWORKS: Final = (
    *("bert", "gpt2", "convnext", "bit", "bilstm", "swin", "deberta", "llama", "vit", "segformer", "resnet", "hgnet"),
    STORIES,
)

_STORIES: Final = Path(__file__).parents[3] / "examples" / "stories" / "openvino_model.xml"

Outcome = Literal["right", "unknown", "wrong"]

ACCEPTED: Final[Mapping[str, frozenset[str]]] = {
    "constant": frozenset({"constant", "quantisation"}),
    "quantisation": frozenset({"quantisation", "constant", "attribute"}),
    "type": frozenset({"type", "missing"}),
    "input": frozenset({"input", "order"}),
    "transposition": frozenset({"constant", "missing"}),
}
"""The causes that are right for a fault, where there are several."""

OTHERWISE: Final = frozenset({"missing", "structure", "type"})
"""The causes that are right, too, for a fault of a layer that the other exporter writes otherwise."""

TIED: Final = 3

NOTHING_TO_TELL: Final = {
    ("transposed", "transposed_weights"),
    ("transpose_flag", "transposed_weights"),
    ("inserted", "identity_layers"),
}
"""Faults that a rewriting turns into another one."""


_Place = tuple[str, Kind, str, str]
"""A kind of fault with the model that gets it, and the one beside which that is compared."""


class Pair(NamedTuple):
    """Two models on the same inputs: ``planted`` is the fault of the first one or of the second, None for a sound pair.

    ``names`` are those of the planted layer and of its counterparts, ``causes`` those that a verdict may tell.
    """

    name: str
    model: Loaded
    other: Loaded
    inputs: Mapping[int, Array]
    planted: Planted | None
    names: frozenset[str] = frozenset()
    causes: frozenset[str] = frozenset()


def outputs(model: Loaded, inputs: Mapping[int, Array]) -> tuple[Array, ...]:
    return build(model, AS_WRITTEN)(inputs).to_tuple()


def judged(pair: Pair, tolerance: Tolerance = Tolerance()) -> Verdict:  # noqa: B008
    """Return the verdict on a pair."""
    side = ModelSide(pair.other, pair.inputs, AS_WRITTEN)
    ours, theirs = outputs(pair.model, pair.inputs), side.outputs()
    if not Answers(ours, tuple(theirs)).differ(tolerance):
        return EQUAL
    return diagnose_models(pair.model, side, pair.inputs, ours, theirs, tolerance, AS_WRITTEN)


def outcome(pair: Pair, verdict: Verdict) -> Outcome:
    """Return whether a verdict is right: the layer or its region, and the cause, first or tied first."""
    if pair.planted is None:
        return "wrong" if verdict.suspects else "unknown" if verdict.verdict == "unknown" else "right"
    if verdict.verdict == "unknown":
        return "unknown"
    wanted = {_own(name) for name in pair.names}
    for suspect in verdict.suspects[:TIED]:
        sides = suspect.between or ((), ())
        if max(map(len, sides)) > WIDEST:
            continue
        named = {suspect.name, suspect.other, *sides[0], *sides[1]}
        if wanted & {_own(name) for name in named} and suspect.cause in pair.causes:
            return "right"
    return "wrong"


def _own(name: str) -> str:
    """Return the name of a layer without that of its quantiser."""
    return name.partition("/fq_")[0]


def pairs(network: str, seed: int, most: int | None = None) -> Iterator[Pair]:
    """Yield the sound pairs of a network, and one of each kind of fault in several surroundings, each way round.

    With ``most``, this number of the surroundings is drawn for each kind.
    """
    chance = random.Random(f"{network} {seed}")
    with tempfile.TemporaryDirectory() as folder:
        model, inputs = stories() if network == STORIES else _loaded(unpacked(network, Path(folder)))
        made = {kind: rewrite(model, inputs) for kind, rewrite in sound.KINDS.items()}
        rewritten: dict[str, Loaded] = {"same": model}
        for kind, other in made.items():
            if other is not None:
                rewritten[kind] = other
                yield Pair(f"{network} {kind}", model, other, inputs, None)
        yield from _planted(network, rewritten, inputs, _some(list(_places(rewritten, chance)), most, chance), chance)


def exporter_pairs(network: str, seed: int, most: int | None = None) -> Iterator[Pair]:
    """Yield the same of a network that was exported directly, and by way of ONNX: faults of either one, renamed too."""
    chance = random.Random(f"{network} {seed}")
    with tempfile.TemporaryDirectory() as folder:
        export = unpacked(network, Path(folder), PAIRS)
        model, inputs = _loaded(export)
        other = of_sizes(load(export.path.with_name("other.xml")), inputs)
        models = {"direct": model, "by ONNX": other}
        models |= {f"{name}, renamed": made for name, one in models.items() if (made := sound.renamed(one, inputs))}
        for one, beside in (("direct", "by ONNX"), ("direct", "by ONNX, renamed"), ("by ONNX", "direct, renamed")):
            yield Pair(f"{network} {one} beside {beside}", models[one], models[beside], inputs, None)
        bases = ("direct", "by ONNX"), ("by ONNX", "direct, renamed")
        places = [(kind, plant, base, beside) for kind, plant in faults.KINDS.items() for base, beside in bases]
        yield from _planted(network, models, inputs, _some(places, most, chance), chance)


def _loaded(export: Export) -> tuple[Loaded, dict[int, Array]]:
    model = load(export.path)
    inputs = {}
    for port in model.inputs:
        name = next(n for n in export.inputs if n in port.names or n in (port.node_name, port.any_name))
        inputs[port.index] = export.inputs[name]
    return of_sizes(model, inputs), inputs


def stories() -> tuple[Loaded, dict[int, Array]]:
    """Return the language model of the examples for six tokens, with its variables as outputs."""
    arrays = [[1, 9, 17, 33, 5, 2]], [[1] * 6], [list(range(6))], [0]
    inputs = {place: np.array(values, np.int64) for place, values in enumerate(arrays)}
    model = of_sizes(load(_STORIES), inputs)
    return with_states(model, model)[0], inputs


def _planted(
    network: str,
    models: Mapping[str, Loaded],
    inputs: Mapping[int, Array],
    places: Iterable[_Place],
    chance: random.Random,
) -> Iterator[Pair]:
    """Yield a model with a fault beside another one, each way round."""
    known: dict[tuple[str, str], Mapping[str, Mapping[str, bool]]] = {}
    for kind, plant, base, beside in places:
        planted = _chosen(plant, models[base], inputs, chance)
        if planted is None:
            continue
        if (base, beside) not in known:
            known[base, beside] = _twins(models[base], models[beside], inputs)
        layers = planted.layer.split("|")
        twins = [known[base, beside].get(layer, {}) for layer in layers]
        names = frozenset(layers).union(*twins)
        causes = ACCEPTED.get(planted.cause, frozenset({planted.cause}))
        if "by ONNX" in (base + beside) and not any(any(each.values()) for each in twins):
            causes |= OTHERWISE
        name = f"{network} {kind} in {base} beside {beside}"
        told = planted, names, causes
        yield Pair(name, planted.model, models[beside], inputs, *told)
        yield Pair(f"{name}, the other way round", models[beside], planted.model, inputs, *told)


def _twins(model: Loaded, other: Loaded, inputs: Mapping[int, Array]) -> Mapping[str, Mapping[str, bool]]:
    """Return the layers of a sound model with the tensor of each layer of another one, and whether they are alike."""
    model, other = expanded(model, other), expanded(other, model)
    mine, its = sound.tensors_of(model, inputs), sound.tensors_of(other, inputs)
    found: dict[str, dict[str, bool]] = {}
    for outlet, array in mine.items():
        node = model.graph.node(outlet.node)
        names = found.setdefault(node.name, {})
        for twin, tensor in its.items():
            if tensor.dtype.kind == array.dtype.kind and distance(array, tensor) <= SAME:
                its_node = other.graph.node(twin.node)
                is_alike = its_node.type == node.type and tensor.shape == array.shape
                names[its_node.name] = is_alike or names.get(its_node.name, False)
    return found


def _places(rewritten: Mapping[str, Loaded], chance: random.Random) -> Iterator[_Place]:
    exact = [kind for kind in rewritten if kind not in (*sound.COARSE, "same", "renamed")]
    coarse = [kind for kind in rewritten if kind in sound.COARSE]
    for kind, plant in faults.KINDS.items():
        others = [name for name in exact if (kind, name) not in NOTHING_TO_TELL]
        beside = ["same", "renamed", *chance.sample(others, min(1, len(others)))]
        yield from ((kind, plant, "same", other) for other in beside)
        yield from ((kind, plant, base, "same") for base in chance.sample(coarse, min(1, len(coarse))))
    for base, kinds in (("int8_weights", coarse_faults.OF_WEIGHTS), ("fake_quantised", coarse_faults.OF_RANGES)):
        if base in rewritten:
            yield from ((kind, plant, base, other) for kind, plant in kinds.items() for other in ("same", base))


def _some(places: Sequence[_Place], most: int | None, chance: random.Random) -> Iterator[_Place]:
    """Yield places, at most a number of each kind of fault, drawn at random."""
    for kind in dict.fromkeys(place[0] for place in places):
        alike = [place for place in places if place[0] == kind]
        yield from alike if most is None else chance.sample(alike, min(most, len(alike)))


def _chosen(
    plant: Kind, model: Loaded, inputs: Mapping[int, Array], chance: random.Random, most: int = 4
) -> Planted | None:
    """Return one of the first places at which a fault changes the outputs."""
    before, found = outputs(model, inputs), list[Planted]()
    for planted in plant(model):
        if planted is None or len(found) == most:
            continue
        try:
            after = outputs(planted.model, inputs)
        except (IRError, OpError):
            continue
        if Answers(before, after).differ(Tolerance(0.01, 1e-3)):
            found.append(planted)
    return chance.choice(found) if found else None


def run(
    networks: Sequence[str], seed: int, *, exporters: bool = False, most: int | None = None
) -> Iterator[tuple[str, Outcome, Verdict, Pair]]:
    """Judge all pairs of some networks, or those of two exporters; ``most`` surroundings of each kind of fault."""
    for network in networks or (PAIR_NAMES if exporters else NETWORKS):
        for pair in (exporter_pairs if exporters else pairs)(network, seed, most):
            verdict = judged(pair)
            yield pair.name, outcome(pair, verdict), verdict, pair
