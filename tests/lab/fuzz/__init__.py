"""Fuzzing: targets, seeds, a mutator that knows the structure of an IR, and inputs that once failed."""
