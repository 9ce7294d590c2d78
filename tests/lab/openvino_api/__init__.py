"""The names of OpenVINO's Python API, and which of them irrun has."""
