"""Models with the files and parameter names of published models, but small and with random weights."""

from __future__ import annotations

import json
from collections.abc import Iterable
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

import sentencepiece
import torch
from safetensors.torch import load_file, save
from transformers import (
    BertConfig,
    BertForPreTraining,
    MarianConfig,
    MarianMTModel,
    MBartConfig,
    MBartForConditionalGeneration,
    PreTrainedModel,
)
from transformers.models.mbart50.tokenization_mbart50 import FAIRSEQ_LANGUAGE_CODES

Files = dict[str, bytes]

# From the config.json of bert-base, which has wider feed-forward layers.
_BERT = json.loads("""{
    "architectures": ["BertForMaskedLM"], "gradient_checkpointing": false,
    "max_position_embeddings": 512, "model_type": "bert", "num_attention_heads": 12, "pad_token_id": 0,
    "position_embedding_type": "absolute", "type_vocab_size": 2, "vocab_size": 30522
}""")
# The names that parameters of layer norms had when BERT was published.
_OLD_NAMES = {"LayerNorm.weight": "LayerNorm.gamma", "LayerNorm.bias": "LayerNorm.beta"}
# The decoder shares the embeddings; its bias is there under one name.
_NOT_PUBLISHED = ("cls.predictions.decoder.weight", "cls.predictions.decoder.bias", "bert.embeddings.position_ids")

_SMALL = json.loads("""{
    "d_model": 32, "encoder_layers": 2, "decoder_layers": 2, "num_hidden_layers": 2, "encoder_attention_heads": 4,
    "decoder_attention_heads": 4, "encoder_ffn_dim": 32, "decoder_ffn_dim": 32, "scale_embedding": true,
    "use_cache": true, "is_encoder_decoder": true, "normalize_embedding": true
}""")
# From the config.json of OPUS-MT and of mBART-50, except their sizes and the ids that depend on the vocabulary.
_OPUS = json.loads("""{
    "activation_function": "swish", "architectures": ["MarianMTModel"], "bos_token_id": 0, "eos_token_id": 0,
    "forced_eos_token_id": 0, "max_length": 512, "max_position_embeddings": 512, "model_type": "marian",
    "normalize_embedding": false, "num_beams": 4, "share_encoder_decoder_embeddings": true
}""")
_MBART = json.loads("""{
    "activation_function": "relu", "architectures": ["MBartForConditionalGeneration"], "bos_token_id": 0,
    "decoder_start_token_id": 2, "early_stopping": true, "eos_token_id": 2, "forced_eos_token_id": 2,
    "max_length": 200, "max_position_embeddings": 1024, "model_type": "mbart", "num_beams": 5, "pad_token_id": 1,
    "tokenizer_class": "MBart50Tokenizer"
}""")


def bert_base_uncased(vocabulary_from: Path, layers: int, width: int, feed_forward: int = 64) -> Files:
    """A BERT with bert-base's heads, and with the vocabulary of the model in a folder."""
    config = _BERT | {"num_hidden_layers": layers, "hidden_size": width, "intermediate_size": feed_forward}
    torch.manual_seed(1)
    model = BertForPreTraining(BertConfig(**config))
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "LayerNorm" in name:  # layer norms start with weights of 1 and biases of 0
                parameter.add_(0.1 * torch.randn_like(parameter))
    tensors = {name: tensor for name, tensor in model.state_dict().items() if name not in _NOT_PUBLISHED}
    tokenizer = json.loads((vocabulary_from / "tokenizer.json").read_text(encoding="utf-8"))
    return {
        "config.json": _json(config),
        "model.safetensors": _weights(tensors, _OLD_NAMES),
        "tokenizer.json": _json(tokenizer | {"truncation": None, "padding": None}),
        "tokenizer_config.json": b'{"do_lower_case": true, "model_max_length": 512}',
        "vocab.txt": "".join(f"{token}\n" for token in tokenizer["model"]["vocab"]).encode(),
        "pytorch_model.bin": b"not to be downloaded",
        "tf_model.h5": b"not to be downloaded",
        "README.md": b"---\nlanguage: en\n---\n",
    }


