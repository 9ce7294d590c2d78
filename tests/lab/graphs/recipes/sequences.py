"""Recipes of recurrent networks and attention."""

from __future__ import annotations

from typing import Any, Final

from irrun.tensor.element_type import BOOLEAN, I32, I64
from tests.lab.graphs.call import ABSENT, Call, Recipe
from tests.lab.graphs.recipes.makers import data, fixed, like, not_empty, pick


def _cell(gates: int, biases: Any = None) -> Recipe:
    """A cell with ``gates`` gates; ``biases`` is the number of gates of the bias, if that differs."""

    def hidden(call: Call) -> int:
        return int(call["hidden"])

    return {
        "X": data("X", rank=(2,), suits=not_empty, low=-9, high=9),
        "hidden": lambda c: c.draw.int(1, 4),
        "hidden_size": hidden,
        "initial_hidden_state": like("initial_hidden_state", lambda c: (c.data.shape[0], hidden(c))),
        "initial_cell_state": like("initial_cell_state", lambda c: (c.data.shape[0], hidden(c))),
        "W": like("W", lambda c: (gates * hidden(c), c.data.shape[1]), -1, 1, 1),
        "R": like("R", lambda c: (gates * hidden(c), hidden(c)), -1, 1, 1),
        "B": like("B", lambda c: ((biases(c) if biases else gates) * hidden(c),), -1, 1, 1),
        "P": fixed(ABSENT),
        "clip": pick(0.0, 0.0, 0.0, 1.5, ABSENT),
        "input_forget": fixed(ABSENT),
        "weights_format": fixed(ABSENT),
    }


def _sequence(gates: int, biases: Any = None) -> Recipe:
    def ways(call: Call) -> int:
        return 2 if call["direction"] == "bidirectional" else 1

    def states(call: Call) -> tuple[int, ...]:
        return call.data.shape[0], ways(call), call["hidden"]

    return {
        **_cell(gates),
        "X": data("X", rank=(3,), suits=not_empty, low=-9, high=9),
        "initial_hidden_state": like("initial_hidden_state", states),
        "initial_cell_state": like("initial_cell_state", states),
        "sequence_lengths": lambda c: c.grower.ints(
            [c.data.shape[1] if c.draw.chance(0.7) else c.draw.int(1, c.data.shape[1]) for _ in range(c.data.shape[0])],
            [I32, I64],
            0.7,
        ),
        "W": like("W", lambda c: (ways(c), gates * c["hidden"], c.data.shape[2]), -1, 1, 1),
        "R": like("R", lambda c: (ways(c), gates * c["hidden"], c["hidden"]), -1, 1, 1),
        "B": like("B", lambda c: (ways(c), (biases(c) if biases else gates) * c["hidden"]), -1, 1, 1),
    }


def _gru_biases(call: Call) -> int:
    return 4 if call["linear_before_reset"] is True else 3


_REQUIRED: Final[Recipe] = {"activations": lambda c: c.spec.attribute("activations").default}
_GRU: Final[Recipe] = {"linear_before_reset": pick(True, False)}


def _mask(call: Call) -> Any:
    if call.draw.chance(0.5) or call["causal"]:
        return ABSENT
    return call.tensor(
        "attention_mask", shape=(call.data.shape[-2], call["key"].shape[-2]), types=[call.data.type, BOOLEAN]
    )


RECIPES: Final[dict[str, Recipe]] = {
    "LSTMCell": {**_cell(4), **_REQUIRED},
    "GRUCell": {**_cell(3, _gru_biases), **_GRU, **_REQUIRED},
    "RNNCell": {**_cell(1), **_REQUIRED},
    "LSTMSequence": {**_sequence(4), **_REQUIRED},
    "GRUSequence": {**_sequence(3, _gru_biases), **_GRU, **_REQUIRED},
    "RNNSequence": {**_sequence(1), **_REQUIRED},
    "ScaledDotProductAttention": {
        "query": data("query", rank=(3, 4), suits=not_empty, low=-9, high=9),
        "length": lambda c: c.draw.int(1, 5),
        "key": like("key", lambda c: (*c.data.shape[:-2], c["length"], c.data.shape[-1])),
        "value": like("value", lambda c: (*c.data.shape[:-2], c["length"], c.draw.int(1, 4))),
        "attention_mask": _mask,
        "scale": lambda c: (
            ABSENT
            if c["attention_mask"] is ABSENT or c.draw.chance(0.5)
            else c.tensor("scale", shape=(), low=0.1, high=1, constant=1)
        ),
        "sink": fixed(ABSENT),
    },
}
