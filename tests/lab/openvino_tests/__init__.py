"""OpenVINO's own tests of its Python API, on the installed openvino and on irrun."""
