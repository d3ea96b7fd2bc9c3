"""Tiny encoders of every supported kind, with random weights and biases, and tokenizers trained on the spot."""

import json
from collections.abc import Iterable
from pathlib import Path

import torch
from tokenizers import (
    AddedToken,
    ByteLevelBPETokenizer,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)
from transformers import (
    AutoModel,
    AutoModelForSeq2SeqLM,
    AutoModelForSequenceClassification,
    AutoTokenizer,
    PreTrainedModel,
    PreTrainedTokenizerBase,
    PreTrainedTokenizerFast,
    RobertaTokenizerFast,
)
from transformers.models.auto import CONFIG_MAPPING

from bert_attention.attention.hooks import HookedEncoder
from bert_attention.models.encoders import Encoder
from bert_attention.models.families import FAMILIES

SHAPE = {"num_hidden_layers": 3, "num_attention_heads": 4, "hidden_size": 32, "intermediate_size": 64}
_AFTER_PADDING = SHAPE | {"pad_token_id": 1, "max_position_embeddings": 66, "type_vocab_size": 1}
_SPECIAL = {"pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2, "cls_token_id": 0, "sep_token_id": 2}
_DISTANCES = {"relative_attention": True, "pos_att_type": ["c2p", "p2c"], "position_biased_input": False}
_DEBERTA = SHAPE | _DISTANCES | {"type_vocab_size": 0, "max_position_embeddings": 64, "pooler_hidden_size": 32}
_ROTARY = SHAPE | {"max_position_embeddings": 64}
# Every family: a model of 3 layers of 4 heads.
CONFIGURATIONS = {
    "bert": SHAPE,
    "roberta": _AFTER_PADDING,
    "electra": SHAPE | {"embedding_size": 16},
    "distilbert": {"n_layers": 3, "n_heads": 4, "dim": 32, "hidden_dim": 64},
    "albert": SHAPE | {"embedding_size": 16},
    "mpnet": SHAPE | {"pad_token_id": 1},
    "xlm-roberta": _AFTER_PADDING,
    "camembert": _AFTER_PADDING,
    "data2vec-text": _AFTER_PADDING,
    "ernie": SHAPE,
    "rembert": SHAPE | {"input_embedding_size": 16, "output_embedding_size": 24},
    "megatron-bert": SHAPE,
    "roberta-prelayernorm": _AFTER_PADDING,
    "xlm-roberta-xl": _AFTER_PADDING,
    "roformer": SHAPE | {"embedding_size": 32},
    "deberta": _DEBERTA,
    "deberta-v2": _DEBERTA | {"position_buckets": 8, "norm_rel_ebd": "layer_norm", "share_att_key": True},
    "nomic_bert": _ROTARY,
    "gte": _ROTARY,
    "jina_embeddings_v3": _ROTARY | {"pad_token_id": 1, "type_vocab_size": 1},
    "modernbert": _ROTARY | _SPECIAL | {"local_attention": 8, "global_attn_every_n_layers": 2},
    "eurobert": _ROTARY | _SPECIAL | {"num_key_value_heads": 2},
    "ultrabert": _ROTARY | _SPECIAL | {"num_key_value_heads": 2, "sliding_window": 4},
}
# ALBERTs whose configurations count fewer layers than run: with one group of layers, and with two.
INNER_LAYERS = [
    {"num_hidden_layers": 3, "num_hidden_groups": 1, "inner_group_num": 2},
    {"num_hidden_layers": 4, "num_hidden_groups": 2, "inner_group_num": 2},
]
# Translation models: a decoder of 3 layers of 4 heads.
TRANSLATION = {"d_model": 16, "encoder_layers": 2, "decoder_layers": 3, "encoder_ffn_dim": 8, "decoder_ffn_dim": 8}
TRANSLATION |= {"encoder_attention_heads": 2, "decoder_attention_heads": 4, "max_position_embeddings": 40}
TRANSLATION |= {"eos_token_id": 0, "decoder_start_token_id": 2}
# For slow tests: one family of each form.
ONE_OF_EACH_FORM = list({FAMILIES[kind].form: kind for kind in reversed(CONFIGURATIONS)}.values())[::-1]
WITH_MIXING = [kind for kind in CONFIGURATIONS if "mixing" not in FAMILIES[kind].left_out]
WITH_NEURONS = [kind for kind in CONFIGURATIONS if "neurons" not in FAMILIES[kind].left_out]


# In the published files of RoBERTa, MPNet, ModernBERT and ALBERT, the mask token includes the space before it.
MASK = AddedToken("<mask>", lstrip=True, special=True, normalized=False)


def random_model(kind: str, seed: int = 0, **changes) -> PreTrainedModel:
    """A model whose parameters are all drawn at random, biases and layer norms too."""
    config = CONFIG_MAPPING[kind](**(CONFIGURATIONS.get(kind, {}) | {"vocab_size": 90} | changes))
    return randomly_drawn(AutoModel.from_config(config, attn_implementation="eager"), seed).eval()


def randomly_drawn(model: PreTrainedModel, seed: int = 0) -> PreTrainedModel:
    """The model with all its parameters drawn at random, biases and layer norms too."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.normal_(0.0, 0.15, generator=generator)
            if parameter.ndim == 1 and name.endswith("weight"):
                parameter.add_(1.0)
    return model


def random_translation_model(kind: str, tokenizer: PreTrainedTokenizerBase) -> PreTrainedModel:
    """A translation model with a tokenizer's vocabulary, whose parameters are all drawn at random."""
    sizes = {"vocab_size": len(tokenizer)}
    if kind == "fsmt":
        sizes = {"langs": ["de", "en"], "src_vocab_size": len(tokenizer), "tgt_vocab_size": len(tokenizer)}
    config = CONFIG_MAPPING[kind](**TRANSLATION, **sizes, pad_token_id=tokenizer.pad_token_id)
    return randomly_drawn(AutoModelForSeq2SeqLM.from_config(config, attn_implementation="eager")).eval()


def random_classifier(kind: str, **changes) -> PreTrainedModel:
    """A random model with a head of three classes, and the fastest attention of its family."""
    config = CONFIG_MAPPING[kind](**(CONFIGURATIONS[kind] | {"vocab_size": 90, "num_labels": 3} | changes))
    return randomly_drawn(AutoModelForSequenceClassification.from_config(config)).eval()


def change_config(folder: Path, **settings) -> None:
    """Write settings into the ``config.json`` of a model folder."""
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | settings))


