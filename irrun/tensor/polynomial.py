"""Polynomials with integer coefficients over unknowns, which are names or numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Terms = tuple[tuple[tuple[Any, ...], Any], ...]
"""The unknowns that are multiplied, and the coefficient of each product, sorted."""


def collected(terms: Mapping[tuple[Any, ...], Any]) -> Terms:
    """Return the terms that are not 0, sorted."""
    return tuple(sorted((monomial, factor) for monomial, factor in terms.items() if factor))


def added(a: Terms, b: Terms, sign: int = 1) -> Terms:
    """Return a + b, or a - b."""
    terms = dict(a)
    for monomial, factor in b:
        terms[monomial] = terms.get(monomial, 0) + sign * factor
    return collected(terms)


def multiplied(a: Terms, b: Terms) -> Terms:
    """Return a * b."""
    terms: dict[tuple[Any, ...], Any] = {}
    for left, p in a:
        for right, q in b:
            monomial = tuple(sorted(left + right))
            terms[monomial] = terms.get(monomial, 0) + p * q
    return collected(terms)


def divided(a: Terms, b: Terms) -> Terms | None:
    """Return a / b where b is a single term that divides every term of a, or a and b are equal; None otherwise."""
    if len(b) != 1:
        return ((((), 1),)) if a == b and a else None
    ((divisor, factor),) = b
    terms: dict[tuple[Any, ...], Any] = {}
    for monomial, coefficient in a:
        rest = list(monomial)
        for atom in divisor:
            if atom not in rest:
                return None
            rest.remove(atom)
        if coefficient % factor:
            return None
        terms[tuple(rest)] = coefficient // factor
    return collected(terms)
