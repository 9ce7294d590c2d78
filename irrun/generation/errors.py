"""The error of text generation."""

from __future__ import annotations

from irrun.model import InputError


class GenerationError(InputError):
    """A folder, a setting or a prompt that cannot be used; the message names it, its value and the expectation."""


class GenerationWarning(UserWarning):
    """A warning about what may change results: a text that is cut, a tokenizer that does not fit the model."""
