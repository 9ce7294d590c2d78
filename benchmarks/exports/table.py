"""The networks that are measured, one line each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from exports.language import Decoder
from exports.network import Network, features, image, latent, pixels, text
from exports.sources import own, timm, torchvision, transformers, wrapped

BERT: Final = 30522
GPT2: Final = 50257
WORDS: Final = 2000
"""The vocabulary from which tokens are drawn, where it does not matter."""

UNET: Final = {
    "sample_size": 32, "in_channels": 4, "out_channels": 4, "block_out_channels": (128, 256, 512),
    "down_block_types": ("CrossAttnDownBlock2D", "CrossAttnDownBlock2D", "DownBlock2D"),
    "up_block_types": ("UpBlock2D", "CrossAttnUpBlock2D", "CrossAttnUpBlock2D"),
    "cross_attention_dim": 512, "attention_head_dim": 8,
}  # fmt: skip

NETWORKS: Final[Mapping[str, Network]] = {
    "resnet50": Network(torchvision("resnet50"), image(224)),
    "densenet121": Network(torchvision("densenet121"), image(224)),
    "vgg16": Network(torchvision("vgg16"), image(224)),
    "googlenet": Network(torchvision("googlenet", aux_logits=False, init_weights=False), image(224)),
    "squeezenet": Network(torchvision("squeezenet1_1"), image(224)),
    "shufflenet-v2": Network(torchvision("shufflenet_v2_x1_0"), image(224)),
    "mobilenet-v2": Network(torchvision("mobilenet_v2"), image(224)),
    "mobilenet-v3-l": Network(torchvision("mobilenet_v3_large"), image(224)),
    "efficientnet-b0": Network(torchvision("efficientnet_b0"), image(224)),
    "regnet-y-800mf": Network(torchvision("regnet_y_800mf"), image(224)),
    "deeplab-v3": Network(wrapped("Segmentation", path="deeplabv3_mobilenet_v3_large"), image(320)),
    "ssdlite": Network(wrapped("Detection", path="ssdlite320_mobilenet_v3_large"), image(320)),
    "yolov8n": Network(own("Yolo"), image(640, name="images")),
    "convnext-t": Network(timm("convnext_tiny"), image(224)),
    "swin-t": Network(transformers("Swin"), pixels(224)),
    "segformer-b0": Network(transformers("Segformer", "ForSemanticSegmentation"), pixels(512)),
    "mixer-s16": Network(timm("mixer_s16_224"), image(224)),
    "efficientformer-l1": Network(timm("efficientformer_l1"), image(224)),
    "vit-base": Network(transformers("ViT"), pixels(224)),
    "deit-small": Network(
        transformers("DeiT", hidden_size=384, num_attention_heads=6, intermediate_size=1536), pixels(224)
    ),
    "clip-vision": Network(transformers("CLIPVision"), pixels(224)),
    "bert-base": Network(transformers("Bert"), text(128, BERT, types=True)),
    "bert-base-dynamic": Network(transformers("Bert"), text(128, BERT, types=True), dynamic=True),
    "distilbert": Network(transformers("DistilBert"), text(128, BERT)),
    "distilbert-dynamic": Network(transformers("DistilBert"), text(128, BERT), dynamic=True),
    "roberta": Network(transformers("Roberta", vocab_size=50265, max_position_embeddings=514), text(128, GPT2)),
    "mpnet": Network(transformers("MPNet"), text(128, BERT)),
    "mpnet-dynamic": Network(transformers("MPNet"), text(128, BERT), dynamic=True),
    "gpt2": Network(transformers("GPT2", "LMHeadModel"), text(64, GPT2)),
    "t5-small-encoder": Network(transformers("T5", "EncoderModel"), text(128, 32000)),
    "whisper-tiny-encoder": Network(
        wrapped("Sound", path="whisper.modeling_whisper.WhisperEncoder", config="Whisper"),
        features("input_features", 1, 80, 3000),
    ),
    "wav2vec2-base": Network(transformers("Wav2Vec2"), features("input_values", 1, 32000)),
    "unet": Network(wrapped("Diffusion", **UNET), latent(32, 77, 512)),
    "bilstm": Network(own("BiLSTM"), features("frames", 1, 100, 128)),
}
FIXED: Final = Network(transformers("Bert"), text(72, BERT, types=True))
"""The network with which lengths of 16 to 128 are compared."""

QUANTIZED: Final = ("resnet50", "mobilenet-v2", "efficientnet-b0", "yolov8n", "bert-base", "vit-base")

DECODERS: Final[Mapping[str, Decoder]] = {
    "smollm-135m": Decoder(
        transformers(
            "Llama", "ForCausalLM", vocab_size=49152, hidden_size=576, intermediate_size=1536, num_hidden_layers=30,
            num_attention_heads=9, num_key_value_heads=3, tie_word_embeddings=True, max_position_embeddings=2048,
        ),
        49152,
    ),
    "pythia-160m": Decoder(
        transformers(
            "GPTNeoX", "ForCausalLM", vocab_size=50304, hidden_size=768, intermediate_size=3072, num_hidden_layers=12,
            num_attention_heads=12, max_position_embeddings=2048,
        ),
        50304,
    ),
}  # fmt: skip
"""Language models of 135 and 160 million parameters."""

LARGE_DECODERS: Final[Mapping[str, Decoder]] = {
    "tinyllama-1.1b": Decoder(
        transformers(
            "Llama", "ForCausalLM", vocab_size=32000, hidden_size=2048, intermediate_size=5632, num_hidden_layers=22,
            num_attention_heads=32, num_key_value_heads=4, max_position_embeddings=2048,
        ),
        32000,
    ),
}  # fmt: skip
"""A language model of 1.1 billion parameters, which ``text.py`` measures."""
