"""Tokenizers and detokenizers in irrun and in OpenVINO, on generated texts and ids."""
