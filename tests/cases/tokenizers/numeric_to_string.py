from __future__ import annotations

import numpy as np

from tests.cases import Array, Case, Invalid, boolean, f32, f64, i32, i64

_OP, _DOMAIN = "NumericToString", "openvino_tokenizers"


def _case(given: Array, *texts: str, name: str) -> Case:
    expected = np.array(texts, object).reshape(given.shape)
    return Case(_OP, _DOMAIN, [given], [expected], name=name, source="oracle", departs="unknown")


CASES = [
    _case(i32([[-(2**31)], [7]]), "-2147483648", "7", name="i32"),
    _case(np.array([200], np.uint8), "200", name="u8"),
    _case(i64([2**32 + 1, -5]), "1", "-5", name="i64"),
    _case(boolean([True, False]), "1", "0", name="booleans"),
    _case(f32([0.1, 1e6, 123456.5, -0.0, np.inf, np.nan]), "0.1", "1e+06", "123456", "-0", "inf", "nan", name="f32"),
    _case(f64([1e100, -np.inf, 0.5]), "3.40282e+38", "-3.40282e+38", "0.5", name="f64"),
]
INVALID = [Invalid(_OP, _DOMAIN, ["f16[1]"], "input 0 (data) is f16, expected boolean", input=0)]
