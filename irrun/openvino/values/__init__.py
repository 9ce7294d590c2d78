"""Types, shapes, layouts, tensors and notes: values without a model."""
