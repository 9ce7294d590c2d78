"""Pairs of models, the verdict on each, and whether it is right."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, Literal, NamedTuple

from irrun.debugging.answers import Answers
from irrun.debugging.cases import of_sizes
from irrun.debugging.diagnosing import diagnose_models
from irrun.debugging.layers import Tolerance
from irrun.debugging.sides import ModelSide
from irrun.debugging.stopping import AS_WRITTEN
from irrun.debugging.verdicts import EQUAL, WIDEST, Verdict
from irrun.diagnostics import IRError, OpError
from irrun.model import Loaded, build, load
from irrun.tensor import Array
from tests.exports.archives import unpacked
from tests.lab.pairs import faults, sound

NETWORKS: Final = (
    *("bert", "gpt2", "convnext", "bit", "bilstm", "swin", "deberta", "llama", "vit", "segformer", "resnet", "hgnet"),
)

Outcome = Literal["right", "unknown", "wrong"]

ACCEPTED: Final[Mapping[str, frozenset[str]]] = {
    "constant": frozenset({"constant", "quantisation"}),
    "quantisation": frozenset({"quantisation", "constant", "attribute"}),
    "type": frozenset({"type", "missing"}),
    "input": frozenset({"input", "order"}),
}
"""The causes that are right for a fault, where there are several."""

TIED: Final = 3

NOTHING_TO_TELL: Final = {
    ("transposed", "transposed_weights"),
    ("transpose_flag", "transposed_weights"),
    ("inserted", "identity_layers"),
}
"""Faults that a rewriting turns into another one."""


class Pair(NamedTuple):
    """Two models on the same inputs: ``planted`` is the fault of the first one, None for a sound pair."""

    name: str
    model: Loaded
    other: Loaded
    inputs: Mapping[int, Array]
    planted: faults.Planted | None
    names: Mapping[str, str]


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
    wanted = {_own(name) for name in pair.planted.layer.split("|")}
    causes = ACCEPTED.get(pair.planted.cause, frozenset({pair.planted.cause}))
    for suspect in verdict.suspects[:TIED]:
        sides = suspect.between or ((), ())
        if max(map(len, sides)) > WIDEST:
            continue
        named = {suspect.name, suspect.other, *sides[0], *sides[1]}
        if wanted & {_own(pair.names.get(name, name)) for name in named} and suspect.cause in causes:
            return "right"
    return "wrong"


def _own(name: str) -> str:
    """Return the name of a layer without that of its quantiser."""
    return name.partition("/fq_")[0]


def pairs(network: str, seed: int) -> Iterator[Pair]:
    """Yield the sound pairs of a network, and one of each kind of fault in several surroundings, each way round."""
    chance = random.Random(f"{network} {seed}")
    with tempfile.TemporaryDirectory() as folder:
        export = unpacked(network, Path(folder))
        model = load(export.path)
        inputs = {}
        for port in model.inputs:
            name = next(n for n in export.inputs if n in port.names or n in (port.node_name, port.any_name))
            inputs[port.index] = export.inputs[name]
        model = of_sizes(model, inputs)
        made = {kind: rewrite(model, inputs) for kind, rewrite in sound.KINDS.items()}
        rewritten: dict[str, Loaded] = {"same": model}
        for kind, other in made.items():
            if other is not None:
                rewritten[kind] = other
                yield Pair(f"{network} {kind}", model, other, inputs, None, {})
        for kind, plant, base, beside in _places(rewritten, chance):
            planted = _chosen(plant, rewritten[base], inputs, chance)
            if planted is None:
                continue
            other = rewritten[beside]
            names = {}
            if beside == "renamed":
                names = {other.graph.node(id).name: model.graph.node(id).name for id in model.graph}
            name = f"{network} {kind} in {base} beside {beside}"
            yield Pair(name, planted.model, other, inputs, planted, names)
            yield Pair(f"{name}, the other way round", other, planted.model, inputs, planted, names)


def _places(rewritten: Mapping[str, Loaded], chance: random.Random) -> Iterator[tuple[str, faults.Kind, str, str]]:
    exact = [kind for kind in rewritten if kind not in (*sound.COARSE, "same", "renamed")]
    coarse = [kind for kind in rewritten if kind in sound.COARSE]
    for kind, plant in faults.KINDS.items():
        others = [name for name in exact if (kind, name) not in NOTHING_TO_TELL]
        beside = ["same", "renamed", *chance.sample(others, min(1, len(others)))]
        yield from ((kind, plant, "same", other) for other in beside)
        yield from ((kind, plant, base, "same") for base in chance.sample(coarse, min(1, len(coarse))))
    for base, kinds in (("int8_weights", faults.OF_WEIGHTS), ("fake_quantised", faults.OF_RANGES)):
        if base in rewritten:
            yield from ((kind, plant, base, other) for kind, plant in kinds.items() for other in ("same", base))


def _chosen(
    plant: faults.Kind, model: Loaded, inputs: Mapping[int, Array], chance: random.Random, most: int = 4
) -> faults.Planted | None:
    """Return one of the first places at which a fault changes the outputs."""
    before, found = outputs(model, inputs), list[faults.Planted]()
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


def run(networks: Sequence[str], seed: int) -> Iterator[tuple[str, Outcome, Verdict, Pair]]:
    """Judge all pairs."""
    for network in networks:
        for pair in pairs(network, seed):
            verdict = judged(pair)
            yield pair.name, outcome(pair, verdict), verdict, pair
