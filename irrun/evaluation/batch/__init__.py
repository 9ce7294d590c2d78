"""A model on many files of inputs, each with a record."""
