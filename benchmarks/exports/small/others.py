"""Models of sound, of series and of diffusion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from exports.network import Network, features, latent
from exports.small.kinds import PICTURE, hearer
from exports.sources import own, transformers, wrapped

OTHERS: Final[Mapping[str, Network]] = {
    "ast": Network(transformers("AST", **{**PICTURE, "num_mel_bins": 16, "max_length": 24, "frequency_stride": 8,
                                          "time_stride": 8}), features("input_values", 1, 24, 16)),
    "bilstm": Network(own("BiLSTM", inputs=16, hidden=16), features("frames", 1, 10, 16)),
    "clap-audio": Network(transformers("ClapAudio", spec_size=32, num_mel_bins=8, patch_size=4, patch_stride=[4, 4],
                                       patch_embeds_hidden_size=8, depths=[1, 1], num_attention_heads=[1, 2],
                                       window_size=4, hidden_size=16, num_classes=4),
                          features("input_features", 1, 1, 32, 8)),
    "data2vec-audio": hearer("Data2VecAudio", conv_pos_kernel_size=5, num_conv_pos_embeddings=2),
    "encodec": Network(wrapped("Codec", num_filters=4, hidden_size=16, num_residual_layers=1, upsampling_ratios=[4, 2],
                               codebook_size=16, codebook_dim=16, num_lstm_layers=1),
                       features("input_values", 1, 1, 640)),
    "hubert": hearer("Hubert"),
    "sew": hearer("SEW", squeeze_factor=2),
    "sew-d": hearer("SEWD", squeeze_factor=2, max_position_embeddings=64, position_buckets=8),
    "speech2text-encoder": Network(wrapped("Sound", path="speech_to_text.modeling_speech_to_text.Speech2TextEncoder",
                                           config="Speech2Text", d_model=32, encoder_layers=2,
                                           encoder_attention_heads=4,
                                           encoder_ffn_dim=48, conv_channels=16, input_feat_per_channel=8,
                                           max_source_positions=64), features("input_features", 1, 32, 8)),
    "unet": Network(wrapped("Diffusion", sample_size=8, block_out_channels=(16, 32), norm_num_groups=4,
                            down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"),
                            up_block_types=("UpBlock2D", "CrossAttnUpBlock2D"), cross_attention_dim=16,
                            attention_head_dim=4, layers_per_block=1), latent(8, 5, 16)),
    "unispeech": hearer("UniSpeech"),
    "unispeech-sat": hearer("UniSpeechSat"),
    "univnet": Network(wrapped("Sound", path="univnet.modeling_univnet.UnivNetModel", config="UnivNet",
                               model_hidden_channels=8, kernel_predictor_hidden_channels=8, num_mel_bins=8,
                               model_in_channels=8, resblock_stride_sizes=[4, 2], resblock_kernel_sizes=[3, 3],
                               resblock_dilation_sizes=[[1, 3], [1, 3]]), features("input_features", 1, 6, 8)),
    "wav2vec2": hearer("Wav2Vec2"),
    "wav2vec2-stable": hearer("Wav2Vec2", do_stable_layer_norm=True, feat_extract_norm="layer"),
    "wav2vec2-conformer": hearer("Wav2Vec2Conformer", position_embeddings_type="rotary"),
    "wavlm": hearer("WavLM", num_buckets=16, max_bucket_distance=32),
    "whisper-encoder": Network(wrapped("Sound", path="whisper.modeling_whisper.WhisperEncoder", config="Whisper",
                                       d_model=32, encoder_layers=2, encoder_attention_heads=4,
                                       encoder_ffn_dim=48, num_mel_bins=16, max_source_positions=20),
                               features("input_features", 1, 16, 40)),
}  # fmt: skip
