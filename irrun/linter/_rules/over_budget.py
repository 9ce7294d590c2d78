from __future__ import annotations

from irrun.linter.rule import Rule
from irrun.runtime import budget


class OverBudget(Rule):
    """An inference exceeds its budget of memory, iterations or time.

    ## What it does
    Reported when a model is compiled or runs, at the first layer that exceeds a limit: the memory of all tensors that
    exist at a time (`--max-memory`, `MAX_MEMORY`; by default a share of the memory that is free), the iterations of a
    loop (`--max-iterations`, `MAX_ITERATIONS`; 1,000,000 by default), or the time of an inference (`--timeout`,
    `TIMEOUT`; no limit by default). Memory is summed before anything is allocated.

    ## Why is this bad
    The system would kill the process, or the process would take the memory of others, or never finish.

    ## Example
    A Broadcast to `[2147483647,3,4]`, or a Loop with a trip count of -1 whose condition is always true.

    ## Use instead
    The intended sizes, or a larger limit for a model that you trust.
    """

    code = "IR804"
    name = "over-budget"
    faults = (budget.OverBudget,)
    at_run_time = True
