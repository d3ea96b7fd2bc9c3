"""The families of encoders that can be used, their modules, and the analyses that each family lacks.

A family is a model type, as named in ``config.json``. One row of ``FAMILIES`` holds everything that depends on the
family, so that models are rejected and analyses skipped before any computation.
:mod:`bert_attention.models.attention_modules` names the parts of the attention modules of each form.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from bert_attention.errors import InputError
from bert_attention.models.config_file import read_config


@dataclass(frozen=True)
class Family:
    """Properties of a family of encoders.

    If ``positions_after_padding`` is True, positions begin after the padding index of the embeddings, so that the first
    positions are never used. If ``ablations_share_a_pass`` is True, one forward pass can run many sets of disabled
    heads. For this, layers must take only states and a mask, and the classification head must read only the first
    token.
    """

    name: str  # the name that people use
    form: str  # a key of ``FORMS`` in :mod:`bert_attention.models.attention_modules`
    left_out: Mapping[str, str]  # the analyses that the family lacks, as in results.yaml, each with the reason
    segment_types: int  # the number of segment types if ``config.json`` does not give one
    positions_after_padding: bool = False
    ablations_share_a_pass: bool = True
    embeddings: tuple[str, ...] = ("embeddings",)  # modules of word and position embeddings, with layer norms


# The analyses that families lack, each with the reason.
_ALL: dict[str, str] = {}
_PRE_NORM = {"mixing": "its layer norm comes before attention, so none follows the residual connection"}
_ROTARY = {"neurons": "it rotates queries and keys by their positions before it compares them"}
_DEBERTA = Family(
    "DeBERTa-v2 and -v3",
    "deberta-v2",
    {"neurons": "its scores also compare contents with positions"},
    1,
    ablations_share_a_pass=False,
    embeddings=("embeddings", "encoder.rel_embeddings", "encoder.LayerNorm"),
)
_EUROBERT = Family(
    "EuroBERT",
    "projections before norm",
    _PRE_NORM | _ROTARY,
    1,
    ablations_share_a_pass=False,
    embeddings=("embed_tokens",),
)

# Keys are model types. Unless mixing is left out, a residual connection and a layer norm follow attention.
FAMILIES = {
    "bert": Family("BERT", "bert", _ALL, 2),
    "roberta": Family("RoBERTa", "bert", _ALL, 2, positions_after_padding=True),
    "xlm-roberta": Family("XLM-RoBERTa", "bert", _ALL, 2, positions_after_padding=True),
    "camembert": Family("CamemBERT", "bert", _ALL, 2, positions_after_padding=True),
    "data2vec-text": Family("Data2VecText", "bert", _ALL, 2, positions_after_padding=True),
    "ernie": Family("ERNIE", "bert", _ALL, 2),
    "electra": Family("ELECTRA", "bert", _ALL, 2),
    "rembert": Family("RemBERT", "bert", _ALL, 2),
    "albert": Family("ALBERT", "albert", _ALL, 2),
    "distilbert": Family("DistilBERT", "distilbert", _ALL, 1),
    "mpnet": Family(
        "MPNet",
        "mpnet",
        _ALL,
        1,
        positions_after_padding=True,
        embeddings=("embeddings", "encoder.relative_attention_bias"),
    ),
    "megatron-bert": Family("Megatron-BERT", "bert before norm", _PRE_NORM, 2),
    "roberta-prelayernorm": Family(
        "RoBERTa-PreLayerNorm", "bert before norm", _PRE_NORM, 2, positions_after_padding=True
    ),
    "xlm-roberta-xl": Family("XLM-RoBERTa-XL", "bert before norm", _PRE_NORM, 1, positions_after_padding=True),
    "roformer": Family("RoFormer", "bert", _ROTARY, 2, embeddings=("embeddings", "encoder.embed_positions")),
    "deberta": replace(_DEBERTA, name="DeBERTa", form="deberta"),
    "deberta-v2": _DEBERTA,
    "nomic_bert": Family("NomicBERT", "projections of a layer", _ROTARY, 2),
    "gte": Family("GTE", "projections of a layer", _ROTARY, 1),
    "jina_embeddings_v3": Family("Jina Embeddings v3", "projections of a layer", _ROTARY, 1),
    "modernbert": Family("ModernBERT", "modernbert", _PRE_NORM | _ROTARY, 1, ablations_share_a_pass=False),
    "eurobert": _EUROBERT,
    "ultrabert": replace(_EUROBERT, name="UltraBERT"),
}

_SPARSE = "uses sparse attention, so it has no map of all tokens"
_APPROXIMATED = "approximates attention, so it has no attention maps"
_WITHOUT_TOKENIZER = "has no fast tokenizer"

# Encoders of transformers that cannot be used, each with the reason.
REFUSED = {
    "big_bird": _SPARSE,
    "longformer": _SPARSE,
    "reformer": _SPARSE,
    "mra": _APPROXIMATED,
    "nystromformer": _APPROXIMATED,
    "yoso": _APPROXIMATED,
    "fnet": "has no attention",
    "convbert": "mixes attention with convolutions, so the weighted values do not add up to its output",
    "funnel": "pools tokens, so its layers have maps of different sizes",
    "ibert": "computes with integers instead of floating-point numbers",
    "squeezebert": "returns scores before the softmax instead of attention weights",
    "mobilebert": "combines the embeddings of neighboring tokens and padding, so results would depend on the batch",
    "perceiver": "attends from latent vectors, not from tokens",
    "canine": "reads characters, not wordpieces",
    "xmod": "needs the language of each input",
    "xlm": _WITHOUT_TOKENIZER,
    "flaubert": _WITHOUT_TOKENIZER,
    "luke": _WITHOUT_TOKENIZER,
    "roc_bert": _WITHOUT_TOKENIZER,
    "xlnet": "uses two-stream attention",
    "neomme": "multiplies the result of attention by a gate, so the weighted values do not add up to its output",
    "esm": "reads proteins, not text",
    "esmc": "reads proteins, not text",
}

# Sizes in config.json, under the names of all families, with the least and the greatest value accepted.
_SIZES = {
    **dict.fromkeys(("num_attention_heads", "n_heads", "num_hidden_layers", "n_layers", "inner_group_num"), (1, 1000)),
    **dict.fromkeys(("hidden_size", "dim", "intermediate_size", "hidden_dim"), (1, 1_000_000)),
    **dict.fromkeys(("vocab_size", "max_position_embeddings"), (1, 100_000_000)),
    "type_vocab_size": (0, 1_000),
}

# Model type assumed until the model is available. BERT has all analyses.
ASSUMED_MODEL_TYPE = "bert"

SUPPORTED = f"choose an encoder of one of these families: {', '.join(family.name for family in FAMILIES.values())}"


def family_of(config: Mapping, where: str) -> Family:
    """Return the family of a model, given the content of its ``config.json``.

    Raise InputError, which gives the reason and says what to do, if the model cannot be used.
    """
    for problem, remedy in _problems(config):
        raise InputError(where, problem, remedy)
    return FAMILIES[config["model_type"]]


def family_of_folder(folder: Path | str) -> Family:
    """Return the family of the model in a folder.

    Raise InputError if the model cannot be used (see :func:`family_of`), or ``config.json`` is missing or not JSON.
    """
    return family_of(read_config(folder), f"model {folder}")


def _problems(config: Mapping) -> Iterator[tuple[str, str]]:
    """Yield each problem with a model, with its remedy, given the content of its ``config.json``."""
    model_type = config.get("model_type")
    if not isinstance(model_type, str):
        found = "its config.json gives no model_type"
        if model_type is not None:
            found = f"model_type is {model_type!r} in its config.json, not the name of a model type in quotes"
        yield (
            found,
            f'write "model_type": "bert" into config.json, or the type of its own family: {", ".join(FAMILIES)}',
        )
        return
    if model_type in REFUSED:
        yield f"model type {model_type} {REFUSED[model_type]}", SUPPORTED
    if config.get("is_encoder_decoder") or config.get("is_decoder"):
        yield f"is a decoder or contains one (model type {model_type}), not only an encoder", SUPPORTED
    if model_type not in FAMILIES:
        if config.get("auto_map"):
            yield f"model type {model_type} needs code from its own folder, which is never run", SUPPORTED
        yield f"model type {model_type} is not among the encoders that are supported", SUPPORTED
        return
    if config.get("pruned_heads"):
        problem = "its heads were pruned (pruned_heads in its config.json), which only transformers 4 can load"
        yield problem, "choose a checkpoint from before the heads were pruned"
    if config.get("chunk_size_feed_forward"):  # input lengths would have to be multiples of it
        yield "chunk_size_feed_forward is not 0 in its config.json", "set it to 0, which changes no result"
    for setting, (least, most) in _SIZES.items():
        size = config.get(setting, least)
        if not isinstance(size, int) or not least <= size <= most:
            problem = f"{setting} is {size!r} in its config.json, not a whole number from {least} to {most}"
            yield problem, "get config.json again, from the same revision as the weights"


def segment_types(config: Mapping, second_segment: int = 1) -> int:
    """Return the number of segment types, 1 or 2, that a model of a known family is given.

    ``second_segment`` is the segment id that its tokenizer gives to the second part of a pair. RoBERTa's tokenizer
    gives 0, although ``config.json`` can state two segment types.
    """
    stated = config.get("type_vocab_size", FAMILIES[config["model_type"]].segment_types)
    return min(2, max(1, stated), 1 + second_segment)
