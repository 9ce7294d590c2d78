"""The algebra of the passes, proven over the reals by z3: no numbers contradict the identity.

Rounding is not part of it: results differ by the roundings of the operations that are exchanged. Functions of which
only the name matters, such as erf, may be any function.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import pytest

from irrun.optimize import PASSES
from tests.kernels.merged import merged
from tests.optimize.test_exhaustive import CASES

z3: Any = pytest.importorskip("z3", reason="z3 proves the identities")

Claim = Any
TAPS: Final = 3


def reals(names: str) -> list[Any]:
    return list(z3.Reals(names))


def function(name: str) -> Callable[..., Any]:
    return z3.Function(name, z3.RealSort(), z3.RealSort())  # type: ignore[no-any-return]


def total(weights: list[Any], values: list[Any]) -> Any:
    return z3.Sum([weight * value for weight, value in zip(weights, values, strict=True)])


X, W = reals("x0 x1 x2"), reals("w0 w1 w2")
A, B, R, S = reals("a b r s")


def relu(x: Any) -> Any:
    return z3.If(x > 0, x, 0)


def factor_and_summand() -> Claim:
    """(Σ w x) a + b + r = Σ (w a) x + b + r."""
    return total(W, X) * A + B + R == total([w * A for w in W], X) + B + R


def factor_after_a_bias() -> Claim:
    """((Σ w x) + s) a + b = Σ (w a) x + (s a + b)."""
    return (total(W, X) + S) * A + B == total([w * A for w in W], X) + (S * A + B)


def pre_activation() -> Claim:
    """w · relu(a x + b) = (w a) · max(x, -b / a) + w b, where a > 0."""
    x, w = X[0], W[0]
    least = -B / A
    return z3.Implies(A > 0, w * relu(x * A + B) == w * A * z3.If(x > least, x, least) + w * B)


def swish() -> Claim:
    sigmoid, x = function("sigmoid"), X[0]
    return x * sigmoid(x) == sigmoid(x) * x


def gelu() -> Claim:
    """The factors x, 1/2 and 1 + f(x) commute, where the curve is any function f."""
    f, x = function("f"), X[0]
    half = z3.Q(1, 2)
    return z3.And((x * half) * (f(x) + 1) == half * x * (1 + f(x)), x * ((f(x) + 1) * half) == half * x * (1 + f(x)))


def leaky_relu() -> Claim:
    """max(x, a x) is x, or a x where x is negative, for 0 < a <= 1."""
    x = X[0]
    return z3.Implies(z3.And(A > 0, A <= 1), z3.If(x > A * x, x, A * x) == z3.If(x < 0, A * x, x))


def scale_of_scores() -> Claim:
    """A scale of q, of k, or of the scores is the same, and so is a divisor that is its inverse."""
    scores = S * total(W, X)
    scaled = z3.And(total([S * w for w in W], X) == scores, total(W, [S * x for x in X]) == scores)
    return z3.And(scaled, z3.Implies(A * S == 1, z3.Implies(A != 0, total(W, X) / A == scores)))


def shifted_exponentials() -> Claim:
    """Σ e(x - m) v / Σ e(x - m) does not depend on m, where e(a + b) = e(a) e(b) > 0."""
    e, m = z3.RealVector("e", 2), z3.Real("em")
    plain = (e[0] * W[0] + e[1] * W[1]) / (e[0] + e[1])
    shifted = (e[0] / m * W[0] + e[1] / m * W[1]) / (e[0] / m + e[1] / m)
    return z3.Implies(z3.And(e[0] > 0, e[1] > 0, m > 0), plain == shifted)


def quotient_by_a_root() -> Claim:
    """d / √v = d (1 / √v), and then γ and β, where √v is the positive number whose square is v."""
    root, d = reals("root d")
    return z3.Implies(root > 0, (d / root) * A + B == (d * (1 / root)) * A + B)


def levels() -> Claim:
    """Σ (step l + low) (q - z) a = a (step Σ l (q - z) + low Σ (q - z)), for integers l, q and z."""
    numbers = [z3.ToReal(z3.Int(f"l{index}")) for index in range(TAPS)]
    weights = [z3.ToReal(z3.Int(f"q{index}")) - z3.ToReal(z3.Int("z")) for index in range(TAPS)]
    step, low = reals("step low")
    written = z3.Sum([(step * number + low) * (w * A) for number, w in zip(numbers, weights, strict=True)])
    return written == A * (step * total(weights, numbers) + low * z3.Sum(weights))


def packed_columns() -> Claim:
    """Σ x (q - z) s = s (Σ x q - z Σ x)."""
    zero = z3.Real("zero")
    return z3.Sum([x * ((q - zero) * S) for x, q in zip(X, W, strict=True)]) == S * (total(X, W) - zero * z3.Sum(X))


IDENTITIES: Final[dict[str, tuple[Callable[[], Claim], ...]]] = {
    "compute-in-integers": (levels,),
    "fuse-activations": (swish, gelu, leaky_relu),
    "fuse-attention": (scale_of_scores, shifted_exponentials),
    "fuse-convolution": (factor_and_summand, factor_after_a_bias, pre_activation),
    "fuse-matmul": (factor_and_summand, factor_after_a_bias),
    "fuse-normalization": (quotient_by_a_root,),
    "fuse-transposed-convolution": (factor_and_summand, factor_after_a_bias),
    "keep-packed": (packed_columns,),
}


def contradiction(claim: Claim) -> Any:
    """Return numbers that contradict a claim; None where there are none."""
    solver = z3.Solver()
    solver.set("rlimit", 50_000_000)
    solver.add(z3.Not(claim))
    found = solver.check()
    assert found != z3.unknown, solver.reason_unknown()
    return solver.model() if found == z3.sat else None


@merged()
@pytest.mark.parametrize(("name", "claim"), [(name, claim) for name, claims in IDENTITIES.items() for claim in claims])
def test_identity(name: str, claim: Callable[[], Claim]) -> None:
    assert contradiction(claim()) is None, name


def test_the_page_of_each_pass_names_its_proof() -> None:
    for item in PASSES:
        proof = (item.module().__doc__ or "").partition("\nProof: ")[2]
        assert proof, f"{item.name}: the docstring has no paragraph that starts with 'Proof:'"
        for module, names in (("test_exhaustive", CASES), ("test_identities", IDENTITIES)):
            named, listed = module in proof, item.name in names
            assert named == listed, f"{item.name}: 'Proof:' names {module}: {named}; {module} has the pass: {listed}"


def test_a_condition_is_needed() -> None:
    x, w = X[0], W[0]
    least = -B / A
    claim = z3.Implies(A != 0, w * relu(x * A + B) == w * A * z3.If(x > least, x, least) + w * B)
    assert contradiction(claim) is not None