def opus_mt(source: Iterable[str], target: Iterable[str]) -> Files:
    """A Marian model, trained on nothing, with a SentencePiece model for each side and one vocabulary for both."""
    sides = {"source.spm": _pieces(source), "target.spm": _pieces(target)}
    vocabulary = {"</s>": 0, "<unk>": 1}
    for content in sides.values():
        for piece in _names(content):
            vocabulary.setdefault(piece, len(vocabulary))
    vocabulary["<pad>"] = padding = len(vocabulary)
    config = _SMALL | _OPUS | {"bad_words_ids": [[padding]], "decoder_start_token_id": padding, "pad_token_id": padding}
    config |= {"decoder_vocab_size": len(vocabulary), "vocab_size": len(vocabulary)}
    torch.manual_seed(2)
    model = MarianMTModel(MarianConfig(**config))
    generation = {"bad_words_ids": [[padding]], "decoder_start_token_id": padding, "eos_token_id": 0, "num_beams": 4}
    return sides | {
        "config.json": _json(config),
        "generation_config.json": _json(generation | {"max_length": 512, "renormalize_logits": True}),
        "model.safetensors": _weights(_as_saved(model), {}),
        "pytorch_model.bin": b"not to be downloaded",
        "tokenizer_config.json": b'{"target_lang": "en", "source_lang": "de"}',
        "vocab.json": _json(vocabulary),
    }


def mbart_50(sentences: Iterable[str]) -> Files:
    """An mBART-50, trained on nothing, with one SentencePiece model for all languages."""
    pieces = _pieces(sentences)
    # fairseq's numbers are those of the pieces plus one; then the languages and the mask follow.
    size = len(_names(pieces)) + 1 + len(FAIRSEQ_LANGUAGE_CODES) + 1
    config = _SMALL | _MBART | {"vocab_size": size}
    special = {"eos_token": "</s>", "unk_token": "<unk>", "sep_token": "</s>", "cls_token": "<s>", "pad_token": "<pad>"}
    mask = {"content": "<mask>", "single_word": False, "lstrip": True, "rstrip": False, "normalized": True}
    tokenizer = {"src_lang": None, "tgt_lang": None, **special, "mask_token": mask | {"__type": "AddedToken"}}
    elsewhere = "/home/somebody/projects/mbart-50/special_tokens_map.json"
    tokenizer |= {"bos_token": "<s>", "tokenizer_file": None, "language_codes": "ML50"}
    torch.manual_seed(3)
    return {
        "config.json": _json(config),
        "generation_config.json": _json({"bos_token_id": 0, "decoder_start_token_id": 2, "eos_token_id": 2}),
        "model.safetensors": _weights(_as_saved(MBartForConditionalGeneration(MBartConfig(**config))), {}),
        "pytorch_model.bin": b"not to be downloaded",
        "sentencepiece.bpe.model": pieces,
        "special_tokens_map.json": _json(
            {"bos_token": "<s>", **special, "mask_token": "<mask>", "additional_special_tokens": FAIRSEQ_LANGUAGE_CODES}
        ),
        "tokenizer_config.json": _json(tokenizer | {"special_tokens_map_file": elsewhere}),
    }


def _pieces(sentences: Iterable[str]) -> bytes:
    written = BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(sentences),
        model_writer=written,
        vocab_size=1000,
        hard_vocab_limit=False,
        num_threads=1,
        minloglevel=2,
    )
    return written.getvalue()


def _names(pieces: bytes) -> list[str]:
    processor = sentencepiece.SentencePieceProcessor(model_proto=pieces)
    return [processor.id_to_piece(index) for index in range(processor.get_piece_size())]


def _as_saved(model: PreTrainedModel) -> dict[str, torch.Tensor]:
    """The parameters that are written, under the names in the file."""
    with TemporaryDirectory() as folder:
        model.save_pretrained(folder)
        return load_file(f"{folder}/model.safetensors")


def _weights(tensors: dict[str, torch.Tensor], renamed: dict[str, str]) -> bytes:
    named = {}
    for name, tensor in tensors.items():
        for new, old in renamed.items():
            name = name.replace(new, old)  # noqa: PLW2901
        named[name] = tensor.contiguous()
    return save(named, metadata={"format": "pt"})


def _json(content: object) -> bytes:
    return json.dumps(content, ensure_ascii=False).encode()
