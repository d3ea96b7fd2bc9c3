"""Tokenizers of each family's class in transformers, with special tokens as in the published files."""

import json
from collections.abc import Sequence

from tokenizers import BertWordPieceTokenizer, ByteLevelBPETokenizer, Tokenizer, models, pre_tokenizers, trainers
from transformers import (
    AlbertTokenizer,
    BertTokenizer,
    CamembertTokenizer,
    DebertaTokenizer,
    DebertaV2Tokenizer,
    MPNetTokenizer,
    PreTrainedTokenizerBase,
    PreTrainedTokenizerFast,
    RobertaTokenizer,
    XLMRobertaTokenizer,
)

from tests.models.random_models import MASK, byte_level_tokenizer

LIKE_ROBERTA = ("<s>", "<pad>", "</s>", "<unk>")
CLASSES = {
    "bert": BertTokenizer,
    "roberta": RobertaTokenizer,
    "electra": BertTokenizer,
    "distilbert": BertTokenizer,
    "albert": AlbertTokenizer,
    "mpnet": MPNetTokenizer,
    "xlm-roberta": XLMRobertaTokenizer,
    "camembert": CamembertTokenizer,
    "data2vec-text": RobertaTokenizer,
    "ernie": BertTokenizer,
    "rembert": AlbertTokenizer,  # the class of RemBERT, made from a vocabulary, puts no special tokens around texts
    "megatron-bert": BertTokenizer,
    "roberta-prelayernorm": RobertaTokenizer,
    "xlm-roberta-xl": XLMRobertaTokenizer,
    "roformer": BertTokenizer,  # RoFormer's own class cuts Chinese in Python
    "deberta": DebertaTokenizer,
    "deberta-v2": DebertaV2Tokenizer,
    "nomic_bert": BertTokenizer,
    "gte": XLMRobertaTokenizer,
    "jina_embeddings_v3": XLMRobertaTokenizer,
    "modernbert": PreTrainedTokenizerFast,
    "eurobert": PreTrainedTokenizerFast,
    "ultrabert": PreTrainedTokenizerFast,
}


def published_tokenizer(kind: str, texts: Sequence[str], **options) -> PreTrainedTokenizerBase:
    """A tokenizer of a family's class, trained on texts."""
    kind_class = CLASSES[kind]
    if kind_class is PreTrainedTokenizerFast:
        return byte_level_tokenizer(texts)
    if kind_class is BertTokenizer:
        return BertTokenizer(vocab=_wordpieces(texts, ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]), **options)
    if kind_class is MPNetTokenizer:
        return MPNetTokenizer(vocab=_wordpieces(texts, [*LIKE_ROBERTA, "[UNK]", "<mask>"]), mask_token=MASK, **options)
    if kind_class in (RobertaTokenizer, DebertaTokenizer):
        special = [*LIKE_ROBERTA, "<mask>"] if kind_class is RobertaTokenizer else None
        learned = _byte_level(texts, special or ["[CLS]", "[PAD]", "[SEP]", "[UNK]", "[MASK]"])
        mask = {"mask_token": MASK} if special else {}
        return kind_class(vocab=learned["vocab"], merges=[tuple(pair) for pair in learned["merges"]], **mask, **options)
    return kind_class(vocab=_unigram(texts, kind_class), **options)


def _wordpieces(texts: Sequence[str], special: list[str]) -> dict[str, int]:
    trained = BertWordPieceTokenizer(lowercase=True)
    trained.train_from_iterator(texts, vocab_size=300, special_tokens=special, show_progress=False)
    return trained.get_vocab()


def _byte_level(texts: Sequence[str], special: list[str]) -> dict:
    trained = ByteLevelBPETokenizer()
    trained.train_from_iterator(texts, vocab_size=400, special_tokens=special, show_progress=False)
    return json.loads(trained._tokenizer.to_str())["model"]


def _unigram(texts: Sequence[str], kind_class: type) -> list[tuple[str, float]]:
    """The pieces of a Unigram model, after the special tokens that an empty tokenizer of the class begins with."""
    backend = Tokenizer(models.Unigram())
    backend.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    backend.train_from_iterator(texts, trainers.UnigramTrainer(vocab_size=300, show_progress=False))
    first = json.loads(kind_class().backend_tokenizer.to_str())["model"]["vocab"]
    known = {token for token, _ in first}
    learned = json.loads(backend.to_str())["model"]["vocab"]
    return [*map(tuple, first), *(tuple(entry) for entry in learned if entry[0] not in known)]