def random_encoder(kind: str, seed: int = 0, **changes) -> HookedEncoder:
    """A random model with the hooks of the library."""
    return HookedEncoder.of(Encoder(random_model(kind, seed, **changes), torch.device("cpu")))


def save_bert(folder: Path, vocabulary_from: Path, seed: int = 0, **changes) -> Path:
    """A random BERT with the vocabulary of another model, in a folder of standard form."""
    return save_encoder(folder, "bert", AutoTokenizer.from_pretrained(vocabulary_from), seed=seed, **changes)


def save_roberta(folder: Path) -> Path:
    """A random RoBERTa with a byte-level tokenizer of its own, in a folder of standard form."""
    tokenizer = ByteLevelBPETokenizer()
    text = ["The cat sat on the mat, and the dog lay by the door.", "Unbelievable things happen, now and then."] * 3
    tokenizer.train_from_iterator(
        text, vocab_size=330, special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>"], show_progress=False
    )
    backend = tokenizer._tokenizer
    backend.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    fast = RobertaTokenizerFast(tokenizer_object=backend, mask_token=MASK)
    fast.save_pretrained(folder)
    random_model("roberta", vocab_size=len(fast), max_position_embeddings=130).save_pretrained(folder)
    return folder


# The special tokens of BERT's, ALBERT's and DeBERTa-v3's tokenizers: opening, closing, padding, unknown, mask.
LIKE_BERT = ("[CLS]", "[SEP]", "[PAD]", "[UNK]", "[MASK]")
LIKE_ALBERT = ("[CLS]", "[SEP]", "<pad>", "<unk>", "[MASK]")


def unigram_tokenizer(
    texts: Iterable[str], vocab_size: int = 400, special: tuple[str, ...] = LIKE_ALBERT
) -> PreTrainedTokenizerFast:
    """A Unigram tokenizer trained on texts, with ALBERT's special tokens unless others are given."""
    backend = Tokenizer(models.Unigram())
    backend.normalizer = normalizers.NFKC()
    backend.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    backend.decoder = decoders.Metaspace(prepend_scheme="always")
    trainer = trainers.UnigramTrainer(vocab_size=vocab_size, special_tokens=list(special), unk_token=special[3])
    return trained_tokenizer(backend, trainer, texts, special)


def byte_level_tokenizer(texts: Iterable[str], vocab_size: int = 400) -> PreTrainedTokenizerFast:
    """A tokenizer like ModernBERT's, trained on texts: byte-level BPE with BERT's special tokens."""
    backend = Tokenizer(models.BPE())
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=vocab_size, special_tokens=list(LIKE_BERT), initial_alphabet=alphabet)
    return trained_tokenizer(backend, trainer, texts, LIKE_BERT)


def trained_tokenizer(
    backend: Tokenizer, trainer: trainers.Trainer, texts: Iterable[str], special: tuple[str, ...]
) -> PreTrainedTokenizerFast:
    """A trained tokenizer that puts the special tokens around texts."""
    trainer.show_progress = False
    backend.train_from_iterator(texts, trainer)
    mask = AddedToken(special[4], lstrip=True, special=True, normalized=False)
    backend.add_special_tokens([mask])
    opening, closing = special[:2]
    backend.post_processor = processors.TemplateProcessing(
        single=f"{opening} $A {closing}",
        pair=f"{opening} $A {closing} $B {closing}",
        special_tokens=[(token, backend.token_to_id(token)) for token in (opening, closing)],
    )
    names = ("cls_token", "sep_token", "pad_token", "unk_token")
    return PreTrainedTokenizerFast(tokenizer_object=backend, mask_token=mask, **dict(zip(names, special, strict=False)))


def save_encoder(folder: Path, kind: str, tokenizer: PreTrainedTokenizerFast, **changes) -> Path:
    """A random model of a family with a tokenizer, in a folder of standard form."""
    tokenizer.save_pretrained(folder)
    ids = {f"{name}_token_id": getattr(tokenizer, f"{name}_token_id") for name in ("pad", "cls", "sep")}
    ids |= {"bos_token_id": tokenizer.cls_token_id, "eos_token_id": tokenizer.sep_token_id}
    random_model(kind, vocab_size=len(tokenizer), **(ids | changes)).save_pretrained(folder)
    return folder
