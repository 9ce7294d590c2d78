"""The faults that compiling and running a model find."""

from __future__ import annotations

from irrun.diagnostics.fault import Fault, Said


class MissingWeights(Said):
    """A value that is in an absent file of weights."""

    code = "IR501"


class LayerThatCannotRun(Said):
    """A layer without an operation, without all its inputs, or without facts."""

    code = "IR801"


class FailedAtRunTime(Said):
    """A computation that failed."""

    code = "IR802"


class LayerOfAnExtension(Said):
    """An operation of a library, which has no kernel."""

    code = "IR803"


class ResultThatFeeds(Fault):
    """A layer that reads a Result."""

    code = "IR204"
    words = "an input is connected to a Result, expected a layer that computes it"


class OversizedTensor(Said):
    """A tensor that no computer can address."""

    code = "IR902"
