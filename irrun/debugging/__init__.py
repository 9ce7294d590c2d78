"""Find where a model goes wrong: watch its tensors, compare layers, blame one, cut it out, reduce the model."""
