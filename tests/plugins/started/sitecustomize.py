"""Python runs this in each process that a test starts while its calls are noted."""

from __future__ import annotations

import os

if "IRRUN_TESTS_CALLS" in os.environ and "PYTEST_CURRENT_TEST" in os.environ:
    from tests.plugins.calls import note_calls_of_this_process

    note_calls_of_this_process()
