"""The Python API, in OpenVINO's names."""
