"""Programs that use OpenVINO, as they are, on the installed openvino and on irrun."""
