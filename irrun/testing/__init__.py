"""Helpers for tests of operations of one's own.

>>> from irrun.testing import check_operation
>>> check_operation(SoftShrink, [np.float32([-2, 0.2, 3])], [np.float32([-1, 0, 2])], {"lambd": 1})
"""

from irrun.testing.operations import check_operation

__all__ = ["check_operation"]
