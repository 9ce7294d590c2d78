"""ONNX's own backend suite, as OpenVINO converts it, in irrun and in OpenVINO's CPU plugin."""
