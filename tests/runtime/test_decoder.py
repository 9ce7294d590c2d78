"""Language models: tokens over a cache that grows in place, on both tiers, as in the plan as written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import irrun.model
from irrun.diagnostics import IRError
from irrun.runtime.observers import Profiler
from irrun.runtime.tiers import has_kernels
from irrun.tensor import Array
from irrun.tensor.element_type import I64
from tests.engines import TIERS
from tests.nets import Net
from tests.runtime.decoder import GROUPS, HEAD, WIDTH, Decoder, Session

needs_kernels = pytest.mark.skipif(not has_kernels(), reason="compiled kernels are those of irrun-kernels")


def models(folder: Path, tier: str, **kind: str) -> tuple[irrun.model.Compiled, irrun.model.Compiled]:
    """The model on a tier, and as it is written."""
    path = Decoder(**kind).save(folder / "net.xml")
    return irrun.model.build(path, {"TIER": tier}), irrun.model.build(path, {"OPTIMIZE": False, "TIER": "numpy"})


def sessions(folder: Path, tier: str, **kind: str) -> tuple[Session, Session]:
    one, other = models(folder, tier, **kind)
    return Session(one), Session(other)


def both(pair: tuple[Session, Session], act: Callable[[Session], Array]) -> None:
    got, wanted = map(act, pair)
    np.testing.assert_allclose(got, wanted, rtol=2e-4, atol=2e-5)
    kept, expected = ([value for _, value in sorted(session.request.state.values.items())] for session in pair)
    for value, known in zip(kept, expected, strict=True):
        np.testing.assert_allclose(value, known, rtol=2e-4, atol=2e-5)


@pytest.mark.rest
@pytest.mark.parametrize("tier", TIERS)
def test_many_tokens(tmp_path: Path, tier: str) -> None:
    pair = sessions(tmp_path, tier)
    both(pair, lambda one: one.run(20))
    for _ in range(320):
        both(pair, lambda one: one.run(1))
    assert next(value for _, value in sorted(pair[0].request.state.values.items())).shape == (1, GROUPS, 340, HEAD)


@pytest.mark.parametrize("weights", ["f32", "u8", "u4"])
@pytest.mark.parametrize("tier", TIERS)
def test_prompts_and_tokens(tmp_path: Path, tier: str, weights: str) -> None:
    pair = sessions(tmp_path, tier, weights=weights)
    for _ in range(2):
        for tokens in (7, 1, 1, 1, 1, 32, 1, 1, 7, 7, 1, 32, 32, 1, 1, 1):
            both(pair, lambda one, tokens=tokens: one.run(tokens))
        for session in pair:
            session.reset()


@pytest.mark.parametrize("tier", TIERS)
def test_a_batch_of_beams(tmp_path: Path, tier: str) -> None:
    pair = sessions(tmp_path, tier)
    both(pair, lambda one: one.run(5, 2))
    for beams in ([0, 1], [0, 1], [0, 1], [1, 0], [0, 0], [0, 1], [0, 1], [1, 1]):
        both(pair, lambda one, beams=beams: one.run(1, 2, beams))
    both(pair, lambda one: one.run(1, 3, [1, 0, 1]))
    both(pair, lambda one: one.run(1, 3))


@pytest.mark.parametrize("tier", TIERS)
def test_variables_are_read_and_set(tmp_path: Path, tier: str) -> None:
    pair = sessions(tmp_path, tier)
    for _ in range(6):
        both(pair, lambda one: one.run(1))
    kept = [[value for _, value in sorted(session.request.state.values.items())] for session in pair]
    copies = [[value.copy() for value in values] for values in kept]
    for _ in range(3):
        both(pair, lambda one: one.run(1))
    for session, values in zip(pair, kept, strict=True):
        state = session.request.state
        state.values.update(zip(sorted(state.values), values, strict=True))
        session.past = 6
    for _ in range(3):
        both(pair, lambda one: one.run(1, seed=1))
    for values, before in zip(kept, copies, strict=True):
        for value, known in zip(values, before, strict=True):
            np.testing.assert_array_equal(value, known)
    for session in pair:
        state = session.request.state
        state.values.update({name: np.full((1, GROUPS, 300, HEAD), 0.25, np.float32) for name in state.values})
        session.past = 300
    for _ in range(3):
        both(pair, lambda one: one.run(1))
    for session in pair:
        session.request.state.reset(sorted(session.request.state.values)[1])
        with pytest.raises(IRError):
            session.run(1)


@pytest.mark.parametrize("tier", TIERS)
def test_a_run_that_fails_changes_nothing(tmp_path: Path, tier: str) -> None:
    pair = sessions(tmp_path, tier)
    for _ in range(5):
        both(pair, lambda one: one.run(1))
    for session in pair:
        with pytest.raises(IRError):
            session.run(1, 2, [0, 1, 0])
        session.past = 5
    both(pair, lambda one: one.run(1))


@pytest.mark.sample(2)
@pytest.mark.parametrize("tier", TIERS)
def test_requests_have_variables_of_their_own(tmp_path: Path, tier: str) -> None:
    one, other = models(tmp_path, tier)
    pairs = [(Session(one), Session(other)) for _ in range(2)]
    for number in range(12):
        for seed, pair in enumerate(pairs):
            both(pair, lambda session, seed=seed, number=number: session.run(1 + (number == seed), seed=seed))


@pytest.mark.parametrize("tier", TIERS)
def test_a_mask_of_booleans(tmp_path: Path, tier: str) -> None:
    pair = sessions(tmp_path, tier, mask="boolean")
    for tokens in (3, 1, 1, 1, 1):
        both(pair, lambda one, tokens=tokens: one.run(tokens))


@pytest.mark.parametrize("tier", TIERS)
def test_a_cache_in_inputs_and_outputs(tmp_path: Path, tier: str) -> None:
    random = np.random.default_rng(0)
    one, other = models(tmp_path, tier, cache="inputs")
    names = [port.any_name for port in one.inputs if port.any_name.startswith(("key", "value"))]
    past = [np.zeros((1, GROUPS, 0, HEAD), np.float32) for _ in names]
    for tokens in (5, 1, 1, 1, 1, 1):
        inputs = {
            "x": random.standard_normal((1, tokens, WIDTH), dtype=np.float32),
            "attention_mask": np.ones((1, past[0].shape[2] + tokens), np.int64),
            "beam_idx": np.zeros(1, np.int32),
            **dict(zip(names, past, strict=True)),
        }
        results = [model(inputs).to_tuple() for model in (one, other)]
        for got, wanted in zip(*results, strict=True):
            np.testing.assert_allclose(got, wanted, rtol=2e-4, atol=2e-5)
        past = list(results[0][: len(names)])
    assert one.executor.last == tier


@needs_kernels
@pytest.mark.parametrize("mask", ["f32", "boolean"])
def test_a_token_is_one_tape(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mask: str) -> None:
    from irrun.runtime import executor, programs
    from irrun.runtime.program import segments
    from irrun.runtime.view import Call

    session = sessions(tmp_path, "compiled", mask=mask)[0]
    session.run(4)
    for _ in range(4):
        session.run(1)
    for module in (executor, programs):
        monkeypatch.setattr(module, "execute", None)
    for _ in range(4):
        session.run(1)
    model = session.request._compiled
    (lowered,) = model.executor.programs
    assert not lowered.bailouts
    program = next(iter(lowered))
    lengths = [last - first for first, last in segments(program.items) if isinstance(program.items[first], Call)]
    assert len(lengths) == 1
    assert lengths[0] > 10


@needs_kernels
def test_observers_see_every_step(tmp_path: Path) -> None:
    pair = sessions(tmp_path, "compiled")
    for _ in range(5):
        both(pair, lambda one: one.run(1))
    profiler = Profiler()
    pair[0].request.observers.append(profiler)
    both(pair, lambda one: one.run(1))
    seen = [timing.step.node.type for timing in profiler.timings]
    assert (seen.count("FusedAttention"), seen.count("FusedAppend"), seen.count("Assign")) == (2, 4, 4)
    values = pair[0].request.state.values
    values[min(values)] = np.zeros((1, GROUPS, 3, HEAD), np.float32)
    with pytest.raises(IRError):
        pair[0].run(1)


@pytest.mark.parametrize("tier", TIERS)
@pytest.mark.parametrize("batch", ["?", "2"])
def test_a_state_that_is_computed(tmp_path: Path, tier: str, batch: str) -> None:
    net, shape = Net(), f"{batch},8,4"
    x = net.parameter("x", shape)
    declared = {"variable_id": "v", "variable_type": "f32", "variable_shape": shape}
    held = net.layer("ReadValue", [net.layer("Multiply", [x, x], shape, auto_broadcast="numpy")], shape, 6, **declared)
    new = net.layer("Tanh", [net.layer("Add", [held, x], shape, auto_broadcast="numpy")], shape)
    net.layer("Assign", [new], shape, 6, variable_id="v")
    net.result(net.layer("Exp", [new], shape))
    net.save(tmp_path / "net.xml")
    pair = [irrun.model.build(tmp_path / "net.xml", {"TIER": tier}).session() for _ in range(2)]
    pair.append(irrun.model.build(tmp_path / "net.xml", {"OPTIMIZE": False, "TIER": "numpy"}).session())
    kept: list[tuple[Array, Array]] = []
    for run in range(6):
        values = net.random.standard_normal((2, 8, 4), dtype=np.float32)
        results = [session.run({"x": values})[0] for session in pair]
        for session, result in zip(pair, results, strict=True):
            np.testing.assert_allclose(result, results[-1], rtol=1e-5)
            np.testing.assert_allclose(session.state.values["v"], pair[-1].state.values["v"], rtol=1e-5, atol=1e-6)
        kept.append((pair[0].state.values["v"], pair[-1].state.values["v"].copy()))
        if run == 3:
            pair[0].state.reset()
            pair[2].state.reset()
            pair[1].state.values.clear()
    for value, known in kept:
        np.testing.assert_allclose(value, known, rtol=1e-5, atol=1e-6)


@needs_kernels
@pytest.mark.parametrize("shape", ["?,?,8", "1,5,8"])
def test_an_initial_value_is_computed_once(tmp_path: Path, shape: str) -> None:
    """As decoders keep the keys of an encoder: kernels compute them in the first run, and no step is interpreted."""
    net = Net()
    source, x = net.parameter("source", shape), net.parameter("x", shape)
    declared = {"variable_id": "keys", "variable_type": "f32", "variable_shape": "?,?,8"}
    keys = net.layer("Tanh", [net.layer("MatMul", [source, net.normal(8, 8)], shape)], shape)
    held = net.layer("ReadValue", [keys], "?,?,8", 6, **declared)
    net.layer("Assign", [held], "?,?,8", 6, variable_id="keys")
    net.result(net.layer("Sigmoid", [net.layer("MatMul", [held, net.normal(8, 8)], "?,?,8")], "?,?,8"))
    net.result(net.layer("Exp", [x], shape))
    net.save(tmp_path / "net.xml")
    models = [irrun.model.build(tmp_path / "net.xml", {"TIER": tier}) for tier in ("numpy", "compiled")]
    plain, compiled = (model.session() for model in models)
    sizes = {"source": (1, 5, 8), "x": (1, 5, 8)}
    counts = []
    for run in range(8):
        inputs = net.inputs(sizes)
        for got, wanted in zip(compiled.run(inputs).to_tuple(), plain.run(inputs).to_tuple(), strict=True):
            np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(compiled.state.values["keys"], plain.state.values["keys"], rtol=1e-5, atol=1e-6)
        account = models[1].executor.account
        assert not account["interpreted"]
        assert not account["runs_by_tier"]["numpy"]
        counts.append(account["steps"])
        if run in (3, 5):
            compiled.state.reset()
            plain.state.reset()
    assert len({counts[place] for place in (0, 4, 6)}) == 1
    assert all(counts[place] < counts[0] for place in (1, 2, 3, 5, 7))


@needs_kernels
def test_the_first_run_fits_its_own_program(tmp_path: Path) -> None:
    """An initial value that repeats a number along an open axis has no strides of its own."""
    net, shape = Net(), "?,8"
    x = net.parameter("x", shape)
    target = net.layers("ShapeOf", [x], [(I64, "2")], 3, output_type="i64")[0]
    init = net.layer("Broadcast", [net.constant(np.float32(0.5)), target], shape, 3, mode="numpy")
    declared = {"variable_id": "v", "variable_type": "f32", "variable_shape": shape}
    held = net.layer("ReadValue", [init], shape, 6, **declared)
    new = net.layer("Tanh", [net.layer("Add", [held, x], shape)], shape)
    net.layer("Assign", [new], shape, 6, variable_id="v")
    net.result(net.layer("Exp", [net.layer("MatMul", [new, net.normal(8, 8)], shape)], shape))
    net.save(tmp_path / "net.xml")
    models = [irrun.model.build(tmp_path / "net.xml", {"TIER": tier}) for tier in ("numpy", "compiled")]
    plain, compiled = (model.session() for model in models)
    for _ in range(3):
        inputs = net.inputs({"x": (3, 8)})
        np.testing.assert_allclose(compiled.run(inputs)[0], plain.run(inputs)[0], rtol=1e-5, atol=1e-6)
        assert not models[1].executor.account["runs_by_tier"]["numpy"]


@needs_kernels
def test_no_step_is_interpreted(tmp_path: Path) -> None:
    from irrun.runtime.view import Call

    session = sessions(tmp_path, "compiled")[0]
    for tokens in (3, 1, 1, 1, 1):
        session.run(tokens)
    programs = [program for programs in session.request._compiled.executor.programs for program in programs]
    assert programs
    for program in programs:
        assert all(isinstance(item, Call) for item in program.items)
        assert all(item.is_part for prelude in program.preludes for item in prelude)
