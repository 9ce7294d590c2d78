"""The declarations of all operations, one folder for each category: ``registry`` finds them, by type and opset."""
