from __future__ import annotations

from irrun.linter.rule import Rule
from irrun.ops.blame import ExtensionFault


class FailingExtension(Rule):
    """The code of an extension fails.

    ## What it does
    Reported where `infer`, `run` or `evaluate` of an operation, `check` of a rule, or a pass of an extension raises an
    exception or returns what it must not, with the file and the line. It cannot be switched off, and the exit status
    is 2. `--traceback` prints the traceback.

    ## Why is this bad
    The file is not wrong, but what the extension should compute or check is missing.

    ## Example
    `SoftShrink.run fails at my_ops.py:21: ZeroDivisionError: division by zero`

    ## Use instead
    An operation that computes its outputs for all inputs that `infer` accepts, and raises `OpError` for others.
    `irrun.testing` tests one.
    """

    code = "IR805"
    name = "failing-extension"
    faults = (ExtensionFault,)
    at_run_time = True
    breaks = ("layer",)
